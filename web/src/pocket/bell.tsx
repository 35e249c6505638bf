// The bell on a first page: how many notifications are unread, live.
import { may } from "../api/session"
import { useLive } from "../shell/live"
import { useGet } from "../shell/load"
import { Icon } from "../ui/basics"
import { n, t } from "../words/words"
import { routes } from "./routes"

export function Bell() {
  const log = useGet(may("read", "notification") ? routes().log : null, { limit: 1 })
  useLive("notification", log.reload)
  const unread = log.data?.unreadCount ?? 0
  return <a class="btn plain icon bellbtn" href="/app/notifications" aria-label={unread ? n(unread, "Notifications, {n} new", "Notifications, {n} new") : t("Notifications")}>
    <Icon name="bell" size="md" />{unread > 0 && <span class="new" aria-hidden="true">{unread > 9 ? "9+" : unread}</span>}</a>
}
