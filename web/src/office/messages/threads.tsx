// The conversations, latest first.
import { useEffect, useRef, useState } from "preact/hooks"
import type { Row } from "../../api/contract"
import { useKey } from "../../shell/keys"
import { useGet } from "../../shell/load"
import { go, query, setQuery } from "../../shell/router"
import { Avatar, Badge, Button, Icon, Ready, Segments, State } from "../../ui/basics"
import { when } from "../../words/format"
import { n, t } from "../../words/words"

type Thread = Row<"/school-admin/message/threads">

export const roles = (): Record<string, string> => ({ PARENT: t("parent"), TEACHER: t("teacher"), DRIVER: t("driver"), SCHOOL_ADMIN: t("office"), OFFICE: t("office") })

/** The address of a conversation, with search and filter kept. */
function address(id: string): string {
  const q = new URLSearchParams(query.value)
  for (const name of ["new", "to", "with"]) q.delete(name)
  q.set("thread", id)
  return `/app/messages?${q}`
}

export function Threads({ current }: { current: string | null }) {
  const search = query.value.get("search") ?? ""
  const unread = query.value.get("unread") === "true"
  const page = Number(query.value.get("page") ?? 1)
  const loaded = useGet("/school-admin/message/threads", { limit: 50, page, ...(search && { search }), ...(unread && { unread }) })
  const items = loaded.data?.items ?? []
  const step = (by: number) => {
    const at = items.findIndex((x) => x.id === current)
    const next = items[Math.max(0, Math.min(items.length - 1, at + by))]
    if (next) go(address(next.id), { keepScroll: true })
  }
  useKey("j", t("Next conversation"), () => step(1))
  useKey("k", t("Previous conversation"), () => step(-1))
  return (
    <>
      <div class="threads-filter"><Search value={search} />
        <Segments label={t("Show")} value={unread ? "true" : ""} onChange={(v) => setQuery({ unread: v, page: "" })}
          options={[{ value: "", text: t("All") }, { value: "true", text: unreadText(loaded.data?.unreadCount) }]} />
      </div>
      <Ready of={loaded}>{(d) => d.items.length === 0 ? (
        search || unread ? <State icon="check" title={unread ? t("Everything is read") : t("Nothing matches")} />
          : <State icon="chat" title={t("No messages yet")}><p>{t("What parents, teachers and drivers write to the office appears here.")}</p></State>
      ) : (
        <>
          <ul class="threadlist">{d.items.map((x) => <li key={x.id}><Line thread={x} current={x.id === current} /></li>)}</ul>
          {d.totalPages > 1 && <div class="foot pad"><span>{t("Page {page} of {pages}", { page: d.page, pages: d.totalPages })}</span><span class="push" /><span class="group">
            <Button icon="left" aria-label={t("Previous page")} disabled={page <= 1} onClick={() => setQuery({ page: String(page - 1) })} />
            <Button icon="right" aria-label={t("Next page")} disabled={page >= d.totalPages} onClick={() => setQuery({ page: String(page + 1) })} /></span></div>}
        </>
      )}</Ready>
    </>
  )
}

const unreadText = (count: number | undefined) => (count ? n(count, "{n} unread", "{n} unread") : t("Unread"))

function Line({ thread: x, current }: { thread: Thread; current: boolean }) {
  const name = x.with.name ?? t("Somebody who has left")
  const last = x.lastMessage
  return (
    <a class={x.unreadCount ? "thread unread" : "thread"} href={address(x.id)} aria-current={current ? "true" : undefined}>
      <Avatar name={name} size="md" />
      <span class="grow">
        <span class="row"><b class="cut grow"><bdi>{name}</bdi></b><time class="faint small nowrap">{when(last.createdAt)}</time></span>
        <span class="small faint cut block">{roles()[x.with.role]}{x.studentName && <> · <bdi>{x.studentName}</bdi></>}</span>
        <span class="row"><span class="cut grow small muted">{last.isOwn && <>{t("You")}: </>}{last.body ?? n(last.attachmentCount, "{n} file", "{n} files")}</span>
          {x.unreadCount > 0 ? <Badge tone="brand">{x.unreadCount}<span class="sr"> {t("unread")}</span></Badge>
            : last.isOwn && last.readAt && <span class="faint"><Icon name="check" size="xs" /><span class="sr">{t("read")}</span></span>}</span>
      </span>
    </a>
  )
}

function Search({ value }: { value: string }) {
  const [text, setText] = useState(value)
  const input = useRef<HTMLInputElement>(null)
  useKey("/", t("Search the conversations"), () => input.current?.focus())
  useEffect(() => {
    if (text === value) return
    const timer = setTimeout(() => setQuery({ search: text, page: "" }), 250)
    return () => clearTimeout(timer)
  }, [text])
  const label = t("Name, phone or e-mail")
  return <span class="with grow"><Icon name="search" />
    <input ref={input} class="input" type="search" aria-label={label} placeholder={label} value={text} onInput={(e) => setText(e.currentTarget.value)} /></span>
}
