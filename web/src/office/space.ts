// The pages of the office. Each is loaded when it is opened. A new page is a line here, and one in nav if it has a place there.
import { may } from "../api/session"
import type { Space } from "../shell/app"
import { t } from "../words/words"

const space: Space = {
  home: "/app/today",
  pages: [
    { path: "/app/today", load: () => import("./today/today") },
    { path: "/app/students", load: () => import("./students/list") },
    { path: "/app/account", load: () => import("../shell/account") },
  ],
  nav: () => [
    {
      links: [
        { href: "/app/today", text: t("Today"), icon: "sun", key: "t" },
        { href: "/app/students", text: t("Students"), icon: "people", key: "s", hidden: !may("read", "student") },
        { href: "/app/guardians", text: t("Guardians"), icon: "heart", hidden: !may("read", "student") },
        { href: "/app/staff", text: t("Staff and roles"), icon: "badge", hidden: !may("read", "employee") },
      ],
    },
    {
      title: t("School day"),
      links: [
        { href: "/app/attendance", text: t("Attendance"), icon: "tick", key: "a", hidden: !may("read", "attendance") },
        { href: "/app/timetable", text: t("Timetable"), icon: "cal", hidden: !may("read", "timetable") },
        { href: "/app/exams", text: t("Exams"), icon: "cap", hidden: !may("read", "exam") },
        { href: "/app/leave", text: t("Leave"), icon: "door", hidden: !may("read", "leave") },
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
