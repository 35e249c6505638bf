// The month of a division: a quiet dot for present, a letter for the rest. A mark is corrected from its cell.
import { useRef, useState } from "preact/hooks"
import type { Reply } from "../../api/contract"
import { useGet } from "../../shell/load"
import { Card, Ready, State } from "../../ui/basics"
import { LineChart } from "../../ui/chart"
import { fullName, longDate, month as monthName, percent, shortDay, today } from "../../words/format"
import { n, t } from "../../words/words"
import { Correct } from "./correct"
import { inWords, letter, none, press, type Mark } from "./marks"

type Report = Reply<"/school-admin/attendance/report", "get">
type Student = Report["students"][number]
interface Spot { row: number; day: number; suggested?: Mark }

const low = 90 // percent, below which a child is worth a look

export function MonthGrid({ classId, divisionId, month }: { classId: string; divisionId: string; month: string }) {
  const report = useGet("/school-admin/attendance/report", { classId, divisionId, month })
  return (
    <Ready of={report} rows={12}>{(r) => r.students.length === 0
      ? <State icon="people" title={t("No students in this division")} />
      : <><Course report={r} /><Grid report={r} classId={classId} divisionId={divisionId} /></>}
    </Ready>
  )
}

/** How many were here, day by day. */
function Course({ report: r }: { report: Report }) {
  const points = r.days.filter((d) => d.isSchoolDay && d.date <= today()).map((d) => ({ label: longDate(d.date), ...share(r, d.date) })).filter((p) => p.all > 0)
  if (points.length < 3) return null
  const few = r.students.filter((s) => s.totals.percentage !== null && s.totals.percentage < low).length
  return (
    <Card>
      <div class="course"><p>{t("{percent} were here in {month}.", { percent: percent(r.totals.presentDays, r.totals.schoolDays), month: monthName(r.month) })}{" "}
        <span class="muted">{few === 0 ? t("Nobody is below {n} %.", { n: low }) : n(few, "One child is below {low} %.", "{n} children are below {low} %.", { low })}</span></p>
      <LineChart label={t("Children who were here, in percent")} height={40} points={points.map((p) => ({ label: p.label, value: Math.round((100 * p.here) / p.all) }))} /></div>
    </Card>
  )
}

function share(r: Report, date: string): { here: number; all: number } {
  let here = 0, all = 0
  for (const s of r.students) {
    const mark = s.days.find((d) => d.date === date)
    if (!mark || mark.status === "LEAVE" || mark.status === "HOLIDAY") continue
    all++
    if (mark.status !== "ABSENT") here++
  }
  return { here, all }
}

function Grid({ report: r, classId, divisionId }: { report: Report; classId: string; divisionId: string }) {
  const now = r.days.findIndex((d) => d.date === today())
  const [at, setAt] = useState<Spot>({ row: 0, day: now < 0 ? 0 : now })
  const [open, setOpen] = useState<Spot>()
  const body = useRef<HTMLTableSectionElement>(null)
  const move = (row: number, day: number) => {
    const to = { row: Math.max(0, Math.min(r.students.length - 1, row)), day: Math.max(0, Math.min(r.days.length - 1, day)) }
    setAt(to)
    body.current?.children[to.row]?.querySelectorAll<HTMLElement>("[data-day]")[to.day]?.focus()
  }
  const edit = (spot: Spot) => { if (r.days[spot.day]!.date <= today()) setOpen(spot) }
  const key = (e: KeyboardEvent) => {
    const to = { ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1] }[e.key]
    const mark = !e.ctrlKey && !e.metaKey && e.key.length === 1 ? press(e.key.toUpperCase(), none) : undefined
    if (!to && !mark && e.key !== "Enter" && e.key !== "Home" && e.key !== "End") return
    if ((e.target as HTMLElement).tagName === "A") return
    e.preventDefault()
    if (to) move(at.row + to[0]!, at.day + to[1]!)
    else if (e.key === "Home" || e.key === "End") move(at.row, e.key === "Home" ? 0 : r.days.length)
    else edit({ ...at, ...(mark && { suggested: { ...mark, remark: null } }) })
  }
  const student = open && r.students[open.row]
  return (
    <div class="frame">
      <div class="scroll">
        <table class="month" role="grid" aria-label={t("Marks of {name}", { name: monthName(r.month) })} onKeyDown={key}>
          <thead><tr>
            <th scope="col">{t("Name")}</th>
            {r.days.map((d) => <th key={d.date} scope="col" class={d.date === today() ? "c now" : "c"}
              title={d.holiday ?? longDate(d.date)}>{shortDay(d.date).slice(0, 2)}<br />{Number(d.date.slice(8))}</th>)}
            <th scope="col" class="num">{t("Month")}</th>
          </tr></thead>
          <tbody ref={body}>
            {r.students.map((s, row) => <Line key={s.studentId} student={s} days={r.days} at={at.row === row ? at.day : -1}
              onCell={(day) => { setAt({ row, day }); edit({ row, day }) }} />)}
          </tbody>
        </table>
      </div>
      <div class="keys markkeys hide-sm"><span><kbd>↑</kbd><kbd>↓</kbd><kbd>←</kbd><kbd>→</kbd> {t("move")}</span><span><kbd>Enter</kbd> {t("history and correction")}</span><span>
        <kbd>P</kbd><kbd>A</kbd><kbd>L</kbd><kbd>E</kbd><kbd>H</kbd> {t("correct the mark")}</span></div>
      {open && student && <Correct classId={classId} divisionId={divisionId} studentId={student.studentId} name={fullName(student)} date={r.days[open.day]!.date}
        {...(open.suggested && { suggested: open.suggested })} onClose={() => { setOpen(undefined); move(open.row, open.day) }} />}
    </div>
  )
}

function Line({ student: s, days, at, onCell }: { student: Student; days: Report["days"]; at: number; onCell: (day: number) => void }) {
  const marks = new Map(s.days.map((d) => [d.date, d]))
  const few = s.totals.percentage !== null && s.totals.percentage < low
  return (
    <tr class={at >= 0 ? "at" : ""}>
      <th scope="row" class="nowrap"><a class="quiet" tabIndex={-1} href={`/app/students/${s.studentId}`}><bdi>{fullName(s)}</bdi></a></th>
      {days.map((d, i) => {
        const mark = marks.get(d.date)
        const sign = mark ? letter(mark) : ""
        return (
          <td key={d.date} role="gridcell" data-day tabIndex={i === at ? 0 : -1} class={`c ${d.date === today() ? "now" : ""}`} onClick={() => onCell(i)}
            aria-label={`${fullName(s)}, ${longDate(d.date)}: ${mark ? inWords(mark) : d.isSchoolDay ? t("not marked") : (d.holiday ?? t("no school"))}`}>
            {sign === "P" ? "·" : sign ? <span class={`m ${sign}`}>{sign === "X" ? "" : sign}</span> : !d.isSchoolDay ? <span class="m X" /> : ""}
          </td>
        )
      })}
      <td class={few ? "num bad strong" : "num"}>{s.totals.percentage === null ? "–" : percent(s.totals.percentage, 100)}</td>
    </tr>
  )
}
