import type { Reply } from "../../api/contract"
import { useGet } from "../../shell/load"
import { query, setQuery } from "../../shell/router"
import { Card, Figures, Ready, State, Who } from "../../ui/basics"
import { Bars } from "../../ui/chart"
import { useClasses, useDivisions } from "../../ui/choices"
import { count, fullName, percent } from "../../words/format"
import { t } from "../../words/words"
import { ExamFrame, type Exam } from "./exam"

type Report = Reply<"/school-admin/exam/{id}/analysis", "get">
type Subject = Report["subjects"][number]

export default function Analysis({ params }: { params: Record<string, string> }) {
  return <ExamFrame id={params.id!} tab="analysis">{(exam) => <Page exam={exam} />}</ExamFrame>
}

function Page({ exam }: { exam: Exam }) {
  const classId = query.value.get("classId") ?? undefined
  const divisionId = query.value.get("divisionId") ?? undefined
  const report = useGet("/school-admin/exam/{id}/analysis", { ...(classId && { classId }), ...(divisionId && { divisionId }) }, { id: exam.id })
  const classes = useClasses(exam.academicYearId)
  const divisions = useDivisions(classId)
  const own = classes.options.filter((c) => exam.classIds.length === 0 || exam.classIds.includes(c.value))
  return (
    <>
      <div class="filters" role="search">
        <span class="chip"><label for="class">{t("Class")}</label>
          <select id="class" value={classId ?? ""} onChange={(e) => setQuery({ classId: e.currentTarget.value, divisionId: "" })}>
            <option value="">{t("all")}</option>{own.map((o) => <option key={o.value} value={o.value}>{o.text}</option>)}</select></span>
        {classId && <span class="chip"><label for="division">{t("Division")}</label>
          <select id="division" value={divisionId ?? ""} onChange={(e) => setQuery({ divisionId: e.currentTarget.value })}>
            <option value="">{t("all")}</option>{divisions.options.map((o) => <option key={o.value} value={o.value}>{o.text}</option>)}</select></span>}
      </div>
      <Ready of={report} rows={8}>{(r) => r.students === 0 ? <State icon="chart" title={t("No results yet")}><p>{t("They are here as soon as marks are entered.")}</p>
        </State> : <Body report={r} exam={exam} />}</Ready>
    </>
  )
}

function Body({ report: r, exam }: { report: Report; exam: Exam }) {
  const subjects = merged(r.subjects)
  const ranked = subjects.toSorted((a, b) => b.value - a.value)
  return (
    <>
      <Figures label={t("The exam in figures")} items={[
        { label: t("Children with results"), value: count(r.students) },
        { label: t("Average"), value: r.average === null ? "–" : percent(r.average, 100) },
        { label: t("Passed"), value: r.passRate === null ? "–" : percent(r.passRate, 100) },
        { label: t("Papers"), value: count(r.subjects.length) },
      ]} />
      <div class="cols even">
        <Card title={t("By subject")}>
          {ranked.length > 1 && <p class="small muted">{t("{best} went best, {last} was the hardest.", { best: ranked[0]!.label, last: ranked.at(-1)!.label })}</p>}
          <Bars label={t("Average by subject")} points={subjects} show={(v) => percent(v, 100)} />
        </Card>
        <Card title={t("By grade")}>
          <p class="small muted">{t("Number of children with each grade.")}</p>
          <Bars label={t("Children by grade")} points={r.grades.map((g) => ({ label: g.grade ?? t("no grade"), value: g.students }))} />
        </Card>
      </div>
      <div class="cols">
        <Papers subjects={r.subjects} />
        <Card title={t("Best results")} flush>
          <ol class="list">{r.toppers.slice(0, 10).map((x) => (
            <li key={x.studentId}><span class="num faint">{x.rank}</span>
              <span class="grow"><Who name={x.firstName ? fullName({ firstName: x.firstName, lastName: x.lastName }) : t("A former student")}
                href={`/app/exams/${exam.id}/card/${x.studentId}`} /></span>
              <b class="num">{percent(x.percent, 100)}</b></li>
          ))}</ol>
        </Card>
      </div>
    </>
  )
}

/** The average of each subject over all classes, in percent. */
function merged(subjects: Subject[]): { label: string; value: number }[] {
  const sums = new Map<string, { label: string; sum: number; many: number }>()
  for (const s of subjects) {
    if (s.average === null || s.scored === 0) continue
    const x = sums.get(s.subjectId) ?? { label: s.subjectName, sum: 0, many: 0 }
    sums.set(s.subjectId, { label: x.label, sum: x.sum + (100 * s.average * s.scored) / s.maxMarks, many: x.many + s.scored })
  }
  return [...sums.values()].map((x) => ({ label: x.label, value: Math.round((10 * x.sum) / x.many) / 10 }))
}

function Papers({ subjects }: { subjects: Subject[] }) {
  return (
    <Card title={t("By paper")} flush>
      <div class="scroll"><table>
        <thead><tr><th scope="col">{t("Paper")}</th><th scope="col" class="num">{t("Average")}</th><th scope="col" class="num hide-sm">{t("Middle")}</th><th scope="col"
          class="num hide-sm">{t("Spread")}</th>
          <th scope="col" class="num hide-sm">{t("Lowest")}</th><th scope="col" class="num hide-sm">{t("Highest")}</th><th scope="col" class="num">{t("Passed")}</th><th
            scope="col" class="num hide-sm">{t("Absent")}</th></tr></thead>
        <tbody>{subjects.map((s) => (
          <tr key={s.classId + s.subjectId}>
            <th scope="row">{s.className}, {s.subjectName}</th><td class="num strong">{s.average ?? "–"}</td><td class="num hide-sm">{s.median ?? "–"}</td><td
              class="num hide-sm">{s.deviation ?? "–"}</td>
            <td class="num hide-sm">{s.lowest ?? "–"}</td><td class="num hide-sm">{s.highest ?? "–"}</td><td
              class="num">{s.passRate === null ? "–" : percent(s.passRate, 100)}</td><td class="num hide-sm">{s.absent || "–"}</td>
          </tr>
        ))}</tbody>
      </table></div>
    </Card>
  )
}
