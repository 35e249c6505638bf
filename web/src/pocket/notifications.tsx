// What one was told, newest first. A tap opens what it is about.
import { useEffect, useState } from "preact/hooks"
import { post } from "../api/client"
import { may } from "../api/session"
import type { Reply } from "../api/contract"
import { useLive } from "../shell/live"
import { changed, useGet } from "../shell/load"
import { go, query } from "../shell/router"
import { say, sayFault } from "../shell/toast"
import { Button, Card, Icon, Ready, State } from "../ui/basics"
import { when } from "../words/format"
import { n, t } from "../words/words"
import { kinds, linkTo } from "./links"
import { Push } from "./push"
import { routes } from "./routes"
import { Line, Screen } from "./screen"

type Entry = Reply<"/teacher/notification/delivered-notifications", "get">["notifications"][number]

const page = 30

export default function Notifications() {
  const [limit, setLimit] = useState(page)
  const log = useGet(routes().log, { limit })
  useLive("notification", log.reload)
  const type = query.value.get("type") // a push message was tapped
  useEffect(() => { if (type) go(linkTo({ type, recordId: query.value.get("id"), studentId: query.value.get("student") }), { replace: true }) }, [type])
  const unread = log.data?.unreadCount ?? 0
  return (
    <Screen title={t("Notifications")} back="/app/home" sub={log.data && (unread ? n(unread, "{n} unread", "{n} unread") : t("Nothing unread"))}
      action={unread > 0 && may("write", "notification") && <Button size="sm" icon="check" onClick={() => void readAll()}>{t("All read")}</Button>}>
      <Push />
      <Ready of={log} rows={8}>{(d) => d.notifications.length === 0
        ? <State icon="bell" title={t("Nothing yet")}><p>{t("New things appear here by themselves.")}</p></State>
        : <>
          <Card flush>{d.notifications.map((e) => <One key={e.id} entry={e} />)}</Card>
          {d.total > d.notifications.length && <Button onClick={() => setLimit(limit + page)}>{t("Older ones")}</Button>}
        </>}</Ready>
      <Card flush><Line href="/app/notifications/preferences" lead={<Icon name="gear" size="md" />} title={t("How you are told")} /></Card>
    </Screen>
  )
}

function One({ entry: e }: { entry: Entry }) {
  return (
    <a class={e.readAt ? "line notice-line" : "line notice-line unread"} href={linkTo({ type: e.type, ...e.data })} onClick={() => void read(e)}>
      <Icon name={kinds()[e.type]?.icon ?? "bell"} size="md" />
      <span class="grow"><b>{!e.readAt && <span class="sr">{t("New")}: </span>}<bdi>{e.title}</bdi></b>
        {e.body && <span class="gist3"><bdi>{e.body}</bdi></span>}<span><time>{when(e.createdAt)}</time></span></span>
      {!e.readAt && <span class="dotnew" aria-hidden="true" />}
    </a>
  )
}

/** Marks it as read. Without a network it stays unread, which does no harm. */
async function read(e: Entry): Promise<void> {
  if (!e.readAt && may("write", "notification")) await post(routes().read, { notificationId: e.id }).then(changed, () => {})
}

async function readAll(): Promise<void> {
  try {
    const { marked } = await post(routes().readAll)
    changed()
    say(n(marked, "{n} marked as read.", "{n} marked as read."))
  } catch (e) {
    sayFault(e)
  }
}
