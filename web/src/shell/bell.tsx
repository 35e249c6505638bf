// The bell: how many of one's own notifications are unread, live.
import { useState } from "preact/hooks"
import { Icon } from "../ui/basics"
import { n, t } from "../words/words"
import { useLive } from "./live"
import { useGet } from "./load"

export function Bell() {
  const loaded = useGet("/school-admin/notification/delivered-notifications", { limit: 1 })
  const [told, setTold] = useState<{ after: unknown; count: number }>()
  useLive<{ unreadCount: number }>("notification", (e) => setTold({ after: loaded.data, count: e.unreadCount }))
  const count = told && told.after === loaded.data ? told.count : (loaded.data?.unreadCount ?? 0)
  const label = count ? n(count, "Notifications, {n} unread", "Notifications, {n} unread") : t("Notifications")
  return <a class="btn plain icon bell" href="/app/announcements/notifications" aria-label={label}><Icon name="bell" />
    {count > 0 && <span class="dot" aria-hidden="true">{count > 9 ? "9+" : count}</span>}</a>
}
