// A child's exams: what is ahead, and the results with their report cards.
import type { Reply } from "../api/contract"
import { address } from "../api/client"
import { Screen } from "../pocket/screen"
import { useGet } from "../shell/load"
import { Badge, Button, Card, Ready, State } from "../ui/basics"
import { saveFile } from "../ui/csv"
import { date, longDate, percent, today } from "../words/format"
import { t } from "../words/words"
import { Children } from "./children"
import { useChild } from "./family"
import { clock } from "./state"

type Achieved = Reply<"/parent/exam/result", "get">["items"][number]

export default function Results({ params }: { params: Record<string, string> }) {
  const id = params.id!
  const { day, child } = useChild(id)
  const results = useGet("/parent/exam/result", { studentId: id, limit: 50 })
  const papers = useGet("/parent/exam/schedule", { studentId: id, from: today(), limit: 100 })
  const both = papers.data || papers.fault ? results : { ...results, data: undefined } // at once, so that nothing moves
  const latest = both.data?.items[0]
  return (
    <Screen title={latest?.total.percent != null ? t("{percent} in {exam}", { percent: percent(latest.total.percent, 100), exam: latest.exam.name })
      : t("Exams and results")} sub={<bdi>{child?.firstName}</bdi>} back={`/app/child/${id}`}>
      {day.data && <Children all={day.data.children} chosen={id} href={(c) => `/app/child/${c}/results`} />}
      {both.data && papers.data && papers.data.items.length > 0 && (
        <Card title={t("Ahead")} flush>
          <ul class="list">{papers.data.items.map((p) => (
            <li key={p.id}><div class="grow"><b><bdi>{p.subjectName}</bdi></b><p>
              <bdi>{[p.examName, longDate(p.date), p.startTime && clock(p.startTime), p.room].filter(Boolean).join(", ")}</bdi></p></div></li>
          ))}</ul>
        </Card>
      )}
      <Ready of={both} rows={6}>{(r) => r.items.length === 0
        ? <State icon="cap" title={t("No results yet")}><p>{t("They appear here when the school publishes them.")}</p></State>
        : <>{r.items.map((a) => <Exam key={a.exam.id} of={a} student={id} />)}</>}</Ready>
    </Screen>
  )
}

function Exam({ of, student }: { of: Achieved; student: string }) {
  const { exam, total, subjects } = of
  return (
    <Card title={<bdi>{exam.name}</bdi>} badge={total.passed === false ? <Badge tone="bad">{t("not passed")}</Badge> : total.grade
      ? <Badge tone="good">{total.grade}</Badge> : undefined} action={<span class="faint small">{date(exam.publishedAt)}</span>} flush>
      <ul class="list">{subjects.map((s) => (
        <li key={s.subjectId}><div class="grow"><b><bdi>{s.subjectName}</bdi></b>{s.remark && <p><bdi class="lines">{s.remark}</bdi></p>}</div>
          <span class={`num end ${s.passed === false ? "bad" : ""}`}>{s.outcome === "ABSENT" ? t("absent") : s.outcome === "EXEMPT" ? t("exempt") : s.marks === null ? "–"
            : <><b>{s.marks}</b> <span class="faint">/ {s.maxMarks}</span></>}</span>
          {s.grade && <Badge>{s.grade}</Badge>}</li>
      ))}
        <li><div class="grow"><b>{t("Together")}</b>{total.rankInDivision && <p>{t("Place {rank} of {size} in the division", { rank: total.rankInDivision,
          size: total.divisionSize })}</p>}</div>
          <span class="num end"><b>{total.marks}</b> <span class="faint">/ {total.maxMarks}</span></span></li>
      </ul>
      <div class="in"><Button icon="save" onClick={() => void saveFile(address("/parent/exam/report-card", {}, { studentId: student, examId: exam.id,
        format: "pdf" }))}>{t("Report card as PDF")}</Button></div>
    </Card>
  )
}
