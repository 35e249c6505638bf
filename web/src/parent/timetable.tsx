// A child's week, and the subscription for the parent's own calendar.
import { useState } from "preact/hooks"
import { address, post } from "../api/client"
import { Screen } from "../pocket/screen"
import { useGet } from "../shell/load"
import { say, sayFault } from "../shell/toast"
import { query } from "../shell/router"
import { Button, Card, Ready, State, Tabs } from "../ui/basics"
import { saveFile } from "../ui/csv"
import { addDays, longDate, shortDay, today, weekday } from "../words/format"
import { t } from "../words/words"
import { Children } from "./children"
import { useChild } from "./family"
import { Lessons } from "./lessons"

export default function Timetable({ params }: { params: Record<string, string> }) {
  const id = params.id!
  const { day, child } = useChild(id)
  const chosen = query.value.get("date") ?? today()
  const monday = addDays(chosen, 1 - weekday(chosen))
  const week = day.data?.week.map((w, i) => ({ date: addDays(monday, i), shown: w.isSchoolDay || i < 5 })).filter((w) => w.shown) ?? []
  const plan = useGet("/parent/timetable/get", { studentId: id, date: chosen })
  return (
    <Screen title={longDate(chosen)} sub={<bdi>{child?.firstName}</bdi>} back={`/app/child/${id}`}>
      {day.data && <Children all={day.data.children} chosen={id} href={(c) => `/app/child/${c}/timetable`} />}
      <div class="row"><a class="btn plain icon" aria-label={t("Week before")} href={`?date=${addDays(chosen, -7)}`}>‹</a>
        <div class="grow"><Tabs label={t("Days")} current={chosen} items={week.map((w) => ({ key: w.date, text: shortDay(w.date), href: `?date=${w.date}` }))} /></div>
        <a class="btn plain icon" aria-label={t("Week after")} href={`?date=${addDays(chosen, 7)}`}>›</a></div>
      <Ready of={plan} rows={6}>{(p) => p.periods.length === 0
        ? <State icon="clock" title={p.holiday ? t("No school: {holiday}", { holiday: p.holiday }) : t("No lessons on this day")} />
        : <Card flush><Lessons periods={p.periods} /></Card>}</Ready>
      <Subscription student={id} />
    </Screen>
  )
}

/** A link that calendar apps follow. Whoever has it can read the lessons, so it can be ended. */
function Subscription({ student }: { student: string }) {
  const [link, setLink] = useState<string>()
  const [busy, setBusy] = useState(false)
  async function make() {
    setBusy(true)
    try {
      setLink((await post("/parent/timetable/calendar-link", { studentId: student })).url)
    } catch (e) {
      sayFault(e)
    } finally {
      setBusy(false)
    }
  }
  async function end() {
    try {
      await post("/parent/timetable/calendar-link/revoke", { studentId: student })
      setLink(undefined)
      say(t("The link has ended. Calendars that follow it get nothing more."))
    } catch (e) {
      sayFault(e)
    }
  }
  async function copy() {
    try {
      await navigator.clipboard.writeText(link!)
      say(t("Copied."))
    } catch (e) {
      sayFault(e)
    }
  }
  return (
    <Card title={t("In your own calendar")}>
      <div class="stack">
        <p>{t("A link keeps the calendar of your phone up to date. Whoever has the link can read the lessons.")}</p>
        {link ? (
          <>
            <input class="input" readOnly value={link} aria-label={t("Link for your calendar")} onFocus={(e) => e.currentTarget.select()} />
            <div class="pair"><Button icon="clip" onClick={() => void copy()}>{t("Copy|to the clipboard")}</Button>
              <a class="btn go" href={link.replace(/^https?:/, "webcal:")}>{t("Open in the calendar")}</a></div>
          </>
        ) : <Button kind="go" icon="cal" busy={busy} onClick={() => void make()}>{t("Make a link")}</Button>}
        <div class="pair">
          <Button icon="save" onClick={() => void saveFile(address("/parent/timetable/calendar", {}, { studentId: student }))}>{t("Save as a file")}</Button>
          <Button onClick={() => void end()}>{t("End the link")}</Button>
        </div>
        <p class="help">{t("A new link ends the one before.")}</p>
      </div>
    </Card>
  )
}
