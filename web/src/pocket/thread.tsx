// One conversation: messages from old to new, those not sent yet at the end, and the answer below.
import { useEffect, useState } from "preact/hooks"
import { get, post } from "../api/client"
import { answered, waiting, type Waiting } from "../api/queue"
import type { Schema } from "../api/contract"
import { useLive } from "../shell/live"
import { changed, useGet } from "../shell/load"
import { go } from "../shell/router"
import { sayFault } from "../shell/toast"
import { Avatar, Badge, Banner, Button, Icon, Ready } from "../ui/basics"
import { Files } from "../ui/files"
import { dateOf, longDate, time, today, when } from "../words/format"
import { n, t } from "../words/words"
import { mayMessage, routes } from "./routes"
import { Screen } from "./screen"
import { nameOf, Write } from "./write"

type Message = Schema["Message"]

const page = 30

export default function Thread({ params }: { params: { id?: string } }) {
  const id = params.id!
  const about = nameOf({ threadId: id })
  const loaded = useGet(routes().thread, { limit: page }, { id })
  const [more, setMore] = useState<Message[]>([]) // older ones, and those sent a moment ago
  const add = (found: Message[]) => setMore((old) => [...old, ...found])
  useLive<Message>("message", (m) => { if (m.threadId === id) loaded.reload() })
  useLive<{ threadId: string }>("message-read", (e) => { if (e.threadId === id) loaded.reload() })
  useEffect(() => { if (answered.value?.about === about) add([(answered.value.reply as Schema["MessageSent"]).message]) }, [answered.value])
  const d = loaded.data
  useEffect(() => { if (d && d.thread.id !== id) go(`/app/messages/${d.thread.id}`, { replace: true }) }, [d]) // opened by one of its messages
  const all = inOrder([...(d?.items ?? []), ...more])
  const unsent = waiting.value.filter((w) => w.about === about && !w.refused)
  const latest = d?.items[0]?.id
  useSeen(id, d?.thread.id === id ? d.thread.unreadCount : 0, latest)
  useEffect(() => { if (latest) scrollTo(0, document.body.scrollHeight) }, [latest, unsent.length])
  const name = d ? (d.thread.with.name ?? t("Somebody who has left")) : t("Loading")
  return (
    <Screen title={name} sub={d?.thread.studentName && <>{t("about")} <bdi>{d.thread.studentName}</bdi></>} back="/app/messages" lead={<Avatar name={name} size="md" />}
      dock={d && (d.canWrite && mayMessage("write") ? <Write to={{ threadId: id }} name={name} />
        : <Banner icon="lock">{mayMessage("write") ? t("Nobody can write here any more: the account is closed, or the child has left.") : t("You may read messages, but not write them.")}</Banner>)}>
      <Ready of={loaded} rows={8}>{(x) => (
        <>
          {x.total > all.length && <Button size="sm" onClick={() => void older(id, all[0]!.id, add)}>{t("Older messages")}</Button>}
          <div class="talklog" role="log" aria-label={t("Messages with {name}", { name })}>
            {all.map((m, i) => <Said key={m.id} m={m} day={dateOf(m.createdAt) !== (i ? dateOf(all[i - 1]!.createdAt) : "")} last={i === all.length - 1} />)}
            {unsent.map((w) => <NotSent key={w.id} call={w} />)}
          </div>
        </>
      )}</Ready>
    </Screen>
  )
}

/** Each message once, as the service has it now, oldest first. */
function inOrder(found: Message[]): Message[] {
  const once = new Map<string, Message>()
  for (const m of found) if (!once.has(m.id)) once.set(m.id, m)
  return [...once.values()].sort((a, b) => a.createdAt.localeCompare(b.createdAt) || a.id.localeCompare(b.id))
}

/** Marks the conversation as read, once it is seen. */
function useSeen(id: string, unread: number, latest: string | undefined): void {
  useEffect(() => {
    if (!unread || !latest || !mayMessage("write") || document.hidden) return
    post(routes().seen, { messageId: latest }, { path: { id } }).then(changed, () => {}) // a later visit marks it
  }, [unread, latest])
}

async function older(id: string, before: string, add: (found: Message[]) => void): Promise<void> {
  try {
    add((await get(routes().thread, { limit: page, before }, { path: { id } })).items)
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
        <span class="sr">{m.isOwn ? t("You") : m.sender.name}:</span>
        {m.body && <p class="bubble pre" dir="auto">{m.body}</p>}
        <Files files={m.attachments} />
        <p class="small faint">{time(m.createdAt)}{m.isOwn && (m.readAt ? <> · {t("read {time}", { time: when(m.readAt) })}</> : last && <> · {t("not yet read")}</>)}</p>
      </div>
    </>
  )
}

/** A message that is kept on this phone. */
function NotSent({ call }: { call: Waiting }) {
  const { body } = call.body as { body: string }
  const files = call.files?.length ?? 0
  return (
    <div class="said-one own">
      <span class="sr">{t("You")}:</span>
      {body && <p class="bubble pre" dir="auto">{body}</p>}
      {files > 0 && <p class="row small"><Icon name="pic" />{n(files, "{n} file", "{n} files")}</p>}
      <Badge tone="warn">{t("Not sent yet")}</Badge>
    </div>
  )
}
