// Marks as a teacher makes them: what a tap does, and how they are said.
import { n, t } from "../words/words"
import type { Row } from "./register"

export type Status = NonNullable<Row["status"]>
export interface Mark { status: Status; halfDay?: "FIRST" | "SECOND" | undefined; minutesLate?: number | undefined; remark?: string | undefined }

export const present: Mark = { status: "PRESENT" }

/** The mark that the service has; null if there is none. */
export function markOf(row: Row): Mark | null {
  if (!row.status) return null
  return { status: row.status, ...(row.halfDay && { halfDay: row.halfDay }), ...(row.minutesLate && { minutesLate: row.minutesLate }), ...(row.remark && { remark: row.remark }) }
}

const usual: Status[] = ["PRESENT", "ABSENT", "LATE"]

/** What a tap makes of a mark: once absent, twice late, again present. A child on leave is on leave again after that. */
export function tapped(m: Mark, onLeave: boolean): Mark {
  const round: Status[] = onLeave ? ["LEAVE", ...usual] : usual
  const status = round[(round.indexOf(m.status) + 1) % round.length]!
  return { status, ...(m.remark && { remark: m.remark }) }
}

export function same(a: Mark | null, b: Mark | null): boolean {
  return a?.status === b?.status && (a?.halfDay ?? null) === (b?.halfDay ?? null) && (a?.minutesLate ?? 0) === (b?.minutesLate ?? 0) && (a?.remark ?? "").trim() === (b?.remark ?? "").trim()
}

/** "Absent", "Late, 10 min", "Absent, morning". */
export function inWords(m: Mark | null): string {
  if (!m) return t("Not marked")
  const word = { PRESENT: t("Present"), ABSENT: t("Absent"), LATE: t("Late"), LEAVE: t("On leave"), HOLIDAY: t("Holiday") }[m.status]
  if (m.halfDay) return `${word}, ${m.halfDay === "FIRST" ? t("morning") : t("afternoon")}`
  return m.minutesLate ? t("{mark}, {n} min", { mark: word, n: m.minutesLate }) : word
}

/** The letter of a mark, beside its colour. */
export function letter(m: Mark): "P" | "A" | "L" | "E" | "H" | "X" {
  if (m.halfDay) return "H"
  return ({ PRESENT: "P", ABSENT: "A", LATE: "L", LEAVE: "E", HOLIDAY: "X" } as const)[m.status]
}

/** "12 here, 1 absent, 1 late": who is where, without what nobody is. */
export function tally(marks: Mark[]): string {
  const count = (...s: Status[]) => marks.filter((m) => s.includes(m.status)).length
  const parts: [number, string][] = [
    [count("PRESENT"), t("{n} here", { n: count("PRESENT") })], [count("ABSENT"), t("{n} absent", { n: count("ABSENT") })],
    [count("LATE"), t("{n} late", { n: count("LATE") })], [count("LEAVE"), t("{n} on leave", { n: count("LEAVE") })],
    [count("HOLIDAY"), n(count("HOLIDAY"), "{n} on holiday", "{n} on holiday")],
  ]
  return parts.filter(([c]) => c > 0).map(([, text]) => text).join(", ")
}
