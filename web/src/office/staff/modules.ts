// The modules of the permission matrix, in groups, with what each is about.
import { t } from "../../words/words"

export const groups = (): { title: string; modules: string[] }[] => [
  { title: t("People"), modules: ["student", "employee", "class", "division", "subject"] },
  { title: t("School day"), modules: ["attendance", "timetable", "exam", "result", "leave", "transport"] },
  { title: t("Office"), modules: ["fee", "library", "announcement", "event", "message", "notification"] },
  { title: t("Administration"), modules: ["role", "setting", "report"] },
]

export const about = (): Record<string, [string, string]> => ({
  student: [t("Students"), t("names, guardians, health notes")], employee: [t("Staff"), t("records, salaries, sign-outs")], class: [t("Classes"), ""],
    division: [t("Divisions"), ""], subject: [t("Subjects"), t("also electives")],
  attendance: [t("Attendance"), t("teachers: of their own divisions")], timetable: [t("Timetable"), ""], exam: [t("Exams"), ""],
    result: [t("Results"), t("marks and report cards")], leave: [t("Leave"), t("teachers: of their own divisions")],
  transport: [t("Transport"), t("buses, routes, trips")], fee: [t("Fees"), t("charges, receipts, dues")], library: [t("Library"), ""], announcement: [t("Announcements"), ""],
    event: [t("Events"), t("calendar and sign-ups")],
  message: [t("Messages"), t("with parents and staff")], notification: [t("Notifications"), t("also uploading files")],
    role: [t("Roles and permissions"), t("who may do what")], setting: [t("Settings"), t("years, holidays, the school's details")],
  report: [t("Reports and audit log"), t("figures, who saw and changed")],
})
