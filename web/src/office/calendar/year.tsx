// A year at a glance: twelve months with the days without school.
import { useState } from "preact/hooks"
import type { Row } from "../../api/contract"
import { school } from "../../api/session"
import { useGet } from "../../shell/load"
import { Button } from "../../ui/basics"
import { addDays, longDate, month, today, weekday } from "../../words/format"
import { n, t } from "../../words/words"

type Holiday = Row<"/school-admin/holiday/list">

export function Year({ onDay, onHoliday }: { onDay?: (day: string) => void; onHoliday?: (h: Holiday) => void }) {
  const [from, setFrom] = useState(today().slice(0, 7))
  const after = (count: number) => { const d = new Date(from + "-01"); d.setUTCMonth(d.getUTCMonth() + count); return d.toISOString().slice(0, 7) }
  const step = (by: number) => setFrom(after(by))
  const months = Array.from({ length: 6 }, (_, i) => after(i))
  const shown = useGet("/school-admin/holiday/list", { from: `${from}-01`, to: addDays(`${after(6)}-01`, -1), limit: 100 })
  const coming = useGet("/school-admin/holiday/list", { from: addDays(today(), 1), limit: 10, sort: "date" })
  const next = coming.data?.items.find((h) => h.date > today()) // one may have begun
  const days = next && Math.round((Date.parse(next.date) - Date.parse(today())) / 86_400_000)
  return (
    <section class="stack loose" aria-label={t("Half a year")}>
      <div class="row wrap"><p class="grow">{!coming.data ? null : next ? <>{t("Next:")} <b>{next.name}</b> <span class="muted">{n(days!, "tomorrow", "in {n} days")}</span></> : <span
        class="muted">{t("No holiday is planned.")}</span>}</p>
        <span class="group"><Button icon="left" aria-label={t("Earlier")} onClick={() => step(-6)} /><Button icon="right" aria-label={t("Later")} onClick={() => step(6)} />
          </span></div>
      <div class="months">{months.map((m) => <Month key={m} of={m} holidays={shown.data?.items ?? []} onDay={shown.data && onDay} onHoliday={onHoliday} />)}</div>
    </section>
  )
}

interface MonthProps { of: string; holidays: Holiday[]; onDay: ((day: string) => void) | undefined; onHoliday: ((h: Holiday) => void) | undefined }

function Month({ of: m, holidays, onDay, onHoliday }: MonthProps) {
  const first = `${m}-01`
  const days: string[] = []
  for (let d = first; d.startsWith(m); d = addDays(d, 1)) days.push(d)
  return (
    <div class="mini">
      <h2>{month(first)}</h2>
      <div class="minidays">
        {Array.from({ length: weekday(first) - 1 }, (_, i) => <span key={`gap ${i}`} />)}
        {days.map((d) => {
          const holiday = holidays.find((h) => h.date <= d && d <= h.endDate)
          const look = `${holiday ? "holiday" : school.value?.weekendDays.includes(weekday(d)) ? "weekend" : ""} ${d === today() ? "now" : ""}`
          const label = `${longDate(d)}${holiday ? `: ${holiday.name}` : ""}`
          if (!onDay) return <span key={d} class={look} title={label}>{Number(d.slice(8))}</span>
          return <button type="button" key={d} class={look} title={label} aria-label={label}
            onClick={() => (holiday ? onHoliday?.(holiday) : onDay(d))}>{Number(d.slice(8))}</button>
        })}
      </div>
    </div>
  )
}
