// A trip as a row of steps: children get on at each stop, or all at school and off at each stop.
import type { Reply } from "../api/contract"
import { amenders, waiting, type Waiting } from "../api/queue"
import { amend, keyOf } from "../shell/load"
import { today } from "../words/format"
import { t } from "../words/words"

export type Trip = Reply<"/driver/trip/list", "get">["items"][number]
export type Rider = Reply<"/driver/student/list", "get">["items"][number]
export type Bus = Reply<"/driver/bus/get", "get">
export type Status = Rider["status"]

export const todays = () => ({ date: today(), limit: 50 })
export const ridersOf = (tripId: string) => ({ tripId, limit: 100 })

export interface Step { kind: "on" | "off"; name: string; time: string | null; riders: Rider[] }

export const running = (trip: Trip): boolean => trip.status === "in_progress" || trip.status === "paused"

/** "Morning, Mill Lane" as the driver knows it. */
export function tripName(trip: Trip): string {
  return trip.type === "pickup" ? t("To school, {route}", { route: trip.routeName }) : t("Home, {route}", { route: trip.routeName })
}

/** The lane of everything that the driver enters on a trip: it is sent in order. */
export const laneOf = (tripId: string): string => `trip ${tripId}`
export const aboutStatus = (tripId: string, studentId: string): string => `status ${tripId} ${studentId}`

/** The riders as the driver has marked them, sent or not. */
export function asMarked(tripId: string, riders: Rider[]): Rider[] {
  return riders.map((r) => {
    const kept = waiting.value.findLast((w) => w.about === aboutStatus(tripId, r.studentId) && !w.refused)
    return kept ? { ...r, status: (kept.body as { status: Status }).status } : r
  })
}

/** What a trip is after a call. */
function standAfter(call: Waiting | undefined): Trip["status"] | undefined {
  const after: Record<string, Trip["status"]> = { start: "in_progress", resume: "in_progress", pause: "paused", end: "completed" }
  return after[call?.path.split("/").at(-1) ?? ""]
}

/** Where the trip stands, with what was started, paused or ended but not sent yet. */
export function standOf(trip: Trip): Trip["status"] {
  return standAfter(waiting.value.findLast((w) => w.lane === laneOf(trip.id) && w.about === "trip" && !w.refused)) ?? trip.status
}

amenders.add(async (call) => {
  const id = call.params?.tripId
  if (!id || call.lane !== laneOf(id)) return
  const stand = call.about === "trip" && standAfter(call)
  if (stand) await amend<{ items: Trip[] }>(keyOf("/driver/trip/list", todays()), (l) => ({ ...l, items: l.items.map((x) => (x.id === id ? { ...x, status: stand } : x)) }))
  const marked = (r: Rider): Rider => (call.about === aboutStatus(id, r.studentId) ? { ...r, status: (call.body as { status: Status }).status } : r)
  await amend<{ items: Rider[] }>(keyOf("/driver/student/list", ridersOf(id)), (l) => ({ ...l, items: l.items.map(marked) }))
})

export function stepsOf(trip: Trip, riders: Rider[], bus: Bus | undefined): Step[] {
  const stops = new Map<string, Step & { order: number }>()
  for (const r of riders) {
    const stop = bus?.route?.stops.find((s) => s.id === r.stopId)
    const time = (trip.type === "pickup" ? stop?.pickupTime : stop?.dropoffTime) ?? null
    const at = stops.get(r.stopId) ?? { kind: trip.type === "pickup" ? "on" : "off", name: r.stopName, time, riders: [], order: r.stopOrder }
    at.riders.push(r)
    stops.set(r.stopId, at)
  }
  const sorted = [...stops.values()].sort((a, b) => a.order - b.order)
  return trip.type === "pickup" ? sorted : [{ kind: "on", name: t("School"), time: trip.startTime, riders }, ...sorted]
}

/** The children of a step about whom the driver has said nothing. */
export function open(step: Step): Rider[] {
  return step.riders.filter((r) => (step.kind === "on" ? r.status === "waiting" && !r.onLeave : r.status === "boarded"))
}
