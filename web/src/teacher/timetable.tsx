// One's own timetable: a day, the week, and in other calendars.
import { useState } from "preact/hooks"
import { download, post } from "../api/client"
import { Screen } from "../pocket/screen"
import { useGet } from "../shell/load"
import { query, setQuery } from "../shell/router"
import { say, sayFault } from "../shell/toast"
import { Button, Card, Ready, Segments } from "../ui/basics"
import { addDays, date, longDate, range, shortDay, today, weekday } from "../words/format"
import { t } from "../words/words"
import { Lesson, type Period } from "./lesson"
import { markPage } from "./register"

type View = "" | "week"

export default function Timetable() {
  const view = (query.value.get("view") ?? "") as View
  const on = query.value.get("date") ?? today()
  return (
    <Screen title={view ? t("My week") : on === today() ? t("My day") : longDate(on)} sub={view ? undefined : date(on)} back="/app/home">
      <Segments label={t("View")} value={view} options={[{ value: "" as View, text: t("Day") }, { value: "week", text: t("Week") }]} onChange={(v) => setQuery({ view: v })} />
      {view ? <Week /> : <Day on={on} />}
      <Subscribe />
    </Screen>
  )
}

function Day({ on }: { on: string }) {
  const plan = useGet("/teacher/timetable/get", { date: on })
  const monday = addDays(on, 1 - weekday(on))
  const move = (d: string) => setQuery({ date: d === today() ? undefined : d })
  return (
    <>
      <div class="row"><Button kind="plain" icon="left" aria-label={t("The week before")} onClick={() => move(addDays(on, -7))} />
        <b class="grow center">{range(monday, addDays(monday, 6))}</b>
        <Button kind="plain" icon="right" aria-label={t("The week after")} onClick={() => move(addDays(on, 7))} /></div>
      <div class="days" role="group" aria-label={t("Day")}>{Array.from({ length: 7 }, (_, i) => addDays(monday, i)).map((d) => (
          <button type="button" class="btn" key={d} aria-pressed={d === on} onClick={() => move(d)}><span aria-hidden="true">{shortDay(d)}</span><b aria-hidden="true">{Number(d.slice(8))}</b><span class="sr">{longDate(d)}</span></button>
        ))}</div>
      <Card flush><Ready of={plan} rows={6}>{(p) => (
        p.periods.length === 0 ? <p class="pad muted">{p.holiday ? t("No school: {holiday}", { holiday: p.holiday }) : t("No lessons on this day.")}</p>
          : <>{p.periods.map((x) => <Lesson key={x.id} period={x} href={on <= today() ? markPage({ classId: x.classId, divisionId: x.divisionId, date: on }) : `/app/classes?of=${x.divisionId}`} />)}</>
      )}</Ready></Card>
    </>
  )
}

function Week() {
  const plan = useGet("/teacher/timetable/get")
  return (
    <Ready of={plan} rows={10}>{(p) => {
      const days = [...new Set(p.periods.map((x) => x.dayOfWeek))].sort()
      return days.length === 0 ? <p class="muted">{t("You have no lessons yet.")}</p> : <>{days.map((d) => <OneDay key={d} day={d} lessons={p.periods.filter((x) => x.dayOfWeek === d)} />)}</>
    }}</Ready>
  )
}

function OneDay({ day, lessons }: { day: number; lessons: Period[] }) {
  const monday = addDays(today(), 1 - weekday(today()))
  return <Card title={longDate(addDays(monday, day - 1)).split(/[\s,]/)[0]} flush>{lessons.map((x) => <Lesson key={x.id} period={x} href={`/app/classes?of=${x.divisionId}`} />)}</Card>
}

/** A secret address that calendar programs follow. */
function Subscribe() {
  const [url, setURL] = useState("")
  async function make() {
    try {
      setURL((await post("/teacher/timetable/calendar-link")).url)
    } catch (e) {
      sayFault(e)
    }
  }
  async function revoke() {
    try {
      await post("/teacher/timetable/calendar-link/revoke")
      setURL("")
      say(t("The link no longer works."))
    } catch (e) {
      sayFault(e)
    }
  }
  async function file() {
    try {
      const { blob, name } = await download("/teacher/timetable/calendar")
      const a = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: name })
      a.click()
      setTimeout(() => URL.revokeObjectURL(a.href), 1_000)
    } catch (e) {
      sayFault(e)
    }
  }
  return (
    <Card title={t("In your calendar")}>
      <div class="stack loose">
        <p class="muted">{t("Lessons, exams, events and holidays in the calendar of your phone. Whoever has the link can read them.")}</p>
        {url
          ? <><input class="input" readOnly aria-label={t("Calendar link")} value={url} onFocus={(e) => e.currentTarget.select()} />
            <div class="pair"><a class="btn go" href={url.replace(/^https?:/, "webcal:")}>{t("Open calendar")}</a>
              <Button onClick={() => void navigator.clipboard.writeText(url).then(() => say(t("The link is copied.")), sayFault)}>{t("Copy link")}</Button></div></>
          : <Button icon="cal" onClick={() => void make()}>{t("Make a new link")}</Button>}
        <div class="pair"><Button kind="plain" onClick={() => void file()}>{t("Download as a file")}</Button><Button kind="plain" onClick={() => void revoke()}>{t("End the link")}</Button></div>
      </div>
    </Card>
  )
}
