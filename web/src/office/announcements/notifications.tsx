import { useState } from "preact/hooks"
import { post, put } from "../../api/client"
import type { Reply } from "../../api/contract"
import { changed, useGet } from "../../shell/load"
import { useLive } from "../../shell/live"
import { query, setQuery, go } from "../../shell/router"
import { say, sayFault } from "../../shell/toast"
import { Badge, Button, Card, Head, Icon, Ready, State, Tabs } from "../../ui/basics"
import { Form } from "../../ui/form"
import type { IconName } from "../../ui/icons"
import { when } from "../../words/format"
import { languages, n, t, type Language } from "../../words/words"
import { sections } from "./words"

type Log = Reply<"/school-admin/notification/delivered-notifications", "get">
type Entry = Log["notifications"][number]
type Preferences = Reply<"/school-admin/notification/preferences", "get">

const kinds = (): Record<string, { text: string; icon: IconName; href?: (e: Entry) => string }> => ({
  ANNOUNCEMENT: { text: t("Announcements"), icon: "horn", href: (e) => `/app/announcements/${e.data.recordId ?? ""}` },
    ATTENDANCE: { text: t("Attendance"), icon: "tick", href: () => "/app/attendance" },
  CONTACT: { text: t("Corrections by parents"), icon: "pen", href: () => "/app/guardians/changes" }, FEE: { text: t("Fees"), icon: "coin", href: () => "/app/fees" },
  LEAVE_REQUEST: { text: t("Leave"), icon: "door", href: () => "/app/leave?status=PENDING" }, LIBRARY: { text: t("Library"), icon: "book", href: () => "/app/library" },
  MESSAGE: { text: t("Messages"), icon: "chat", href: () => "/app/messages" }, RESULT: { text: t("Results"), icon: "cap", href: () => "/app/exams" },
  TIMETABLE: { text: t("Timetable"), icon: "cal", href: () => "/app/timetable" }, TRANSPORT: { text: t("Transport"), icon: "bus", href: () => "/app/transport/incidents" },
  WEBHOOK: { text: t("Webhooks"), icon: "cloud", href: () => "/app/settings/webhooks" },
  ONEROSTER: { text: "OneRoster", icon: "cloud", href: () => "/app/settings/webhooks" },
  LIMIT: { text: t("Daily limits"), icon: "alert", href: () => "/app/announcements/deliveries" },
})

export default function Notifications() {
  const page = Number(query.value.get("page") ?? 1)
  const log = useGet("/school-admin/notification/delivered-notifications", { limit: 30, page })
  const preferences = useGet("/school-admin/notification/preferences")
  useLive("notification", () => log.reload())
  const unread = log.data?.unreadCount ?? 0
  return (
    <>
      <Head title={t("For you")} sub={log.data && (unread ? n(unread, "{n} is unread.", "{n} are unread.") : t("You have read everything."))}>
        {unread > 0 && <Button icon="check" onClick={() => void readAll()}>{t("Mark all as read")}</Button>}
      </Head>
      <Tabs label={t("Communication")} items={sections()} current="notifications" />
      <div class="cols even">
        <Card title={t("Notifications")} badge={unread > 0 && <Badge tone="brand">{unread}</Badge>} flush>
          <Ready of={log}>{(d) => <Entries log={d} />}</Ready>
        </Card>
        <Card title={t("How you are told")}><Ready of={preferences}>{(p) => <Preferred key={JSON.stringify(p)} p={p} />}</Ready></Card>
      </div>
    </>
  )
}

function Entries({ log }: { log: Log }) {
  if (log.notifications.length === 0) return <State icon="bell" title={t("Nothing yet")}><p>{t("New things appear here by themselves.")}</p></State>
  return (
    <>
      <ul class="list notices">{log.notifications.map((e) => {
        const kind = kinds()[e.type]
        return (
          <li key={e.id} class={e.readAt ? "" : "unread"}>
            <span class="disc"><Icon name={kind?.icon ?? "bell"} /></span>
            <div class="grow"><button type="button" class="link" onClick={() => void open(e)}><b>{e.title}</b></button><p>{e.body}</p></div>
            <time class="faint small nowrap">{when(e.createdAt)}</time>
            {!e.readAt && <Button kind="plain" size="sm" icon="check" aria-label={t("Mark “{title}” as read", { title: e.title })} onClick={() => void read(e)} />}
          </li>
        )
      })}</ul>
      {log.totalPages > 1 && <div class="foot pad"><span>{t("Page {page} of {pages}", { page: log.page, pages: log.totalPages })}</span><span class="push" /><span class="group">
        <Button icon="left" aria-label={t("Previous page")} disabled={log.page <= 1} onClick={() => setQuery({ page: String(log.page - 1) })} />
        <Button icon="right" aria-label={t("Next page")} disabled={log.page >= log.totalPages} onClick={() => setQuery({ page: String(log.page + 1) })} /></span></div>}
    </>
  )
}

async function read(e: Entry): Promise<void> {
  try {
    await post("/school-admin/notification/read", { notificationId: e.id })
    changed()
  } catch (err) {
    sayFault(err)
  }
}

async function open(e: Entry): Promise<void> {
  if (!e.readAt) await read(e)
  const href = kinds()[e.type]?.href?.(e)
  if (href) go(href)
}

async function readAll(): Promise<void> {
  try {
    const { marked } = await post("/school-admin/notification/read-all")
    changed()
    say(n(marked, "{n} marked as read.", "{n} marked as read."))
  } catch (err) {
    sayFault(err)
  }
}

const ways = ["push", "sms", "email"] as const

function Preferred({ p }: { p: Preferences }) {
  const [channels, setChannels] = useState(p.channels)
  const topics = useGet("/school-admin/notification/topics")
  const names = { push: t("Push"), sms: t("SMS"), email: t("E-mail") }
  const types = Object.keys(channels).sort((a, b) => (kinds()[a]?.text ?? a).localeCompare(kinds()[b]?.text ?? b))
  return (
    <Form button={t("Save")} initial={{ language: p.language ?? "", from: p.quietHours?.from ?? "", to: p.quietHours?.to ?? "" }}
      fields={[
        { name: "language", label: t("Language of messages to you"), kind: "select", options: p.languages.map((l) => ({ value: l, text: languages[l as Language] ?? l })),
          help: t("Without one: the school's."), wide: true },
        { name: "from", label: t("Quiet from"), kind: "time" }, { name: "to", label: t("Quiet until"), kind: "time", help: t("Urgent messages come anyway.") },
      ]}
      submit={(v) => put("/school-admin/notification/preferences",
        { language: (v.language as string) || null, quietHours: v.from && v.to ? { from: String(v.from), to: String(v.to) } : null, channels })}
      onDone={() => { changed(); say(t("Saved."), () => put("/school-admin/notification/preferences", { language: p.language, quietHours: p.quietHours, channels: p.channels })) }}>
      {() => (
        <div class="stack">
          <div class="frame scroll"><table class="ways">
            <thead><tr><th scope="col">{t("About|notification")}</th>{ways.map((w) => <th scope="col" key={w}>{names[w]}</th>)}</tr></thead>
            <tbody>{types.map((type) => (
              <tr key={type}><th scope="row">{kinds()[type]?.text ?? type}</th>
                {ways.map((w) => <td key={w}>
                  <input type="checkbox" aria-label={`${kinds()[type]?.text ?? type}: ${names[w]}`} checked={channels[type]![w]}
                    onChange={(e) => setChannels({ ...channels, [type]: { ...channels[type]!, [w]: e.currentTarget.checked } })} /></td>)}</tr>
            ))}</tbody>
          </table></div>
          <p class="help">{topics.data
            && (topics.data.topics.length ? t("Announcements to everybody also come to your phone.")
              : t("No announcements come to your phone."))} {t("The list here always has everything.")}</p>
        </div>
      )}
    </Form>
  )
}
