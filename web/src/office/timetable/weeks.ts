// Weeks of lessons: days and rows of the grid, moving a lesson, and what it would clash with.
import type { Reply } from "../../api/contract"
import { school } from "../../api/session"
import { useGet } from "../../shell/load"
import { addDays, today, weekday } from "../../words/format"
import { language, t } from "../../words/words"

export type Week = Reply<"/school-admin/timetable", "get">
export type Lesson = Week["periods"][number]
export interface Slot { day: number; period: number }
export interface Bell { period: number; startTime: string; endTime: string }

/** The school's days of the week, and others that have lessons. */
export function daysOf(lessons: Lesson[]): number[] {
  const off = school.value?.weekendDays ?? [6, 7]
  return [1, 2, 3, 4, 5, 6, 7].filter((d) => !off.includes(d) || lessons.some((l) => l.dayOfWeek === d))
}

export function dayName(day: number, style: "long" | "short" = "long"): string {
  const monday = addDays(today(), 1 - weekday(today()))
  return new Intl.DateTimeFormat(language(), { weekday: style, timeZone: "UTC" }).format(new Date(addDays(monday, day - 1)))
}

/** The rows: each period with the times that most days have for it. */
export function bellsOf(lessons: Lesson[]): Bell[] {
  const rows = new Map<number, Map<string, number>>()
  for (const l of lessons) {
    const times = rows.get(l.periodNo) ?? new Map<string, number>()
    const key = `${l.startTime} ${l.endTime}`
    rows.set(l.periodNo, times.set(key, (times.get(key) ?? 0) + 1))
  }
  return [...rows].sort((a, b) => a[0] - b[0]).map(([period, times]) => {
    const [startTime = "", endTime = ""] = [...times].sort((a, b) => b[1] - a[1])[0]![0].split(" ")
    return { period, startTime, endTime }
  })
}

export function at(lessons: Lesson[], s: Slot): Lesson | undefined { return lessons.find((l) => l.dayOfWeek === s.day && l.periodNo === s.period) }

/** The week after a lesson was moved; one that is in the place changes with it. */
export function moved(lessons: Lesson[], lesson: Lesson, to: Slot, bell: Bell): Lesson[] {
  const other = at(lessons, to)
  return lessons.map((l) => {
    if (l === lesson) return { ...l, dayOfWeek: to.day, periodNo: to.period, startTime: other?.startTime ?? bell.startTime, endTime: other?.endTime ?? bell.endTime }
    if (l === other) return { ...l, dayOfWeek: lesson.dayOfWeek, periodNo: lesson.periodNo, startTime: lesson.startTime, endTime: lesson.endTime }
    return l
  })
}

/** A week as the API takes it. */
export function inputOf(lessons: Lesson[]) {
  return lessons.map(({ dayOfWeek, periodNo, startTime, endTime, subjectId, teacherId, room }) => ({
    dayOfWeek, periodNo, startTime, endTime, subjectId, teacherId, ...(room && { room }),
  }))
}

/** The week of a teacher in all divisions. A null teacher loads nothing. */
export function useTeacherWeek(teacherId: string | null | undefined) {
  return useGet(teacherId ? "/school-admin/timetable/teacher" : null, { teacherId: teacherId ?? "" })
}

/** What stands against moving a lesson to another place: its teacher is elsewhere then. The service checks rooms and the lesson it changes with. */
export function clash(lessons: Lesson[], lesson: Lesson, to: Slot, bell: Bell): string | undefined {
  const other = lessons.find((l) => l.divisionId !== lesson.divisionId && l.dayOfWeek === to.day && l.startTime < bell.endTime && bell.startTime < l.endTime)
  return other && t("{name} is in {class}", { name: other.teacherName ?? "", class: `${other.className} ${other.divisionName}` })
}
