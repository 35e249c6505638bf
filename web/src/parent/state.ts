// Where a child is, in words for the parent, from marks, leave, trips and what waits on this phone.
import { waiting } from "../api/queue"
import type { IconName } from "../ui/icons"
import { addDays, date, momentOf, time } from "../words/format"
import { n, t } from "../words/words"
import type { Child, Day, Ride } from "./family"

export interface State { title: string; sub: string; tone: "good" | "warn" | "bad" | "info" | ""; icon?: IconName; ask?: boolean }

/** The number of a bus as it stands on its badge: "1" of "Bus 1", else the end of its registration. */
export function lettersOf(bus: { busName?: string | null; registrationNo: string }): string {
  return /\d+\w?$/.exec(bus.busName ?? "")?.[0] ?? (bus.busName || bus.registrationNo).slice(-3)
}
export function busName(bus: { busName?: string | null; registrationNo: string }): string { return bus.busName || t("Bus {number}", { number: bus.registrationNo }) }

export const notTodayKey = (student: string) => `not-today:${student}`

export function stateOf(c: Child, day: Day): State {
  const name = c.firstName
  if (c.status !== "ACTIVE") return { title: name, sub: t("no longer at the school"), tone: "" }
  return onBus(c) ?? away(c, day) ?? marked(c, day) ?? arrived(c) ?? unmarked(c, day)
}

/** On the bus, or home from it. */
function onBus(c: Child): State | undefined {
  const name = c.firstName
  const ride = c.rides.findLast((r) => r.boardedAt || r.alightedAt)
  if (!ride) return undefined
  if (ride.boarding === "boarded") {
    return { title: ride.type === "pickup" ? t("{name} is on the bus", { name })
      : t("{name} is on the bus home", { name }), sub: t("since {time}", { time: time(ride.boardedAt) }), tone: "good", icon: "bus" }
  }
  if (ride.boarding !== "alighted" || ride.type === "pickup") return undefined
  return { title: t("{name} got off the bus", { name }), sub: t("at {time}, {stop}", { time: time(ride.alightedAt), stop: ride.stopName }), tone: "good", icon: "check" }
}

function away(c: Child, day: Day): State | undefined {
  const name = c.firstName
  if (waiting.value.some((w) => w.about === notTodayKey(c.id) && !w.refused)) {
    return { title: t("{name} stays away today", { name }), sub: t("Kept on this phone. The school does not know yet."), tone: "warn", icon: "cloud" }
  }
  const leave = c.leaveToday
  if (!leave || leave.half || !day.isSchoolDay) return undefined
  const until = leave.toDate > day.date ? t("until {date}", { date: date(leave.toDate) }) : ""
  const sub = leave.status === "APPROVED" ? t("Leave is approved") : t("Bus and teacher know")
  return { title: t("{name} has leave today", { name }), sub: [sub, until].filter(Boolean).join(" "), tone: "info", icon: "check" }
}

function marked(c: Child, day: Day): State | undefined {
  const name = c.firstName
  const mark = c.marks.find((m) => m.date === day.date)
  switch (mark?.status) {
    case "PRESENT": return { title: t("{name} is at school", { name }), sub: t("since {time}", { time: time(mark.markedAt) }), tone: "good", icon: "check" }
    case "LATE": return {
      title: t("{name} came late", { name }), tone: "warn", icon: "clock", ask: true,
      sub: mark.minutesLate ? n(mark.minutesLate, "by {n} minute, marked at {time}", "by {n} minutes, marked at {time}", { time: time(mark.markedAt) })
        : t("marked at {time}", { time: time(mark.markedAt) }),
    }
    case "ABSENT": return {
      title: mark.halfDay ? t("{name} is absent for half of the day", { name })
        : t("{name} is not at school", { name }), sub: t("marked absent at {time}", { time: time(mark.markedAt) }), tone: "bad", icon: "alert", ask: true,
    }
    case "LEAVE": return { title: t("{name} has leave today", { name }), sub: "", tone: "info", icon: "check" }
    default: return undefined
  }
}

/** Off the bus in the morning, before the class is marked. */
function arrived(c: Child): State | undefined {
  const name = c.firstName
  const ride = c.rides.find((r) => r.type === "pickup" && r.boarding === "alighted")
  return ride && { title: t("{name} came by bus", { name }), sub: t("at {time}", { time: time(ride.alightedAt) }), tone: "good", icon: "bus" }
}

function unmarked(c: Child, day: Day): State {
  const name = c.firstName
  if (day.isSchoolDay) return { title: name, sub: t("not marked yet today"), tone: "" }
  return { title: t("{name} has no school today", { name }), sub: day.holiday ?? "", tone: "" }
}

/** The ride that matters now: the one under way, else the next one of today. */
export function nextRide(c: Child, now = new Date()): Ride | undefined {
  const open = (r: Ride) => r.boarding === "waiting" || r.boarding === "boarded" || r.boarding === "no_show"
  const running = c.rides.find((r) => (r.status === "in_progress" || r.status === "paused") && open(r))
  return running ?? c.rides.find((r) => r.status === "scheduled" && !isPast(r, now))
    ?? c.rides.find((r) => r.status === "cancelled" && !isPast(r, now) && !c.rides.some((o) => o.type === r.type && o.status !== "cancelled"))
}

/** A scheduled trip that has not started two hours after its time does not come. */
function isPast(r: Ride, now: Date): boolean {
  const today = now.toISOString().slice(0, 10)
  const at = [addDays(today, -1), today, addDays(today, 1)].map((d) => Date.parse(momentOf(`${d}T${r.startTime.slice(0, 5)}`)))
  return at.filter((x) => Math.abs(x - now.getTime()) < 12 * 3600_000).every((x) => x < now.getTime() - 2 * 3600_000)
}

/** "7:14" of "07:14:00". */
export function clock(timeOfDay: string): string { return timeOfDay.slice(0, 5).replace(/^0/, "") }

/** The bus in one line of the first page. */
export function rideLine(c: Child): { letters: string; title: string; sub: string } | undefined {
  const r = c.status === "ACTIVE" && !(c.leaveToday && !c.leaveToday.half) ? nextRide(c) : undefined
  if (!r) return undefined
  const bus = busName(r)
  const letters = lettersOf(r)
  if (r.status === "cancelled") return { letters, title: t("{bus} does not run today", { bus }), sub: r.type === "pickup"
    ? t("Bring {name} to school yourself.", { name: c.firstName }) : t("Collect {name} from school.", { name: c.firstName }) }
  const planned = r.stopTime ? clock(r.stopTime) : undefined
  const late = Math.round((r.delaySeconds ?? 0) / 60)
  const delay = late >= 2 ? n(late, "{n} minute late", "{n} minutes late") : ""
  if (r.status === "scheduled") {
    const sub = [r.stopName, t("{bus} leaves at {time}", { bus, time: clock(r.startTime) })].join(", ")
    return { letters, sub, title: planned ? (r.type === "pickup" ? t("Bus at {time}", { time: planned }) : t("Home at {time}", { time: planned })) : bus }
  }
  return { letters, title: t("{bus} is on its way", { bus }), sub: [planned ? t("{stop} at {time}", { stop: r.stopName, time: planned })
    : r.stopName, delay].filter(Boolean).join(", ") }
}
