import { may } from "../../api/session"
import { useKey } from "../../shell/keys"
import { live, useLive } from "../../shell/live"
import { changed } from "../../shell/load"
import { go, query } from "../../shell/router"
import { LinkButton, State } from "../../ui/basics"
import { t } from "../../words/words"
import { Compose } from "./compose"
import { Conversation } from "./conversation"
import { Threads } from "./threads"

/** Messages to the office: conversations at the start, the open one beside them. */
export default function Inbox() {
  const thread = query.value.get("thread")
  const fresh = query.value.has("new") || query.value.has("to") || query.value.has("with")
  const writes = may("write", "message")
  useKey("n", t("Write a message"), () => { if (writes) go("/app/messages?new=1") })
  useLive("message", () => changed())
  useLive("message-read", () => changed())
  return (
    <div class={thread || fresh ? "inbox open" : "inbox"}>
      <h1 class="sr" tabIndex={-1}>{t("Messages")}</h1>
      <section class="threads" aria-label={t("Conversations")}>
        <div class="row threads-head"><h2 class="grow">{t("Messages")}</h2>
          <span class={live.value ? "live" : "live off"}>{live.value ? t("Live") : t("Connecting…")}</span>
          {writes && <LinkButton kind="go" icon="plus" href="/app/messages?new=1" hint="N">{t("Write")}</LinkButton>}</div>
        <Threads current={thread} />
      </section>
      <section class="talk" aria-label={t("Conversation")}>
        {fresh && writes ? <Compose key={query.value.toString()} />
          : thread ? <Conversation key={thread} id={thread} />
            : <State icon="chat" title={t("Choose a conversation")}><p>{t("Answers go out in the name of the school.")}</p></State>}
      </section>
    </div>
  )
}
