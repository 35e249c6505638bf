import type { Reply } from "../../api/contract"
import { useGet } from "../../shell/load"
import { Badge, Card, Head, Icon, LinkButton, Ready } from "../../ui/basics"
import { n, t } from "../../words/words"

type Step = Reply<"/school-admin/dashboard/setup", "get">["steps"][number]

const steps = (): Record<Step["step"], { text: string; help: string; href: string }> => ({
  DETAILS: { text: t("Name, address and phone"), help: t("Letters and receipts show them."), href: "/app/settings" },
  LOGO: { text: t("Logo and colour"), help: t("The app and e-mails take the school's look."), href: "/app/settings" },
  ACADEMIC_YEAR: { text: t("Academic year"), help: t("Everything belongs to a year."), href: "/app/calendar/years" },
  HOLIDAYS: { text: t("Holidays"), help: t("Days without attendance and buses."), href: "/app/calendar" },
  CLASSES: { text: t("Classes"), help: t("Grade 1, Grade 2 …"), href: "/app/classes" },
  DIVISIONS: { text: t("Divisions"), help: t("A, B … of each class."), href: "/app/classes" },
  SUBJECTS: { text: t("Subjects"), help: t("For timetable and exams."), href: "/app/classes/subjects" },
  EMPLOYEES: { text: t("Staff"), help: t("Import a list, or add people one by one."), href: "/app/import/employees" },
  CLASS_TEACHERS: { text: t("Class teachers"), help: t("They mark attendance."), href: "/app/staff" },
  STUDENTS: { text: t("Students and guardians"), help: t("Import a list with faults shown beside the rows."), href: "/app/import/students" },
  TIMETABLE: { text: t("Timetable"), help: t("Lessons, rooms and teachers."), href: "/app/timetable" },
  FEES: { text: t("Fees"), help: t("What is charged, and when."), href: "/app/fees/structures" },
  GRADES: { text: t("Grades"), help: t("How marks become grades."), href: "/app/exams/grades" },
  TRANSPORT: { text: t("Buses and routes"), help: t("Stops, riders and drivers."), href: "/app/transport/routes" },
  MESSAGES: { text: t("SMS, e-mail and push"), help: t("Send yourself a test message."), href: "/app/settings?part=messages" },
  LIBRARY: { text: t("Library"), help: t("Books and lending rules."), href: "/app/library/books" },
})

export default function Setup() {
  const loaded = useGet("/school-admin/dashboard/setup")
  return (
    <Ready of={loaded}>{(s) => {
      const open = s.steps.filter((x) => !x.done && !x.optional).length
      return (
        <>
          <Head title={open ? n(open, "One step is missing", "{n} steps are missing") : t("The school is set up")} sub={t("{done} of {all} steps are done.", { done: s.steps.filter((x) => x.done).length, all: s.steps.length })} />
          <progress value={s.steps.filter((x) => x.done).length} max={s.steps.length} aria-label={t("Steps that are done")} />
          <Card flush><ol class="list">{s.steps.map((x) => <StepRow key={x.step} step={x} />)}</ol></Card>
        </>
      )
    }}</Ready>
  )
}

function StepRow({ step }: { step: Step }) {
  const about = steps()[step.step]
  return (
    <li>
      <span class={step.done ? "disc good" : "disc"}><Icon name={step.done ? "check" : "flag"} /></span>
      <div class="grow"><b>{about.text}</b> {step.optional && !step.done && <Badge>{t("optional")}</Badge>}<p>{step.missing > 0 ? n(step.missing, "{n} is missing.", "{n} are missing.") : about.help}</p></div>
      {step.count > 0 && <span class="muted small">{step.count}</span>}
      <LinkButton size="sm" href={about.href}>{step.done ? t("Look") : t("Do it")}</LinkButton>
    </li>
  )
}
