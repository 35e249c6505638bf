// A year at a glance: twelve months with the days without school.
import { useState } from "preact/hooks"
import { school } from "../../api/session"
import { Button } from "../../ui/basics"
import { addDays, longDate, month, today, weekday } from "../../words/format"
import { n, t } from "../../words/words"

interface Holiday { id: string; name: string; date: string; endDate: string }

export function Year({ holidays, onDay, onHoliday }: { holidays: Holiday[]; onDay?: (day: string) => void; onHoliday?: (id: string) => void }) {
  const [from, setFrom] = useState(today().slice(0, 7))
  const step = (by: number) => { const d = new Date(from + "-01"); d.setUTCMonth(d.getUTCMonth() + by); setFrom(d.toISOString().slice(0, 7)) }
  const months = Array.from({ length: 6 }, (_, i) => { const d = new Date(from + "-01"); d.setUTCMonth(d.getUTCMonth() + i); return d.toISOString().slice(0, 7) })
  const next = holidays.filter((h) => h.date > today()).sort((a, b) => a.date.localeCompare(b.date))[0]
  const days = next && Math.round((Date.parse(next.date) - Date.parse(today())) / 86_400_000)
  return (
    <section class="stack loose" aria-label={t("Half a year")}>
      <div class="row wrap"><p class="grow">{next ? <>{t("Next:")} <b>{next.name}</b> <span class="muted">{n(days!, "tomorrow", "in {n} days")}</span></> : <span
        class="muted">{t("No holiday is planned.")}</span>}</p>
        <span class="group"><Button icon="left" aria-label={t("Earlier")} onClick={() => step(-6)} /><Button icon="right" aria-label={t("Later")} onClick={() => step(6)} />
          </span></div>
      <div class="months">{months.map((m) => <Month key={m} of={m} holidays={holidays} onDay={onDay} onHoliday={onHoliday} />)}</div>
    </section>
  )
}

interface MonthProps { of: string; holidays: Holiday[]; onDay: ((day: string) => void) | undefined; onHoliday: ((id: string) => void) | undefined }

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
            onClick={() => (holiday ? onHoliday?.(holiday.id) : onDay(d))}>{Number(d.slice(8))}</button>
        })}
      </div>
    </div>
  )
}
