// A child's month: a calendar of marks, with the words below it.
import { Screen } from "../pocket/screen"
import { useGet } from "../shell/load"
import { query, setQuery } from "../shell/router"
import { inWords, letter } from "../office/attendance/marks"
import type { Row } from "../api/contract"
import { Button, Card, Ready } from "../ui/basics"
import { addDays, date, longDate, month, percent, shortDay, today, weekday } from "../words/format"
import { n, t } from "../words/words"
import { Children } from "./children"
import { useChild } from "./family"

type Mark = Row<"/parent/attendance/list">

export default function Attendance({ params }: { params: Record<string, string> }) {
  const id = params.id!
  const { day, child } = useChild(id)
  const chosen = query.value.get("month") ?? today().slice(0, 7)
  const marks = useGet("/parent/attendance/list", { studentId: id, month: chosen, limit: 100 })
  const sum = useGet("/parent/attendance/summary", { studentId: id })
  const move = (by: number) => setQuery({ month: addDays(`${chosen}-15`, by * 30).slice(0, 7) })
  const totals = sum.data?.totals
  return (
    <Screen title={totals?.percentage != null ? t("{percent} present this year", { percent: percent(totals.percentage, 100) }) : t("Attendance")}
      sub={<bdi>{child?.firstName}</bdi>} back={`/app/child/${id}`}>
      {day.data && <Children all={day.data.children} chosen={id} href={(c) => `/app/child/${c}/attendance`} />}
      <Card>
        <div class="row monthbar">
          <Button kind="plain" icon="left" aria-label={t("Month before")} onClick={() => move(-1)} />
          <h2 class="grow">{month(chosen)}</h2>
          <Button kind="plain" icon="right" aria-label={t("Month after")} disabled={chosen >= today().slice(0, 7)} onClick={() => move(1)} />
        </div>
        <Ready of={marks} rows={7}>{(m) => <Month chosen={chosen} marks={m.items.filter((x) => !x.periodNo)} />}</Ready>
      </Card>
      {totals && <p class="muted">{[totals.absent && n(totals.absent, "{n} day absent", "{n} days absent"),
        totals.late && n(totals.late, "{n} time late", "{n} times late"), totals.leave && n(totals.leave, "{n} day of leave", "{n} days of leave")].filter(Boolean).join(" · ")}</p>}
      <Ready of={marks} rows={2}>{(m) => <Special marks={m.items.filter((x) => x.status && x.status !== "PRESENT" && x.status !== "HOLIDAY")} />}</Ready>
    </Screen>
  )
}

function Month({ chosen, marks }: { chosen: string; marks: Mark[] }) {
  const first = `${chosen}-01`
  const days: string[] = []
  for (let d = first; d.startsWith(chosen); d = addDays(d, 1)) days.push(d)
  const head = Array.from({ length: 7 }, (_, i) => addDays("2024-01-01", i)) // a Monday
  const weeks: (string | null)[][] = []
  const cells = [...Array.from({ length: weekday(first) - 1 }, () => null), ...days]
  for (let i = 0; i < cells.length; i += 7) weeks.push(Array.from({ length: 7 }, (_, j) => cells[i + j] ?? null))
  return (
    <table class="cal" aria-label={month(chosen)}>
      <thead><tr>{head.map((d) => <th key={d} scope="col">{shortDay(d)}</th>)}</tr></thead>
      <tbody>{weeks.map((w, i) => (
        <tr key={i}>{w.map((d, j) => {
          if (!d) return <td key={j} />
          const mark = marks.find((x) => x.date === d)
          const sign = mark ? letter(mark) : ""
          return (
            <td key={j}><span class={`m ${sign || "N"} ${d === today() ? "now" : ""}`}>
              <span aria-hidden="true">{Number(d.slice(8))}{sign && !"PX".includes(sign) && <b>{sign}</b>}</span>
              <span class="sr">{`${date(d)}: ${inWords(mark ?? null)}`}</span></span></td>
          )
        })}</tr>
      ))}</tbody>
    </table>
  )
}

/** Days that were not as usual, in words. */
function Special({ marks }: { marks: Mark[] }) {
  if (marks.length === 0) return null
  return (
    <Card title={t("Not as usual")} flush>
      <ul class="list">{marks.map((m) => (
        <li key={m.id}><div class="grow"><b>{longDate(m.date)}</b>
          <p>{m.periodNo ? t("Period {n}: {mark}", { n: m.periodNo, mark: inWords(m) }) : inWords(m)}{m.remark && <bdi class="lines"> · {m.remark}</bdi>}</p></div></li>
      ))}</ul>
    </Card>
  )
}
