// The year of a child as squares: a column for each week, a row for each weekday. The exception speaks.
import { school } from "../../api/session"
import { addDays, date, month, shortDay, today, weekday } from "../../words/format"
import { t } from "../../words/words"
import type { Mark } from "./sections"

type Letter = "P" | "L" | "A" | "E" | "H" | "X" | ""

const cell = 14
const step = 17
const left = 34
const head = 16

export const meanings = (): [Exclude<Letter, "">, string][] => [["P", t("Present")], ["L", t("Late")], ["A", t("Absent")], ["E", t("Leave|mark")], ["H", t("Half day")],
  ["X", t("No school")]]

export function letterOf(m: Mark): Exclude<Letter, ""> {
  if (m.halfDay && m.status !== "HOLIDAY") return "H"
  return ({ PRESENT: "P", LATE: "L", ABSENT: "A", LEAVE: "E", HOLIDAY: "X" } as const)[m.status]
}

/** One mark for each day: that of the day, else the worst of its periods. */
export function byDay(marks: Mark[]): Map<string, Mark> {
  const worst = ["PRESENT", "HOLIDAY", "LEAVE", "LATE", "ABSENT"]
  const out = new Map<string, Mark>()
  for (const m of marks) {
    const old = out.get(m.date)
    if (!old || m.periodNo === null || (old.periodNo !== null && worst.indexOf(m.status) > worst.indexOf(old.status))) out.set(m.date, m)
  }
  return out
}

export function HeatMap({ marks, whole }: { marks: Mark[]; whole?: boolean }) {
  const days = byDay(marks)
  const year = school.value?.academicYears.find((y) => y.isCurrent)
  const earliest = [...days.keys()].sort()[0] ?? today()
  const window = addDays(today(), -7 * 17)
  const start = whole && year ? year.startDate : [earliest, year && year.startDate > window ? year.startDate : window].sort()[0]!
  const first = addDays(start, 1 - weekday(start))
  const last = whole && year ? year.endDate : today()
  const weeks = Math.max(1, Math.ceil((Date.parse(last) - Date.parse(first) + 1) / (7 * 86_400_000)))
  const free = school.value?.weekendDays ?? []
  const rows = [1, 2, 3, 4, 5, 6, 7].filter((d) => !free.includes(d) || [...days.keys()].some((x) => weekday(x) === d))
  const width = left + weeks * step
  return (
    <svg class={whole ? "chart heat whole" : "chart heat"} viewBox={`0 0 ${width} ${head + rows.length * step}`} role="img" aria-label={sentence(days)}>
      {monthHeads(first, weeks).map(([x, text]) => <text key={x} x={left + x * step} y="10">{text}</text>)}
      {rows.map((d, r) => (
        <g key={d}>
          <text x="0" y={head + r * step + 11}>{shortDay(addDays(first, d - 1))}</text>
          {Array.from({ length: weeks }, (_, w) => {
            const on = addDays(first, w * 7 + d - 1)
            const what = looks(on, days)
            if (!what.letter) return on >= start && on <= last ? <rect class="free" key={on} x={left + w * step} y={head + r * step} width={cell} height={cell} rx="3" /> : null
            return <rect class={what.letter} key={on} x={left + w * step} y={head + r * step} width={cell} height={cell} rx="3"><title>{`${date(on)}: ${what.text}`}</title></rect>
          })}
        </g>
      ))}
    </svg>
  )
}

function looks(on: string, days: Map<string, Mark>): { letter: Letter; text: string } {
  const m = days.get(on)
  if (m) {
    const letter = letterOf(m)
    return { letter, text: [meanings().find((x) => x[0] === letter)![1], m.minutesLate ? t("{n} minutes", { n: m.minutesLate }) : "", m.remark ?? ""].filter(Boolean).join(", ") }
  }
  const free = school.value?.holidays.find((h) => h.date <= on && on <= h.endDate)
  return free ? { letter: "X", text: free.name } : { letter: "", text: "" }
}

function sentence(days: Map<string, Mark>): string {
  const count = (l: Letter) => [...days.values()].filter((m) => letterOf(m) === l).length
  return `${t("Attendance")}: ${meanings().filter(([l]) => l !== "X").map(([l, text]) => `${text} ${count(l)}`).join(", ")}`
}

function monthHeads(first: string, weeks: number): [number, string][] {
  const out: [number, string][] = []
  for (let w = 0; w < Math.max(1, weeks - 1); w++) {
    const on = addDays(first, w * 7 + 6)
    const name = month(on).slice(0, 3)
    if (out.at(-1)?.[1] !== name && (out.length === 0 || w - out.at(-1)![0] > 2)) out.push([w, name])
  }
  return out
}

export function Legend() {
  return (
    <ul class="heatlegend" aria-hidden="true">
      {meanings().map(([l, text]) => <li key={l}><svg class="chart" viewBox="0 0 10 10"><rect class={l} width="10" height="10" rx="2" /></svg>{text}</li>)}</ul>
  )
}
