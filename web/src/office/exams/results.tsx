import type { Row } from "../../api/contract"
import { query } from "../../shell/router"
import { Badge, Who } from "../../ui/basics"
import { useClasses, useDivisions, useSubjects } from "../../ui/choices"
import { List, type Column } from "../../ui/list"
import { fullName, percent } from "../../words/format"
import { t } from "../../words/words"
import { ExamFrame, type Exam } from "./exam"

type Result = Row<"/school-admin/exam/result/list">

const nameOf = (r: Result) => (r.firstName ? fullName({ firstName: r.firstName, lastName: r.lastName }) : t("A former student"))
const outcomes = () => [{ value: "SCORED", text: t("has marks") }, { value: "ABSENT", text: t("absent") }, { value: "EXEMPT", text: t("exempt") }]

const columns = (examId: string): Column<Result>[] => [
  { key: "name", label: t("Name"), sort: "firstName", text: nameOf, cell: (r) => <Who name={nameOf(r)} href={`/app/exams/${examId}/card/${r.studentId}`} /> },
  { key: "roll", label: t("Roll"), sort: "rollNo", num: true, text: (r) => r.rollNo, cell: (r) => r.rollNo, hide: "sm" },
  { key: "subject", label: t("Subject"), sort: "subjectName", text: (r) => r.subjectName, cell: (r) => r.subjectName },
  { key: "marks", label: t("Marks"), sort: "marks", num: true, text: (r) => r.marks ?? outcomes().find((o) => o.value === r.outcome)?.text,
    cell: (r) => (r.marks === null ? <span class="muted">{outcomes().find((o) => o.value === r.outcome)?.text}</span> : <span
      class={r.passed === false ? "bad strong" : ""}>{t("{part} of {whole}", { part: r.marks, whole: r.maxMarks })}</span>) },
  { key: "percent", label: t("Percent"), num: true, text: (r) => r.percent, cell: (r) => r.percent !== null && percent(r.percent, 100), hide: "sm" },
  { key: "grade", label: t("Grade"), text: (r) => r.grade, cell: (r) => r.grade },
  { key: "passed", label: t("Passed"), text: (r) => (r.passed === null ? "" : r.passed ? t("passed") : t("not passed")), cell: (r) => r.passed === false && <Badge
    tone="bad">{t("not passed")}</Badge>, hide: "sm" },
  { key: "remark", label: t("Remark"), text: (r) => r.remark, cell: (r) => r.remark && <span class="one">{r.remark}</span>, hide: "md" },
]

export default function Results({ params }: { params: Record<string, string> }) {
  return <ExamFrame id={params.id!} tab="results">{(exam) => <ResultList exam={exam} />}</ExamFrame>
}

function ResultList({ exam }: { exam: Exam }) {
  const classes = useClasses(exam.academicYearId)
  const divisions = useDivisions(query.value.get("classId"))
  const subjects = useSubjects()
  return (
    <List path="/school-admin/exam/result/list" name={`results ${exam.name}`} columns={columns(exam.id)} fixed={{ examId: exam.id }}
      open={(r) => `/app/exams/${exam.id}/card/${r.studentId}`}
      filters={[
        { name: "classId", label: t("Class"), options: classes.options }, { name: "divisionId", label: t("Division"), options: divisions.options },
        { name: "subjectId", label: t("Subject"), options: subjects.options }, { name: "outcome", label: t("Outcome"), options: outcomes() },
      ]}
      empty={{ icon: "cap", title: t("No results yet"), text: t("They are here as soon as marks are entered.") }} />
  )
}
