// Messages, notifications and announcements are the same for teachers, parents and drivers, but each role has its own paths.
import { effect, signal } from "@preact/signals"
import { may, me, role } from "../api/session"

const teacher = {
  threads: "/teacher/message/threads", thread: "/teacher/message/thread/{id}", seen: "/teacher/message/thread/{id}/read",
  send: "/teacher/message/send", recipients: "/teacher/message/recipients", upload: "/teacher/file/upload",
  log: "/teacher/notification/delivered-notifications", read: "/teacher/notification/read", readAll: "/teacher/notification/read-all",
  preferences: "/teacher/notification/preferences", pushKey: "/teacher/notification/push-key", token: "/teacher/notification/token",
  news: "/teacher/announcement/list", one: "/teacher/announcement/{id}",
  leaves: "/teacher/leave/list", leaveBalance: "/teacher/leave/balance", leaveApply: "/teacher/leave/apply", leaveCancel: "/teacher/leave/{id}/cancel", // one's own
} as const
type Routes = typeof teacher

const parent = {
  threads: "/parent/message/threads", thread: "/parent/message/thread/{id}", seen: "/parent/message/thread/{id}/read",
  send: "/parent/message/send", recipients: "/parent/message/recipients", upload: "/parent/file/upload",
  log: "/parent/notification/delivered-notifications", read: "/parent/notification/read", readAll: "/parent/notification/read-all",
  preferences: "/parent/notification/preferences", pushKey: "/parent/notification/push-key", token: "/parent/notification/token",
  news: "/parent/announcement/list", one: "/parent/announcement/{id}",
} as const

const driver = {
  threads: "/driver/message/threads", thread: "/driver/message/thread/{id}", seen: "/driver/message/thread/{id}/read",
  send: "/driver/message/send", recipients: "/driver/message/recipients", upload: "/driver/file/upload",
  log: "/driver/notification/delivered-notifications", read: "/driver/notification/read", readAll: "/driver/notification/read-all",
  preferences: "/driver/notification/preferences", pushKey: "/driver/notification/push-key", token: "/driver/notification/token",
  news: "/driver/announcement/list", one: "/driver/announcement/{id}",
  leaves: "/driver/leave/list", leaveBalance: "/driver/leave/balance", leaveApply: "/driver/leave/apply", leaveCancel: "/driver/leave/{id}/cancel", // one's own
} as const

/** The paths of the signed-in role. Their replies have the same types, so those of teachers stand for all. */
export function routes(): Routes {
  const all: Record<string, unknown> = { TEACHER: teacher, PARENT: parent, DRIVER: driver }
  return all[role.value ?? ""] as Routes
}

/** Whether messages may be read or written. Drivers have no permission of their own for them. */
export function mayMessage(action: "read" | "write"): boolean { return may(action, role.value === "DRIVER" ? "notification" : "message") }

/** How many messages are unread, for the tab of every page. */
export const unread = signal(0)
effect(() => { if (!me.value) unread.value = 0 })
