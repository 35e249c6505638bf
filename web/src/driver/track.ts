// Sends the bus's position while the page is open. Positions are kept on the phone and sent in batches, in order.
import { signal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { clockBehind, now } from "../api/client"
import { later } from "../api/queue"
import { t } from "../words/words"
import { laneOf } from "./plan"

interface Fix { lat: number; lng: number; speed?: number; heading?: number; timestamp: string }

/** What the driver is told about the position. */
export const gps = signal<"off" | "asking" | "on" | "refused" | "missing">("off")

const every = 5_000 // ms between two batches
const most = 1_000 // in one call

/** Follows the phone while a trip is driven. */
export function useTracking(tripId: string, driving: boolean): void {
  useEffect(() => {
    if (!driving) { gps.value = "off"; return }
    if (!("geolocation" in navigator)) { gps.value = "missing"; return }
    let fixes: Fix[] = []
    const behind = clockBehind()
    gps.value = "asking"
    const watch = navigator.geolocation.watchPosition(
      (p) => { gps.value = "on"; fixes.push(fixOf(p, behind)) },
      (e) => { gps.value = e.code === e.PERMISSION_DENIED ? "refused" : "missing" },
      { enableHighAccuracy: true, maximumAge: 0 },
    )
    const send = () => { if (fixes.length) { void keep(tripId, fixes); fixes = [] } }
    const timer = setInterval(send, every)
    const leaves = () => { if (document.hidden) send() } // phones end hidden pages without a word
    document.addEventListener("visibilitychange", leaves)
    addEventListener("pagehide", send)
    const release = stayAwake()
    return () => {
      clearInterval(timer)
      document.removeEventListener("visibilitychange", leaves)
      removeEventListener("pagehide", send)
      navigator.geolocation.clearWatch(watch)
      release()
      send()
    }
  }, [tripId, driving])
}

function fixOf(p: GeolocationPosition, behind: number): Fix {
  const { latitude: lat, longitude: lng, speed, heading } = p.coords
  return { lat, lng, ...(speed !== null && speed >= 0 && { speed }), ...(heading !== null && heading >= 0 && { heading }), timestamp: timeOf(p, behind) }
}

/** When it was measured, by the service's clock. Some phones take the time from the satellites, others from their own clock, which may be wrong. */
function timeOf(p: GeolocationPosition, behind: number): string {
  const off = (ms: number) => Math.abs(ms - now().getTime())
  const corrected = p.timestamp + behind
  return new Date(off(corrected) < off(p.timestamp) ? corrected : p.timestamp).toISOString()
}

async function keep(tripId: string, fixes: Fix[]): Promise<void> {
  for (let i = 0; i < fixes.length; i += most) {
    const locations = fixes.slice(i, i + most)
    await later("/driver/bus-tracking/trips/{tripId}/locations", { locations }, {
      label: t("Positions of the bus"), lane: `${laneOf(tripId)} positions`, about: "position", params: { tripId }, // after the start of the trip
      merge: (kept) => {
        const all = [...(kept as { locations: Fix[] }).locations, ...locations]
        return all.length > most ? undefined : { locations: all }
      },
    })
  }
}

/** Keeps the screen on, also after the driver has looked at another app. */
function stayAwake(): () => void {
  let lock: WakeLockSentinel | undefined
  const ask = () => { if (!document.hidden) navigator.wakeLock?.request("screen").then((l) => { lock = l }, () => undefined) }
  ask()
  document.addEventListener("visibilitychange", ask)
  return () => { document.removeEventListener("visibilitychange", ask); void lock?.release() }
}
