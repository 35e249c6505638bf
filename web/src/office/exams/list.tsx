import { useState } from "preact/hooks"
import type { Row } from "../../api/contract"
import { may } from "../../api/session"
import { useKey } from "../../shell/keys"
import { Button, Head, LinkButton } from "../../ui/basics"
import { useClasses, yearOptions } from "../../ui/choices"
import { List, type Column } from "../../ui/list"
import { range } from "../../words/format"
import { n, t } from "../../words/words"
import { ExamDialog, StateBadge, states, types } from "./exam"

type Exam = Row<"/school-admin/exam/list">

const columns = (): Column<Exam>[] => [
  { key: "name", label: t("Exam"), sort: "name", text: (x) => x.name, cell: (x) => <a class="strongish" href={`/app/exams/${x.id}`}><bdi>{x.name}</bdi></a> },
  { key: "type", label: t("Kind"), text: (x) => kind(x), cell: (x) => <span class="muted">{kind(x)}</span>, hide: "md" },
  { key: "dates", label: t("Days"), sort: "startDate", text: (x) => x.startDate, cell: (x) => x.startDate && <span
    class="nowrap">{range(x.startDate, x.endDate ?? x.startDate)}</span> },
  { key: "classes", label: t("Classes"), text: (x) => x.classes.map((c) => c.name).join(", "), hide: "md",
    cell: (x) => <span class="one">{x.classes.length > 3 ? n(x.classes.length, "{n} class", "{n} classes") : x.classes.map((c) => c.name).join(", ")}</span> },
  { key: "papers", label: t("Papers"), num: true, text: (x) => x.papers, cell: (x) => x.papers || "–", hide: "sm" },
  { key: "marks", label: t("Marks"), num: true, text: (x) => `${x.marksEntered} / ${x.marksExpected}`, cell: (x) => <Progress exam={x} />, hide: "sm" },
  { key: "status", label: t("Status"), text: (x) => states().find((s) => s.value === x.status)?.text, cell: (x) => <StateBadge status={x.status} /> },
]

function kind(x: Exam): string { return types().find((k) => k.value === x.type)?.text ?? "" }

function Progress({ exam: x }: { exam: Exam }) {
  if (x.marksExpected === 0) return <>–</>
  return <span class="nowrap"><progress class="tiny" max={x.marksExpected} value={x.marksEntered} aria-hidden="true" /> {t("{part} of {whole}",
    { part: x.marksEntered, whole: x.marksExpected })}</span>
}

export default function Exams() {
  const [creating, setCreating] = useState(false)
  const classes = useClasses()
  const writes = may("write", "exam")
  useKey("n", t("New exam"), () => { if (writes) setCreating(true) })
  return (
    <>
      <Head title={t("Exams")}>
        <LinkButton href="/app/exams/grades" icon="list">{t("Grades")}</LinkButton>
        {writes && <Button kind="go" icon="plus" hint="N" onClick={() => setCreating(true)}>{t("New exam")}</Button>}
      </Head>
      <List path="/school-admin/exam/list" name="exams" search={t("Name of the exam")} columns={columns()} open={(x) => `/app/exams/${x.id}`}
        filters={[
          { name: "status", label: t("Status"), options: states() }, { name: "classId", label: t("Class"), options: classes.options },
          { name: "academicYearId", label: t("Year"), options: yearOptions() },
        ]}
        empty={{ icon: "cap", title: t("No exams yet"), text: t("Create one, plan its papers, enter marks and publish."),
          action: writes && <Button kind="go" onClick={() => setCreating(true)}>{t("New exam")}</Button> }} />
      {creating && <ExamDialog onClose={() => setCreating(false)} />}
    </>
  )
}
