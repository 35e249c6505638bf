// One bus: the map, when it arrives, its stops, and who is on it.
import { useEffect, useMemo, useState } from "preact/hooks"
import { role } from "../api/session"
import type { Reply, Row } from "../api/contract"
import { BusMap, type Line, type Place } from "../bus/map"
import { busLetters, busName, delay, incidentTypes, minutes, riderStatuses, riderTones, textOf } from "../bus/words"
import { live, useBuses, useLive } from "../shell/live"
import { useGet } from "../shell/load"
import { Badge, Banner, Button, Ready } from "../ui/basics"
import { fullName, time } from "../words/format"
import { t } from "../words/words"

type Bus = Row<"/bus-tracking/bus/list">
type Now = Reply<"/bus-tracking/bus/{busId}/live", "get">
type Rider = Reply<"/bus-tracking/trip/{tripId}/students", "get">["items"][number]
interface Moved { busId: string; tripId: string | null; lat: number; lng: number; speed: number; heading: number; timestamp: string; nextStop?: Now["nextStop"] }
interface Incident { busId: string; incidentId: string; type: string; description: string | null; at: string }

const old = 60_000
const seldom = 15_000 // ms between questions for arrival times
const often = 5_000 // while the socket is away

export function Board({ bus, onLost }: { bus: Bus; onLost: () => void }) {
  const asked = useGet("/bus-tracking/bus/{busId}/live", undefined, { busId: bus.id })
  const trip = asked.data?.trip
  const riders = useGet(trip ? "/bus-tracking/trip/{tripId}/students" : null, { limit: 100 }, { tripId: trip?.id ?? "" })
  const [moved, setMoved] = useState<Moved>()
  const [incident, setIncident] = useState<Incident>()
  const [, tick] = useState(0)
  const since = useMemo(() => Date.now(), [asked.data])
  const lost = asked.fault?.statusCode === 403 || asked.fault?.statusCode === 404
  useBuses([bus.id])
  useLive<Moved>("bus-location", (m) => { if (m.busId === bus.id) setMoved(m) })
  useLive<{ busId: string; status: string }>("trip-status", (s) => { if (s.busId === bus.id && s.status !== trip?.status) asked.reload() })
  useLive<{ busId: string }>("boarding-status", (s) => { if (s.busId === bus.id) riders.reload() })
  useLive<Incident>("incident-reported", (i) => { if (i.busId === bus.id) setIncident(i) })
  useLive<Incident>("incident-withdrawn", (w) => setIncident((i) => (i?.incidentId === w.incidentId ? undefined : i)))
  useEffect(() => { if (lost) onLost() }, [lost])
  useEffect(() => { if (moved) asked.reload() }, [moved?.nextStop?.stopId])
  useEffect(() => {
    const timer = setInterval(() => { tick((n) => n + 1); if (!document.hidden) asked.reload() }, live.value ? seldom : often)
    return () => clearInterval(timer)
  }, [live.value])
  return (
    <Ready of={asked}>{(d) => {
      const now = newest(d, moved)
      const running = isRunning(now)
      const aged = !!now.location && (now.location.isStale || Date.now() - Date.parse(now.location.timestamp) > old)
      const passed = (Date.now() - since) / 1000
      const mine = role.value === "PARENT" ? (riders.data?.items ?? []) : []
      return (
        <div class="board">
          <div class="boardmap"><BusMap label={t("The route, its stops and the bus")} {...draw(now, bus, aged, mine)} frame={`${bus.id}${now.stops.length}${!!now.location}`} />
            <p class="map-note small">{now.location ? t("Seen {time}.", { time: time(now.location.timestamp) }) : t("The bus has not been seen yet.")}</p></div>
          <div class="boardtext stack loose">
            {incident && <div role="alert"><Banner tone="bad" icon="alert">
              <b>{textOf(incidentTypes(), incident.type)}</b>{incident.description && <>: {incident.description}</>} ({time(incident.at)})
              <Button size="sm" kind="plain" onClick={() => setIncident(undefined)}>{t("Close message")}</Button></Banner></div>}
            <Headline now={now} bus={bus} mine={mine} passed={passed} />
            <p class="row wrap">
              <Badge tone={now.trip?.status === "in_progress" ? "good" : ""}>{status(now)}</Badge>
              {running && (aged || !now.location) && <Badge tone="warn">{t("No recent position")}</Badge>}
              {running && now.delaySeconds !== null && <Badge tone={delay(now.delaySeconds).tone}>{delay(now.delaySeconds).text}</Badge>}
            </p>
            <Stops now={now} mine={mine} passed={passed} />
            {!!riders.data?.items.length && <Riders list={riders.data.items} />}
          </div>
        </div>
      )
    }}</Ready>
  )
}

const isRunning = (d: Now) => d.trip?.status === "in_progress" || d.trip?.status === "paused"

/** The newer of what the socket and the server said. Without a trip only the server decides what is shown. */
function newest(d: Now, m: Moved | undefined): Now {
  if (!m || !isRunning(d) || (d.location && m.timestamp <= d.location.timestamp)) return d
  return { ...d, nextStop: m.nextStop ?? null,
    location: { lat: m.lat, lng: m.lng, speed: m.speed, heading: m.heading, timestamp: m.timestamp, tripId: m.tripId, isStale: false } }
}

function status(d: Now): string {
  switch (d.trip?.status) {
    case "scheduled": return t("Planned for {time}", { time: d.trip.startTime.slice(0, 5).replace(/^0/, "") })
    case "in_progress": return t("On its way")
    case "paused": return t("Paused")
    case "completed": return t("Arrived")
    case "cancelled": return t("Cancelled|trip")
    default: return t("Not on a trip")
  }
}

/** The stop that the reader waits for: that of the own child, else the next one. */
function awaited(d: Now, mine: Rider[]): { name: string; seconds: number } | null {
  const due = d.trip?.type === "dropoff" ? "boarded" : "waiting"
  const own = d.stops.find((s) => !s.reachedAt && s.etaSeconds !== null && mine.some((r) => r.stopId === s.id && r.status === due))
  if (own) return { name: own.name, seconds: own.etaSeconds! }
  return d.nextStop ? { name: d.nextStop.name, seconds: d.nextStop.etaSeconds } : null
}

function Headline({ now, bus, mine, passed }: { now: Now; bus: Bus; mine: Rider[]; passed: number }) {
  const stop = isRunning(now) ? awaited(now, mine) : null
  if (!stop) {
    const where = isRunning(now) ? t("On its way to the end of the line.") : [status(now), bus.routeName].filter(Boolean).join(" · ")
    return <div><h2>{busName(bus)}</h2><p class="muted" role="status">{where}</p></div>
  }
  const left = Math.max(0, stop.seconds - passed)
  const at = time(new Date(Date.now() + left * 1000).toISOString())
  return (
    <div><h2 class="eta">{left < 45 ? <b>{t("now")}</b> : <><b>{Math.round(left / 60) || 1}</b> {t("min")}</>}</h2>
      <p role="status">{t("{bus} is at {stop} at {time}.", { bus: busName(bus), stop: stop.name, time: at })}</p></div>
  )
}

function Stops({ now, mine, passed }: { now: Now; mine: Rider[]; passed: number }) {
  return (
    <section aria-label={t("Stops")}><h3>{t("Stops")}</h3>
      <ol class="stoplist">{now.stops.map((s) => {
        const here = mine.filter((r) => r.stopId === s.id).map((r) => r.firstName).join(", ")
        return (
          <li key={s.id} class={s.reachedAt ? "reached" : s.id === now.nextStop?.stopId ? "coming" : ""}>
            <span class="row"><span class="grow">{s.name}</span>
              <span class="num">{s.reachedAt ? time(s.reachedAt) : s.etaSeconds !== null ? minutes(Math.max(0, s.etaSeconds - passed)) : ""}</span></span>
            <span class="small muted">{[here && (now.trip?.type === "dropoff" ? t("{name} gets off here", { name: here }) : t("{name} gets on here", { name: here })),
              !s.reachedAt && s.plannedAt && t("planned {time}", { time: time(s.plannedAt) })].filter(Boolean).join(" · ")}</span>
          </li>
        )
      })}</ol></section>
  )
}

function Riders({ list }: { list: Rider[] }) {
  return (
    <section aria-label={t("On this trip")}><h3>{t("On this trip")}</h3>
      <ul class="list">{list.map((r) => (
        <li key={r.studentId}><span class="grow"><bdi>{fullName({ firstName: r.firstName ?? "", lastName: r.lastName })}</bdi></span>
          <Badge tone={riderTones[r.status]}>{riderStatuses()[r.status]}</Badge></li>
      ))}</ul></section>
  )
}

function draw(d: Now, bus: Bus, stale: boolean, mine: Rider[]) {
  const at: Place[] = d.location ? [d.location] : []
  const next = d.nextStop ? d.stops.findIndex((s) => s.id === d.nextStop!.stopId) : -1
  const lines: Line[] = next >= 0
    ? [{ key: "driven", points: [...d.stops.slice(0, next), ...at], look: "driven" }, { key: "ahead", points: [...at, ...d.stops.slice(next)], look: "ahead" }]
    : [{ key: "all", points: d.stops, look: isRunning(d) && !d.location ? "ahead" : "driven" }]
  return {
    lines: lines.filter((l) => l.points.length > 1),
    stops: d.stops.map((s) => ({ id: s.id, lat: s.lat, lng: s.lng, name: mine.some((r) => r.stopId === s.id) ? t("{stop}, your stop", { stop: s.name }) : s.name,
      look: s.reachedAt ? ("reached" as const) : s.id === d.nextStop?.stopId ? ("coming" as const) : undefined })),
    buses: d.location ? [{ id: bus.id, lat: d.location.lat, lng: d.location.lng, name: busName(bus), letters: busLetters(busName(bus)), stale }] : [],
  }
}
