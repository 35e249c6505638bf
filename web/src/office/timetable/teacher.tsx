import { query, setQuery } from "../../shell/router"
import { Head, LinkButton, Ready, State } from "../../ui/basics"
import { useEmployees } from "../../ui/choices"
import { n, t } from "../../words/words"
import { WeekGrid } from "./grid"
import { useTeacherWeek } from "./weeks"

export default function TeacherWeek() {
  const teachers = useEmployees({ type: "TEACHER" })
  const id = query.value.get("teacherId") ?? teachers.options[0]?.value
  const week = useTeacherWeek(id)
  const lessons = week.data?.periods ?? []
  const name = teachers.options.find((o) => o.value === id)?.text
  return (
    <>
      <Head title={<bdi>{name ?? t("A teacher’s week")}</bdi>} sub={week.data && n(lessons.length, "{n} lesson a week", "{n} lessons a week")}>
        <select class="input picker" aria-label={t("Teacher")} value={id} onChange={(e) => setQuery({ teacherId: e.currentTarget.value })}>
          {teachers.options.map((o) => <option key={o.value} value={o.value}>{o.text}</option>)}
        </select>
        <LinkButton href="/app/timetable" icon="cal">{t("Divisions")}</LinkButton>
        <LinkButton href="/app/timetable/cover" icon="swap">{t("Cover")}</LinkButton>
      </Head>
      <Ready of={week} rows={8}>{() => lessons.length === 0 ? <State icon="cal" title={t("No lessons in the week")} />
        : <WeekGrid label={t("Week of {name}", { name: name ?? "" })} lessons={lessons}
          says={(l) => ({ title: l.subjectName, lines: [`${l.className} ${l.divisionName}`, l.room] })} />}</Ready>
    </>
  )
}
