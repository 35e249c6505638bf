// Which page shows what a notification is about, by role.
import { role } from "../api/session"
import { t } from "../words/words"
import type { IconName } from "../ui/icons"

/** What a notification is about, as the log and a push message name it. */
export interface About { type: string; recordId: string | null; studentId: string | null }

const list = "/app/notifications"
type Way = (record: string, student: string | null) => string

const news: Way = (record) => (record ? `/app/news/${record}` : "/app/news")
const messages: Way = (record) => (record ? `/app/messages/${record}` : "/app/messages") // the record is the message, which finds its conversation
const child = (page: string): Way => (_, student) => (student ? `/app/child/${student}/${page}` : "/app/school")

const ways: Record<string, Record<string, Way>> = {
  PARENT: {
    ANNOUNCEMENT: news, MESSAGE: messages, ATTENDANCE: child("attendance"), RESULT: child("results"), TIMETABLE: child("timetable"), LEAVE_REQUEST: () => "/app/leave",
    FEE: (_, student) => (student ? `/app/fees/${student}` : "/app/fees"), TRANSPORT: (_, student) => (student ? `/app/bus?child=${student}` : "/app/bus"),
    LIBRARY: () => "/app/books", CONTACT: () => "/app/contact",
  },
  TEACHER: {
    ANNOUNCEMENT: news, MESSAGE: messages, ATTENDANCE: (_, student) => (student ? `/app/children/${student}` : "/app/home"), RESULT: () => "/app/exams",
    LEAVE_REQUEST: (_, student) => (student ? "/app/leaves" : "/app/leave"), TIMETABLE: () => "/app/timetable",
  },
  DRIVER: { ANNOUNCEMENT: news, MESSAGE: messages, LEAVE_REQUEST: () => "/app/leave", TRANSPORT: () => "/app/home" }, // a trip or an incident: the day shows both
}

/** The address of the page, or of the notifications where no page shows the record. */
export function linkTo(a: About): string { return ways[role.value ?? ""]?.[a.type]?.(a.recordId ?? "", a.studentId) ?? list }

/** The types that reach this role, in words. */
export function kinds(): Record<string, { text: string; icon: IconName }> {
  const all: Record<string, { text: string; icon: IconName }> = {
    ATTENDANCE: { text: t("Attendance"), icon: "tick" }, TRANSPORT: { text: t("Bus"), icon: "bus" }, MESSAGE: { text: t("Messages"), icon: "chat" },
    ANNOUNCEMENT: { text: t("Announcements"), icon: "horn" }, FEE: { text: t("Fees"), icon: "coin" }, LEAVE_REQUEST: { text: t("Leave"), icon: "door" },
    RESULT: { text: t("Results"), icon: "cap" }, TIMETABLE: { text: t("Timetable"), icon: "cal" }, LIBRARY: { text: t("Library books"), icon: "book" },
    CONTACT: { text: t("Your contact data"), icon: "pen" },
  }
  return Object.fromEntries(Object.entries(all).filter(([type]) => ways[role.value ?? ""]?.[type]))
}
