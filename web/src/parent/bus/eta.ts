// When the bus is at the child's stop, and what that means for the parent.
import { time } from "../../words/format"
import { n, t } from "../../words/words"
import type { Child, Ride } from "../family"
import { busName, clock } from "../state"
import type { Live } from "./bus"

export interface Place { lat: number; lng: number; timestamp: string; nextStop?: { stopId: string; etaSeconds: number } | undefined }

const spare = 60 // seconds to be at the stop before the bus

/** Seconds until the bus is at a stop; undefined if it was there or nobody knows. */
export function secondsTo(stopId: string | undefined, bus: Live | undefined, place: Place | undefined, now: number): number | undefined {
  const stop = bus?.stops.find((s) => s.id === stopId)
  if (!bus || !stop || stop.reachedAt) return undefined
  const asked = Date.parse(bus.location?.timestamp ?? "")
  if (place?.nextStop && place.nextStop.stopId === stopId) return Math.max(0, place.nextStop.etaSeconds - (now - Date.parse(place.timestamp)) / 1000)
  if (stop.etaSeconds === null || Number.isNaN(asked)) return undefined
  return Math.max(0, stop.etaSeconds - (now - asked) / 1000)
}

/** "Leave at 7:09.", with a minute to spare. */
export function leaveAt(seconds: number, walk: number, now: number): string {
  const at = now + (seconds - walk * 60 - spare) * 1000
  return at <= now ? t("Leave now.") : t("Leave at {time}.", { time: time(new Date(at).toISOString()) })
}

interface Now { child: Child; ride: Ride | undefined; seconds: number | undefined; stop: Live["stops"][number] | undefined; now: number }

/** The answer as the headline: "6 min". */
export function headline({ child, ride, seconds, stop, now }: Now): { title: string; sub: string; minutes?: number } {
  const name = child.firstName
  if (!ride) return { title: t("No more bus today"), sub: name }
  const bus = busName(ride)
  const planned = ride.stopTime ? clock(ride.stopTime) : undefined
  if (ride.status === "cancelled") return { title: t("{bus} does not run today", { bus }), sub: ride.type === "pickup" ? t("Bring {name} to school yourself.", { name })
    : t("Collect {name} from school.", { name }) }
  if (ride.status === "scheduled") return { title: planned ? t("{stop} at {time}", { stop: ride.stopName, time: planned })
    : bus, sub: t("{bus} leaves at {time}", { bus, time: clock(ride.startTime) }) }
  if (ride.boarding === "boarded" && ride.type === "pickup") return { title: t("{name} is on the bus", { name }), sub: t("since {time}", { time: time(ride.boardedAt) }) }
  if (stop?.reachedAt) return { title: t("{bus} was at {stop} at {time}", { bus, stop: ride.stopName, time: time(stop.reachedAt) }), sub: name }
  if (seconds === undefined) return { title: t("{bus} is on its way", { bus }), sub: planned ? t("{stop} at {time}", { stop: ride.stopName, time: planned }) : ride.stopName }
  const at = new Date(now + seconds * 1000).toISOString()
  const late = stop?.plannedAt ? Math.round((Date.parse(at) - Date.parse(stop.plannedAt)) / 60_000) : 0
  const how = late >= 2 ? n(late, "{n} minute late", "{n} minutes late") : late <= -2 ? n(-late, "{n} minute early", "{n} minutes early") : t("on time")
  const minutes = Math.round(seconds / 60)
  return { title: seconds < 45 ? t("Now") : n(minutes, "{n} min", "{n} min"), ...(seconds >= 45 && { minutes }), sub: t("{bus} is at {stop} at {time}, {how}.", { bus,
    stop: ride.stopName, time: time(at), how }) }
}
