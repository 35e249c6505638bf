import { useGet } from "../../shell/load"
import { go, query, setQuery } from "../../shell/router"
import { may } from "../../api/session"
import { Button, Head, Segments } from "../../ui/basics"
import { useDivisions } from "../../ui/choices"
import { longDate, month as monthName } from "../../words/format"
import { t } from "../../words/words"
import { chosenDay, DayChooser } from "./days"
import { MonthGrid } from "./month"
import { Register } from "./register"

export default function Division({ params }: { params: Record<string, string> }) {
  const { classId = "", divisionId = "" } = params
  const divisions = useDivisions()
  const own = divisions.items.find((d) => d.id === divisionId)
  const date = chosenDay()
  const monthly = query.value.get("view") === "month"
  const switchTo = (id: string) => {
    const next = divisions.items.find((d) => d.id === id)
    if (next) go(`/app/attendance/${next.classId}/${next.id}${location.search}`)
  }
  return (
    <>
      <Head title={own ? `${own.className} ${own.name}` : t("Attendance")}
        sub={<>{monthly ? monthName(date) : longDate(date)}{own?.classTeacherName && <> · <bdi>{own.classTeacherName}</bdi></>}</>}>
        <select class="input picker" aria-label={t("Another division")} value={divisionId} onChange={(e) => switchTo(e.currentTarget.value)}>
          {divisions.items.map((d) => <option key={d.id} value={d.id}>{d.className} {d.name}</option>)}
        </select>
        <Button icon="print" onClick={() => print()}>{t("Print")}</Button>
      </Head>
      <div class="row wrap wide">
        {monthly ? <MonthChooser date={date} /> : <DayChooser />}
        {!monthly && may("read", "timetable") && <Lesson classId={classId} divisionId={divisionId} date={date} />}
        <span class="push" />
        <Segments label={t("View")} value={monthly ? "month" : "day"} options={[{ value: "day", text: t("Day") }, { value: "month", text: t("Month") }]}
          onChange={(v) => setQuery({ view: v === "day" ? "" : v, period: "" })} />
      </div>
      {monthly ? <MonthGrid key={divisionId} classId={classId} divisionId={divisionId} month={date.slice(0, 7)} />
        : <Register key={divisionId} classId={classId} divisionId={divisionId} date={date} periodNo={Number(query.value.get("period")) || undefined}
          name={own ? `${own.className} ${own.name}` : ""} />}
    </>
  )
}

function MonthChooser({ date }: { date: string }) {
  const step = (by: number) => {
    const d = new Date(date.slice(0, 7) + "-01")
    d.setUTCMonth(d.getUTCMonth() + by)
    setQuery({ date: d.toISOString().slice(0, 10) })
  }
  return (
    <span class="row">
      <span class="group"><Button icon="left" aria-label={t("The month before")} onClick={() => step(-1)} /><Button icon="right" aria-label={t("The month after")}
        onClick={() => step(1)} /></span>
      <input class="input pickdate" type="month" aria-label={t("Month")} value={date.slice(0, 7)}
        onChange={(e) => { if (e.currentTarget.value) setQuery({ date: `${e.currentTarget.value}-01` }) }} />
    </span>
  )
}

/** The whole day, or one lesson of it in addition. */
function Lesson({ classId, divisionId, date }: { classId: string; divisionId: string; date: string }) {
  const week = useGet("/school-admin/timetable", { classId, divisionId, date })
  const lessons = week.data?.periods ?? []
  if (lessons.length === 0) return null
  return (
    <select class="input picker" aria-label={t("Whole day or one lesson")} value={query.value.get("period") ?? ""} onChange={(e) => setQuery({ period: e.currentTarget.value })}>
      <option value="">{t("Whole day")}</option>
      {lessons.map((p) => <option key={p.periodNo} value={String(p.periodNo)}>{p.startTime.slice(0, 5)} {p.subjectName}</option>)}
    </select>
  )
}
