// What is kept on this phone and has not been sent, or was not accepted.
import { again, discard, waiting, type Waiting } from "../api/queue"
import { Screen } from "./screen"
import { Badge, Button, Card, State } from "../ui/basics"
import { when } from "../words/format"
import { t } from "../words/words"

export default function NotSent() {
  return (
    <Screen title={t("Not sent yet")} back="/app/me">
      {waiting.value.length === 0
        ? <State icon="check" title={t("Everything is sent")} />
        : waiting.value.map((w) => <One key={w.id} call={w} />)}
    </Screen>
  )
}

function One({ call }: { call: Waiting }) {
  const { refused } = call
  return (
    <Card>
      <div class="stack">
        <div class="row"><b class="grow"><bdi>{call.label}</bdi></b><Badge tone={refused ? "bad" : "warn"}>{refused ? t("Not accepted") : t("Waiting")}</Badge></div>
        <p class="small muted">{t("Kept {when}", { when: when(new Date(call.at).toISOString()) })}</p>
        {refused && <p role="alert">{refused.message}</p>}
        {refused?.details.map((d) => <p class="small bad" key={d.field}>{d.message}</p>)}
        {refused && (
          <div class="pair">
            <Button onClick={() => void again(call.id)}>{t("Send again")}</Button>
            <Button kind="danger" onClick={() => void discard(call.id)}>{t("Delete it")}</Button>
          </div>
        )}
      </div>
    </Card>
  )
}
