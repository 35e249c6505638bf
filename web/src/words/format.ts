// Dates, times and money as people say them, in the school's time zone and currency.
import { me, school } from "../api/session"
import { language, t } from "./words"

const day = 86_400_000

function zone(): string { return me.value?.school.timezone ?? "UTC" }

function format(o: Intl.DateTimeFormatOptions, utc = false): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat(language() === "en" ? "en-GB" : "es", { ...o, timeZone: utc ? "UTC" : zone() })
}

/** Today in the school's time zone, as YYYY-MM-DD. */
export function today(): string { return dateOf(new Date()) }

/** The date of a moment in the school's time zone, as YYYY-MM-DD. */
export function dateOf(moment: Date | string): string {
  return new Intl.DateTimeFormat("en-CA", { timeZone: zone(), year: "numeric", month: "2-digit", day: "2-digit" }).format(new Date(moment))
}

export function addDays(date: string, days: number): string {
  return new Date(Date.parse(date) + days * day).toISOString().slice(0, 10)
}

/** 1 is Monday, 7 is Sunday. */
export function weekday(date: string): number { return ((new Date(date).getUTCDay() + 6) % 7) + 1 }

/** "16 Nov", or "16 Nov 2025" outside this year. */
export function date(d: string | null | undefined): string {
  if (!d) return "–"
  const year = d.slice(0, 4) === today().slice(0, 4) ? undefined : ("numeric" as const)
  return format({ day: "numeric", month: "short", ...(year && { year }) }, true).format(new Date(d.slice(0, 10)))
}

/** "16 Nov 2026", for papers that are kept. */
export function fullDate(d: string): string {
  return format({ day: "numeric", month: "short", year: "numeric" }, true).format(new Date(d.slice(0, 10)))
}

/** "Monday, 16 November". */
export function longDate(d: string): string {
  return format({ weekday: "long", day: "numeric", month: "long" }, true).format(new Date(d))
}

/** "Mon". */
export function shortDay(d: string): string { return format({ weekday: "short" }, true).format(new Date(d)) }

/** "November 2026". */
export function month(d: string): string { return format({ month: "long", year: "numeric" }, true).format(new Date(d.slice(0, 7) + "-01")) }

/** "3–4 November" style range. */
export function range(from: string, to: string): string {
  return from === to ? date(from) : `${date(from)} – ${date(to)}`
}

/** "8:11". */
export function time(moment: string | null | undefined): string {
  return moment ? format({ hour: "numeric", minute: "2-digit", hour12: false }).format(new Date(moment)).replace(/^0(\d)/, "$1") : "–"
}

/** "8:11" today, "yesterday, 8:11", "16 Nov, 8:11" earlier. */
export function when(moment: string | null | undefined): string {
  if (!moment) return "–"
  const d = dateOf(moment)
  if (d === today()) return time(moment)
  if (d === addDays(today(), -1)) return t("yesterday, {time}", { time: time(moment) })
  return `${date(d)}, ${time(moment)}`
}

/** A moment as the school's clock shows it: "2026-11-16T08:11", as fields for date and time want it. */
export function localOf(moment: string | null | undefined): string {
  if (!moment) return ""
  const at = new Intl.DateTimeFormat("en-GB", { timeZone: zone(), hour: "2-digit", minute: "2-digit", hourCycle: "h23" }).format(new Date(moment))
  return `${dateOf(moment)}T${at}`
}

/** The moment at which the school's clock shows this date and time. */
export function momentOf(local: string): string {
  const wanted = Date.parse(`${local.slice(0, 16)}Z`)
  let at = wanted
  for (let i = 0; i < 2; i++) at += wanted - Date.parse(`${localOf(new Date(at).toISOString())}Z`) // again, for the hour when clocks change
  return new Date(at).toISOString()
}

/** Money with the school's currency. */
export function money(amount: number, currency = school.value?.currency ?? "USD"): string {
  return new Intl.NumberFormat(language(), { style: "currency", currency, currencyDisplay: "narrowSymbol" }).format(amount)
}

/** Money due, or a dash: nothing due is quiet. */
export function due(amount: number): string { return amount === 0 ? "–" : money(amount) }

export function percent(part: number, whole: number): string {
  return whole === 0 ? "–" : new Intl.NumberFormat(language(), { style: "percent", maximumFractionDigits: 1 }).format(part / whole)
}

export function count(value: number): string { return value.toLocaleString(language()) }

/** "1.4 MB". */
export function bytes(size: number): string {
  const units = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"]
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(size, 1)) / 3))
  return new Intl.NumberFormat(language(), { style: "unit", unit: units[power]!, unitDisplay: power ? "short" : "long", maximumFractionDigits: 1 }).format(size / 1000 ** power)
}

/** The full name of a person. */
export function fullName(p: { firstName: string; lastName?: string | null }): string {
  return p.lastName ? `${p.firstName} ${p.lastName}` : p.firstName
}
