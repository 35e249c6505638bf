import type { Reply } from "../../api/contract"
import { address, download } from "../../api/client"
import { useGet } from "../../shell/load"
import { sayFault } from "../../shell/toast"
import { Badge, Button, Facts, Head, LinkButton, Ready } from "../../ui/basics"
import { saveBlob } from "../../ui/csv"
import { date, percent, range } from "../../words/format"
import { t } from "../../words/words"

type ReportCard = Reply<"/school-admin/exam/report-card/{studentId}", "get">

export default function CardPage({ params }: { params: Record<string, string> }) {
  const { id = "", studentId = "" } = params
  const card = useGet("/school-admin/exam/report-card/{studentId}", { examId: id }, { studentId })
  const pdf = () => { download(address("/school-admin/exam/report-card/{studentId}", { studentId },
    { examId: id, format: "pdf" })).then((f) => saveBlob(f.blob, f.name), sayFault) }
  return (
    <Ready of={card} rows={8}>{(c) => (
      <>
        <Head title={<bdi>{c.student.firstName ? `${c.student.firstName} ${c.student.lastName ?? ""}` : t("A former student")}</bdi>}
          sub={<>{c.exam?.name} {c.exam && c.exam.status !== "PUBLISHED" && <Badge tone="warn">{t("provisional")}</Badge>}</>}>
          <LinkButton href={`/app/exams/${id}/results`} icon="back">{t("All results")}</LinkButton>
          <LinkButton href={`/app/students/${studentId}`} icon="person">{t("Profile")}</LinkButton>
          <Button kind="go" icon="save" onClick={pdf}>{t("Download as PDF")}</Button>
        </Head>
        <Body card={c} />
      </>
    )}</Ready>
  )
}

function Body({ card: c }: { card: ReportCard }) {
  const word = { ABSENT: t("absent"), EXEMPT: t("exempt"), PENDING: "–", SCORED: "–" }
  return (
    <article class="reportcard">
      <header class="row wrap top"><div class="grow"><h2>{c.school.name}</h2><p class="muted small">{c.school.address}</p></div>
        <Facts items={[
          [t("Class"), `${c.student.className} ${c.student.divisionName ?? ""}`], [t("Roll"), c.student.rollNo],
          [t("Admission"), c.student.admissionNo], [t("Born"), c.student.dateOfBirth && date(c.student.dateOfBirth)]]} />
      </header>
      {c.exam && <p class="strong">{c.exam.name}, {c.exam.academicYearName}{c.exam.startDate && <span
        class="muted"> · {range(c.exam.startDate, c.exam.endDate ?? c.exam.startDate)}</span>}</p>}
      <div class="scroll" tabIndex={0} role="region" aria-label={t("Results")}><table>
        <thead><tr><th scope="col">{t("Subject")}</th><th scope="col" class="num">{t("Marks")}</th><th scope="col" class="num">{t("Out of")}</th><th scope="col"
          class="num">{t("Percent")}</th><th scope="col">{t("Grade")}</th><th scope="col" class="hide-sm">{t("Remark")}</th></tr></thead>
        <tbody>{c.subjects.map((s) => (
          <tr key={s.subjectId}>
            <th scope="row">{s.subjectName}{s.components.length > 0 && <span
              class="faint small block">{s.components.map((x) => `${x.name} ${x.marks ?? "–"}/${x.maxMarks}`).join(" · ")}</span>}</th>
            <td class={s.passed === false ? "num bad strong" : "num"}>{s.marks ?? word[s.outcome]}</td><td class="num">{s.maxMarks}</td><td
              class="num">{s.percent === null ? "–" : percent(s.percent, 100)}</td><td>{s.grade ?? "–"}</td><td class="hide-sm">{s.remark ?? "–"}</td>
          </tr>
        ))}</tbody>
        <tfoot><tr><th scope="row">{t("Together")}</th><td class="num">{c.total.marks}</td><td class="num">{c.total.maxMarks}</td><td
          class="num">{c.total.percent === null ? "–" : percent(c.total.percent, 100)}</td><td>{c.total.grade ?? "–"}</td><td class="hide-sm" /></tr></tfoot>
      </table></div>
      <Facts start items={[
        [t("Result"), c.total.passed === null ? "–" : c.total.passed ? t("passed") : t("not passed")],
        [t("Place in the division"), c.total.rankInDivision && t("{part} of {whole}", { part: c.total.rankInDivision, whole: c.total.divisionSize })],
        [t("Place in the class"), c.total.rankInClass && t("{part} of {whole}", { part: c.total.rankInClass, whole: c.total.classSize })],
        [t("At school"), c.attendance?.percent != null && t("{percent}, {part} of {whole} days",
          { percent: percent(c.attendance.percent, 100), part: c.attendance.presentDays, whole: c.attendance.schoolDays })],
      ]} />
    </article>
  )
}
