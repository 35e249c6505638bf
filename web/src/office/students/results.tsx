// Marks of an exam as bars; the line is the average of the class.
import { useGet } from "../../shell/load"
import { may } from "../../api/session"
import { address, download } from "../../api/client"
import { sayFault } from "../../shell/toast"
import { Badge, Button, Card, State } from "../../ui/basics"
import { saveBlob } from "../../ui/csv"
import { date } from "../../words/format"
import { t } from "../../words/words"
import type { Exam, Student } from "./sections"

export function ResultsCard({ exam, student }: { exam: Exam; student: Student }) {
  const analysis = useGet(may("read", "result") && student.classId ? "/school-admin/exam/{id}/analysis" : null, { classId: student.classId! }, { id: exam.exam.id })
  const average = (subject: string) => {
    const s = analysis.data?.subjects.find((x) => x.subjectId === subject && x.classId === student.classId)
    return s?.average == null ? undefined : (s.average / s.maxMarks) * 100
  }
  return (
    <Card title={exam.exam.name} badge={exam.exam.status !== "PUBLISHED" && <Badge tone="warn">{t("not published")}</Badge>}
      action={<Button kind="plain" size="sm" icon="save" onClick={() => void reportCard(student.id, exam.exam.id)}>{t("Report card")}</Button>}>
      <p class="small">{said(exam)}</p>
      <MarksChart exam={exam} average={average} />
    </Card>
  )
}

function said({ total }: Exam): string {
  if (total.percent === null) return t("There are no marks yet.")
  const rank = total.rankInDivision ? t("{rank} of {size} in the division", { rank: total.rankInDivision, size: total.divisionSize }) : ""
  return [t("{percent} on average", { percent: total.percent }), total.grade, rank].filter(Boolean).join(", ") + ". " + t("The line is the average of the class.")
}

async function reportCard(studentId: string, examId: string): Promise<void> {
  try {
    const file = await download(address("/school-admin/exam/report-card/{studentId}", { studentId }, { examId, format: "pdf" }))
    saveBlob(file.blob, file.name)
  } catch (e) {
    sayFault(e)
  }
}

const row = 30

function MarksChart({ exam, average }: { exam: Exam; average: (subjectId: string) => number | undefined }) {
  const label = exam.subjects.map((s) => `${s.subjectName} ${s.marks ?? "–"}`).join(", ")
  const x = (v: number) => 110 + (v / 100) * 200
  return (
    <svg class="chart" viewBox={`0 0 360 ${exam.subjects.length * row}`} role="img" aria-label={`${exam.exam.name}: ${label}`}>
      {exam.subjects.map((s, i) => {
        const mean = average(s.subjectId)
        return (
          <g key={s.subjectId} transform={`translate(0 ${i * row})`}>
            <text x="0" y="19">{s.subjectName.length > 17 ? `${s.subjectName.slice(0, 16)}…` : s.subjectName}</text>
            <rect class="X" x="110" y="8" width="200" height="14" rx="3" />
            {s.percent !== null && <rect class={s.passed === false ? "A" : "c1"} x="110" y="8" width={Math.max(2, s.percent * 2)} height="14" rx="3" />}
            {mean !== undefined && <path class="mean" d={`M${x(mean)} 4v22`} />}
            <text class="value" x="356" y="19" text-anchor="end">{s.marks ?? (s.outcome === "ABSENT" ? t("absent") : "–")}</text>
          </g>
        )
      })}
    </svg>
  )
}

export function ResultsTab({ results, student }: { results: Exam[]; student: Student }) {
  if (results.length === 0) return <State icon="cap" title={t("No marks yet")}><p>{t("They appear here when an exam has marks.")}</p></State>
  return (
    <div class="stack far">{results.map((r) => (
      <div class="cols even" key={r.exam.id}>
        <ResultsCard exam={r} student={student} />
        <Card title={t("Marks")} badge={r.exam.startDate && <span class="faint small">{date(r.exam.startDate)}</span>} flush>
          <div class="scroll" tabIndex={0}><table>
            <thead><tr><th scope="col">{t("Subject")}</th><th scope="col" class="num">{t("Marks")}</th><th scope="col" class="num">{t("Of")}</th><th scope="col">
              {t("Grade")}</th><th scope="col">{t("Remark")}</th></tr></thead>
            <tbody>{r.subjects.map((s) => (
              <tr key={s.subjectId}><th scope="row">{s.subjectName}</th><td class="num">{s.marks ?? "–"}</td><td class="num faint">{s.maxMarks}</td>
                <td>{s.passed === false ? <Badge tone="bad">{s.grade ?? t("not passed")}</Badge> : (s.grade ?? "–")}</td><td class="muted">{s.remark ?? ""}</td></tr>
            ))}</tbody>
            <tfoot><tr><th scope="row">{t("Total")}</th><td class="num">{r.total.marks}</td><td class="num">{r.total.maxMarks}</td><td>{r.total.grade ?? "–"}</td>
              <td /></tr></tfoot>
          </table></div>
        </Card>
      </div>
    ))}</div>
  )
}
