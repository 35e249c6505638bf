// Choosing a day: the last days as a strip, any other by a date field.
import { useKey } from "../../shell/keys"
import { query, setQuery } from "../../shell/router"
import { Button } from "../../ui/basics"
import { addDays, longDate, shortDay, today } from "../../words/format"
import { t } from "../../words/words"
import { holidayOn, isSchoolDay } from "./marks"

/** The day of the address, else today. */
export function chosenDay(): string { return query.value.get("date") ?? today() }

export function choose(date: string): void { setQuery({ date: date === today() ? "" : date }) }

/** The six days up to the chosen one, or up to today if it is among them. */
function strip(date: string): string[] {
  const last = date > addDays(today(), -6) ? today() : date
  return Array.from({ length: 6 }, (_, i) => addDays(last, i - 5))
}

export function DayChooser() {
  const date = chosenDay()
  useKey("[", t("The day before"), () => choose(addDays(date, -1)))
  useKey("]", t("The day after"), () => { if (date < today()) choose(addDays(date, 1)) })
  return (
    <div class="row wrap">
      <nav class="week hide-sm" aria-label={t("Day")}>
        {strip(date).map((d) => (
          <button type="button" key={d} aria-current={d === date ? "date" : undefined} title={holidayOn(d) ?? longDate(d)} onClick={() => choose(d)}>
            <span>{d === today() ? t("Today") : shortDay(d)}</span><b class={isSchoolDay(d) ? "num" : "num faint"}>{holidayOn(d) ? t("Holiday") : Number(d.slice(8))}</b><span class="sr">{longDate(d)}</span>
          </button>
        ))}
      </nav>
      <span class="group">
        <Button icon="left" aria-label={t("The day before")} onClick={() => choose(addDays(date, -1))} />
        <Button icon="right" aria-label={t("The day after")} disabled={date >= today()} onClick={() => choose(addDays(date, 1))} />
      </span>
      <input class="input pickdate" type="date" aria-label={t("Another day")} value={date} max={today()}
        onChange={(e) => { if (e.currentTarget.value) choose(e.currentTarget.value) }} />
    </div>
  )
}
