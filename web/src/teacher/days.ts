// The days that a teacher may still mark.
import type { Reply } from "../api/contract"
import { school } from "../api/session"
import { addDays, today, weekday } from "../words/format"

const most = 31

/** The rules for teachers; null until they are known. */
export function rules(): Reply<"/teacher/school", "get"> | null { return school.value as Reply<"/teacher/school", "get"> | null }

export function isOff(date: string): boolean {
  const s = rules()
  return !!s?.weekendDays.includes(weekday(date)) || !!s?.holidays.some((h) => h.date <= date && date <= h.endDate)
}

/** Today and the school days before it that are not locked, the newest first. */
export function openDays(): string[] {
  const all = Array.from({ length: Math.min(rules()?.attendanceLockDays ?? 0, most) + 1 }, (_, i) => addDays(today(), -i))
  return all.filter((d, i) => i === 0 || !isOff(d))
}
