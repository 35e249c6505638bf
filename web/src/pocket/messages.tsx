// The conversations, latest first, and what is written but not sent.
import { useEffect, useState } from "preact/hooks"
import { waiting } from "../api/queue"
import type { Row } from "../api/contract"
import { useLive } from "../shell/live"
import { useGet } from "../shell/load"
import { query } from "../shell/router"
import { Avatar, Badge, Button, Card, Icon, LinkButton, Ready, State } from "../ui/basics"
import { when } from "../words/format"
import { n, t } from "../words/words"
import { mayMessage, routes } from "./routes"
import { Screen } from "./screen"

type Thread = Row<"/teacher/message/threads">

const page = 30
const searchable = 8 // fewer conversations are seen at a glance

export default function Messages() {
  const student = query.value.get("student")
  const [search, setSearch] = useState("")
  const [limit, setLimit] = useState(page)
  const asked = useLate(search)
  const list = useGet(routes().threads, { limit, ...(student && { studentId: student }), ...(asked && { search: asked }) })
  useLive("message", list.reload)
  useLive("message-read", list.reload)
  const unread = list.data?.unreadCount ?? 0
  const label = t("Search by name")
  return (
    <Screen title={t("Messages")} sub={list.data && (unread ? n(unread, "{n} unread", "{n} unread") : t("Nothing unread"))}
      action={mayMessage("write") && <LinkButton kind="go" size="sm" icon="pen" href={student ? `/app/messages/new?student=${student}` : "/app/messages/new"}>{t("Write")}</LinkButton>}>
      <Unsent />
      {(search || (list.data?.total ?? 0) >= searchable) && <span class="with"><Icon name="search" />
        <input class="input" type="search" aria-label={label} placeholder={label} value={search} onInput={(e) => setSearch(e.currentTarget.value)} /></span>}
      <Ready of={list} rows={8}>{(d) => d.items.length === 0
        ? <State icon="chat" title={asked ? t("Nothing matches") : t("No messages yet")}>{!asked && mayMessage("write") && <p>{t("Write to somebody, and the answer appears here.")}</p>}</State>
        : <>
          <Card flush>{d.items.map((x) => <One key={x.id} thread={x} />)}</Card>
          {d.total > d.items.length && <Button onClick={() => setLimit(limit + page)}>{t("Older conversations")}</Button>}
        </>}</Ready>
    </Screen>
  )
}

/** A text once nobody has typed for a moment. */
export function useLate(text: string): string {
  const [late, set] = useState(text)
  useEffect(() => { const timer = setTimeout(() => set(text.trim()), 250); return () => clearTimeout(timer) }, [text])
  return late
}

function One({ thread: x }: { thread: Thread }) {
  const name = x.with.name ?? t("Somebody who has left")
  const last = x.lastMessage
  return (
    <a class={x.unreadCount ? "line thread-line unread" : "line thread-line"} href={`/app/messages/${x.id}`}>
      <Avatar name={name} size="md" />
      <span class="grow">
        <b class="cut"><bdi>{name}</bdi></b>
        {x.studentName && <span class="cut">{t("about")} <bdi>{x.studentName}</bdi></span>}
        <span class="cut">{last.isOwn && <>{t("You")}: </>}<bdi>{last.body ?? n(last.attachmentCount, "{n} file", "{n} files")}</bdi></span>
      </span>
      <span class="meta"><time>{when(last.createdAt)}</time>
        {x.unreadCount > 0 ? <Badge tone="brand">{x.unreadCount}<span class="sr"> {t("unread")}</span></Badge>
          : last.isOwn && last.readAt && <><Icon name="check" size="xs" /><span class="sr">{t("read")}</span></>}</span>
    </a>
  )
}

/** Messages that open a conversation and have not been sent: those of known ones are shown in them. */
function Unsent() {
  const first = waiting.value.filter((w) => w.path === routes().send && !(w.body as { threadId?: string }).threadId)
  return <>{first.map((w) => (
    <Card key={w.id}><div class="row"><b class="grow cut"><bdi>{w.label}</bdi></b><Badge tone={w.refused ? "bad" : "warn"}>{w.refused ? t("Not accepted") : t("Not sent yet")}</Badge></div>
      <p class="pre">{(w.body as { body: string }).body}</p>
      {w.refused && <p class="bad" role="alert">{w.refused.message} <a href="/app/waiting">{t("Look at it")}</a></p>}</Card>
  ))}</>
}
