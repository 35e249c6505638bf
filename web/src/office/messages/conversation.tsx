// One conversation: messages from old to new, and the answer below.
import { useEffect, useRef, useState } from "preact/hooks"
import { get, post } from "../../api/client"
import type { Row } from "../../api/contract"
import { may } from "../../api/session"
import { changed, useGet } from "../../shell/load"
import { go } from "../../shell/router"
import { sayFault } from "../../shell/toast"
import { Avatar, Badge, Banner, Button, Ready } from "../../ui/basics"
import { Files } from "../../ui/files"
import { dateOf, longDate, time, today, when } from "../../words/format"
import { t } from "../../words/words"
import { roles } from "./threads"
import { Write } from "./write"

type Message = Row<"/school-admin/message/thread/{id}">

const page = 40

export function Conversation({ id }: { id: string }) {
  const loaded = useGet("/school-admin/message/thread/{id}", { limit: page }, { id })
  const [older, setOlder] = useState<Message[]>([])
  const end = useRef<HTMLDivElement>(null)
  const latest = loaded.data?.items[0]?.id
  const unread = loaded.data?.thread.unreadCount ?? 0
  useEffect(() => { end.current?.scrollIntoView({ block: "end" }) }, [latest])
  useEffect(() => {
    if (!unread || !may("write", "message")) return
    post("/school-admin/message/thread/{id}/read", { messageId: latest ?? null }, { path: { id } }).then(changed, () => {}) // a later visit marks it
  }, [unread, latest])
  return (
    <Ready of={loaded}>{(d) => {
      const all = [...d.items, ...older.filter((m) => !d.items.some((x) => x.id === m.id))].reverse()
      const name = d.thread.with.name ?? t("Somebody who has left")
      return (
        <>
          <header class="talk-head">
            <span class="only-sm"><Button kind="plain" icon="back" aria-label={t("Back to the conversations")} onClick={() => go("/app/messages")} /></span>
            <Avatar name={name} size="md" />
            <div class="grow"><h2 class="cut"><bdi>{name}</bdi></h2>
              <p class="small muted cut">{roles()[d.thread.with.role]}
                {d.thread.studentName && <> · {t("about")} <a href={`/app/students/${d.thread.studentId}`}><bdi>{d.thread.studentName}</bdi></a></>}</p></div>
          </header>
          <div class="said-list" tabIndex={0} role="log" aria-label={t("Messages with {name}", { name })}>
            {d.total > all.length && <Button size="sm" onClick={() => void more(id, all[0]!.id, setOlder)}>{t("Older messages")}</Button>}
            {all.map((m, i) => <Said key={m.id} m={m} day={dateOf(m.createdAt) !== (i ? dateOf(all[i - 1]!.createdAt) : "")} last={i === all.length - 1} />)}
            <div ref={end} />
          </div>
          {d.canWrite && may("write", "message") ? <Write threadId={id} name={name} />
            : <Banner icon="lock">
              {may("write", "message") ? t("Nobody can write here any more: the account is closed, or the child has left.") : t("Your role may read messages, but not write them.")}
                </Banner>}
        </>
      )
    }}</Ready>
  )
}

async function more(id: string, before: string, set: (f: (old: Message[]) => Message[]) => void): Promise<void> {
  try {
    const reply = await get("/school-admin/message/thread/{id}", { limit: page, before }, { path: { id } })
    set((old) => [...old, ...reply.items])
  } catch (e) {
    sayFault(e)
  }
}

function Said({ m, day, last }: { m: Message; day: boolean; last: boolean }) {
  const d = dateOf(m.createdAt)
  return (
    <>
      {day && <p class="dayline"><span>{d === today() ? t("Today") : longDate(d)}</span></p>}
      <div class={m.isOwn ? "said-one own" : "said-one"}>
        {m.body && <p class="bubble pre">{m.body}</p>}
        <Files files={m.attachments} />
        <p class="small faint">{m.isOwn && m.author?.name && <><bdi>{m.author.name}</bdi>, </>}{time(m.createdAt)}
          {m.isOwn && (m.readAt ? <> · {t("read {time}", { time: when(m.readAt) })}</> : last && <> · <Badge>{t("not yet read")}</Badge></>)}</p>
      </div>
    </>
  )
}
