// The pages of the office. Each is loaded when it is opened. A new page is a line in its folder's pages.ts, and one in nav if it has a place there.
import { may } from "../api/session"
import type { Space } from "../shell/app"
import { Shell } from "../shell/shell"
import { t } from "../words/words"
import { pages as students } from "./students/pages"
import { pages as guardians } from "./guardians/pages"
import { pages as staff } from "./staff/pages"
import { pages as classes } from "./classes/pages"
import { pages as imports } from "./imports/pages"
import { pages as attendance } from "./attendance/pages"
import { pages as timetable } from "./timetable/pages"
import { pages as exams } from "./exams/pages"
import { pages as leave } from "./leave/pages"
import { pages as calendar } from "./calendar/pages"
import { pages as fees } from "./fees/pages"
import { pages as library } from "./library/pages"
import { pages as announcements } from "./announcements/pages"
import { pages as messages } from "./messages/pages"
import { pages as transport } from "./transport/pages"
import { pages as settings } from "./settings/pages"
import { pages as audit } from "./audit/pages"
import { pages as setup } from "./setup/pages"

const space: Space = {
  frame: Shell,
  home: "/app/today",
  pages: [
    { path: "/app/today", load: () => import("./today/today") },
    { path: "/app/account", load: () => import("../shell/account") },
    ...students, ...guardians, ...staff, ...classes, ...imports, ...attendance, ...timetable, ...exams, ...leave,
    ...calendar, ...fees, ...library, ...announcements, ...messages, ...transport, ...settings, ...audit, ...setup,
  ],
  nav: () => [
    {
      links: [
        { href: "/app/today", text: t("Today"), icon: "sun", key: "t" },
        { href: "/app/students", text: t("Students"), icon: "people", key: "s", hidden: !may("read", "student") },
        { href: "/app/guardians", text: t("Guardians"), icon: "heart", hidden: !may("read", "student") },
        { href: "/app/classes", text: t("Classes"), icon: "home", hidden: !may("read", "class") },
        { href: "/app/staff", text: t("Staff and roles"), icon: "badge", hidden: !may("read", "employee") },
      ],
    },
    {
      title: t("School day"),
      links: [
        { href: "/app/attendance", text: t("Attendance"), icon: "tick", key: "a", hidden: !may("read", "attendance") },
        { href: "/app/timetable", text: t("Timetable"), icon: "clock", hidden: !may("read", "timetable") },
        { href: "/app/exams", text: t("Exams"), icon: "cap", hidden: !may("read", "exam") },
        { href: "/app/leave", text: t("Leave"), icon: "door", hidden: !may("read", "leave") },
        { href: "/app/calendar", text: t("Calendar"), icon: "cal", hidden: !may("read", "setting") },
        { href: "/app/transport", text: t("Transport"), icon: "bus", key: "b", hidden: !may("read", "transport") },
      ],
    },
    {
      title: t("Office"),
      links: [
        { href: "/app/fees", text: t("Fees"), icon: "coin", key: "f", hidden: !may("read", "fee") },
        { href: "/app/library", text: t("Library"), icon: "book", hidden: !may("read", "library") },
        { href: "/app/announcements", text: t("Announcements"), icon: "horn", hidden: !may("read", "announcement") },
        { href: "/app/messages", text: t("Messages"), icon: "chat", hidden: !may("read", "message") },
      ],
    },
    {
      foot: true,
      links: [
        { href: "/app/setup-school", text: t("Set up school"), icon: "flag", hidden: !may("read", "setting") },
        { href: "/app/settings", text: t("Settings"), icon: "gear", hidden: !may("read", "setting") },
        { href: "/app/audit", text: t("Audit log"), icon: "list", hidden: !may("read", "report") },
      ],
    },
  ],
}

export default space
