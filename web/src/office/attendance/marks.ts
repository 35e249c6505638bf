// Marks: their letters, their words, and who is told of a change.
import type { Row } from "../../api/contract"
import { school } from "../../api/session"
import { addDays, today, weekday } from "../../words/format"
import { t } from "../../words/words"

export type Pupil = Row<"/school-admin/attendance/list">
export type Status = NonNullable<Pupil["status"]>
export interface Mark { status: Status | null; halfDay: Pupil["halfDay"]; minutesLate: number | null; remark: string | null }

export const none: Mark = { status: null, halfDay: null, minutesLate: null, remark: null }

export function markOf(m: Mark | null | undefined): Mark {
  return m ? { status: m.status, halfDay: m.halfDay, minutesLate: m.minutesLate, remark: m.remark } : none
}

/** The letter of a mark, as on the keyboard and in the grids. */
export function letter(m: Pick<Mark, "status" | "halfDay">): "P" | "A" | "L" | "E" | "H" | "X" | "" {
  if (!m.status) return ""
  if (m.halfDay) return "H"
  return ({ PRESENT: "P", ABSENT: "A", LATE: "L", LEAVE: "E", HOLIDAY: "X" } as const)[m.status]
}

export const choices = () => [
  { letter: "P", text: t("Present") }, { letter: "A", text: t("Absent") }, { letter: "L", text: t("Late") },
  { letter: "E", text: t("Leave|mark") }, { letter: "H", text: t("Half day") },
] as const

export const statuses = () => [
  { value: "PRESENT", text: t("present") }, { value: "ABSENT", text: t("absent") }, { value: "LATE", text: t("late") },
  { value: "LEAVE", text: t("on leave") }, { value: "HOLIDAY", text: t("holiday") },
]

/** A mark in words: "absent", "late, 10 minutes", "absent in the first half". */
export function inWords(m: Pick<Mark, "status" | "halfDay" | "minutesLate"> | null): string {
  if (!m?.status) return t("not marked")
  const word = statuses().find((s) => s.value === m.status)!.text
  if (m.halfDay) return m.halfDay === "FIRST" ? t("{mark} in the first half", { mark: word }) : t("{mark} in the second half", { mark: word })
  return m.minutesLate ? t("{mark}, {n} minutes", { mark: word, n: m.minutesLate }) : word
}

/** The mark that a letter makes of a mark. H again changes the half, and then ends it. */
export function press(key: string, m: Mark): Mark | undefined {
  const plain = (status: Status): Mark => ({ status, halfDay: null, minutesLate: null, remark: m.remark })
  switch (key) {
    case "P": return plain("PRESENT")
    case "A": return plain("ABSENT")
    case "L": return { ...plain("LATE"), minutesLate: m.status === "LATE" ? m.minutesLate : null }
    case "E": return plain("LEAVE")
    case "H": return m.halfDay === "SECOND" ? plain("PRESENT") : { ...plain("ABSENT"), halfDay: m.halfDay ? "SECOND" : "FIRST" }
    case "X": return plain("HOLIDAY")
    case "Delete": case "Backspace": return none
  }
  return undefined
}

export function same(a: Mark, b: Mark): boolean {
  return a.status === b.status && a.halfDay === b.halfDay && a.minutesLate === b.minutesLate && (a.remark || null) === (b.remark || null)
}

/** Whether a family is told of a mark. */
export function alarming(m: Pick<Mark, "status">): boolean { return m.status === "ABSENT" || m.status === "LATE" }

/** Whether a family gets a message about this change: a first alert of today or yesterday, or a correction. */
export function tells(before: Mark, after: Pick<Mark, "status">, date: string): boolean {
  if (alarming(before)) return before.status !== after.status
  return alarming(after) && date >= addDays(today(), -1)
}

/** A mark as the API takes it. Without a status the mark is taken back. */
export function record(studentId: string, m: Mark) {
  if (!m.status) return { studentId, status: null }
  return { studentId, status: m.status, ...(m.halfDay && { halfDay: m.halfDay }), ...(m.minutesLate && { minutesLate: m.minutesLate }), ...(m.remark && { remark: m.remark }) }
}

/** The name of the holiday on a day, if it is one. */
export function holidayOn(d: string): string | undefined { return school.value?.holidays.find((h) => h.date <= d && d <= h.endDate)?.name }

export function isSchoolDay(d: string): boolean { return !holidayOn(d) && !school.value?.weekendDays.includes(weekday(d)) }
