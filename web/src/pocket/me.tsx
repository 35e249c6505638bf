// One's own account on the phone: who is signed in, other accounts, language, security, sign-out.
import { leave, may, me } from "../api/session"
import { unsent, waiting } from "../api/queue"
import { Line, Screen } from "./screen"
import { forget } from "../shell/load"
import { Avatar, Button, Card, Icon } from "../ui/basics"
import { Dialog } from "../ui/dialog"
import { language, languages, n, speak, t, type Language } from "../words/words"
import { useState } from "preact/hooks"

export default function Me() {
  const { user, school, accounts } = me.value!
  const [lost, setLost] = useState(0) // things that signing out would delete
  const other = (Object.keys(languages) as Language[]).find((l) => l !== language())!
  const out = () => { forget(); void leave() }
  const ask = async () => { const count = await unsent(); if (count) setLost(count); else out() }
  return (
    <Screen title={user.name} sub={school.name} lead={<Avatar name={user.name} size="lg" />}>
      {!!accounts?.length && (
        <Card title={t("Your other accounts")} flush>
          {accounts.map((a) => <Line key={a.id} href={`/app/account?switch=${a.id}`} lead={<Avatar name={a.schoolName} size="md" />} title={<bdi>{a.schoolName}</bdi>} />)}
        </Card>
      )}
      <Card flush>
        {may("read", "notification") && <Line href="/app/notifications" lead={<Icon name="bell" size="md" />} title={t("Notifications")} />}
        <Line href="/app/account" lead={<Icon name="lock" size="md" />} title={t("Security and sessions")} />
        <Line href="/app/waiting" lead={<Icon name="cloud" size="md" />} title={t("Not sent yet")} end={waiting.value.length > 0 && <b>{waiting.value.length}</b>} />
        <button type="button" class="line" onClick={() => void speak(other)}><Icon name="globe" size="md" /><span class="grow"><b>{languages[other]}</b></span></button>
        <button type="button" class="line" onClick={() => void ask()}><Icon name="door" size="md" /><span class="grow"><b>{t("Sign out")}</b></span></button>
      </Card>
      {lost > 0 && (
        <Dialog title={t("Not everything is sent")} onClose={() => setLost(0)}
          footer={<><Button onClick={() => setLost(0)}>{t("Stay signed in")}</Button><Button kind="danger" onClick={out}>{t("Delete them and sign out")}</Button></>}>
          <p>{n(lost, "{n} thing is kept on this phone only. Signing out deletes it.", "{n} things are kept on this phone only. Signing out deletes them.")}</p>
        </Dialog>
      )}
    </Screen>
  )
}
