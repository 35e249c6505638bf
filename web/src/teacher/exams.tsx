// Exams of a teacher's classes: the papers whose marks the teacher enters.
import type { Row } from "../api/contract"
import { waiting } from "../api/queue"
import { may } from "../api/session"
import { Line, Screen } from "../pocket/screen"
import { useGet } from "../shell/load"
import { Badge, Card, Ready, State, type Tone } from "../ui/basics"
import { date, today } from "../words/format"
import { t } from "../words/words"
import { useDivisions, type Classes } from "./classes"
import { rules } from "./days"
import { scoresName } from "./scores"

type Paper = Row<"/teacher/exam/schedule">
type Exam = Row<"/teacher/exam/list">
type Subjects = Row<"/teacher/subject/list">[]

export default function Exams() {
  const exams = useGet("/teacher/exam/list", { limit: 50 })
  const papers = useGet("/teacher/exam/schedule", { limit: 100 })
  const subjects = useGet("/teacher/subject/list", { limit: 100 })
  const classes = useDivisions()
  const shown = [...(exams.data?.items ?? [])].sort((a, b) => order(a) - order(b) || (b.startDate ?? "").localeCompare(a.startDate ?? ""))
  return (
    <Screen title={t("Exams and marks")} back="/app/home">
      <Ready of={exams}>{() => (
        shown.length === 0 ? <State icon="cap" title={t("No exams yet")}><p>{t("The office plans them.")}</p></State>
        : <>{shown.map((e) => <One key={e.id} exam={e} papers={(papers.data?.items ?? []).filter((p) => p.examId === e.id)} mine={(p) => enters(subjects.data?.items, classes.data, p)} />)}</>
      )}</Ready>
    </Screen>
  )
}

/** Exams with marks to enter come first. */
function order(e: Exam): number { return ["COMPLETED", "ONGOING", "SCHEDULED", "PUBLISHED"].indexOf(e.status) }

/** Whether the teacher enters the marks of a paper. */
export function enters(subjects: Subjects | undefined, classes: Classes | undefined, p: Pick<Paper, "classId" | "subjectId">): boolean {
  const own = subjects?.find((s) => s.id === p.subjectId)?.classes.some((c) => c.classId === p.classId)
  const head = rules()?.classTeacherMarks && classes?.items.find((c) => c.id === p.classId)?.divisions.some((d) => d.isClassTeacher)
  return may("write", "result") && !!(own || head)
}

function One({ exam: e, papers, mine }: { exam: Exam; papers: Paper[]; mine: (p: Paper) => boolean }) {
  const words: Record<Exam["status"], [string, Tone]> = {
    DRAFT: [t("Draft"), ""], SCHEDULED: [t("Planned"), ""], ONGOING: [t("Now"), "info"], COMPLETED: [t("Marks wanted"), "warn"], PUBLISHED: [t("Published"), "good"],
  }
  const [text, tone] = words[e.status]
  return (
    <Card title={<bdi>{e.name}</bdi>} badge={<Badge tone={tone}>{text}</Badge>} flush>
      {papers.filter(mine).map((p) => (
        <Line key={p.id} href={`/app/exams/${p.examId}/${p.classId}/${p.subjectId}`} title={<bdi>{`${p.subjectName}, ${p.className}`}</bdi>} sub={when(p)}
          end={waiting.value.some((w) => w.about === scoresName(p.examId, p.classId, p.subjectId)) && <Badge tone="warn">{t("On this phone")}</Badge>} />
      ))}
      {papers.filter((p) => !mine(p)).map((p) => <div class="line" key={p.id}><span class="grow"><b><bdi>{`${p.subjectName}, ${p.className}`}</bdi></b><span>{when(p)}</span></span></div>)}
      {papers.length === 0 && <p class="pad muted">{t("No papers of your classes.")}</p>}
    </Card>
  )
}

function when(p: Paper): string {
  return [p.date === today() ? t("Today") : date(p.date), p.startTime?.slice(0, 5), p.room, t("of {n}", { n: p.maxMarks })].filter(Boolean).join(" · ")
}
