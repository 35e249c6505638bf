import { useEffect, useState } from "preact/hooks"
import { schoolPlace } from "../../api/session"
import { config } from "../../shell/config"
import { live, useBuses, useLive } from "../../shell/live"
import { useGet } from "../../shell/load"
import { query, setQuery } from "../../shell/router"
import { FaultState, Tabs } from "../../ui/basics"
import { time } from "../../words/format"
import { n, t } from "../../words/words"
import { Chosen } from "./chosen"
import { BusMap, type Line, type Marker, type Place, type Stop } from "../../bus/map"
import { BusesNow } from "./now"
import { busLetters, busName, sections, type Route, type Running } from "./words"

interface Moved { busId: string; tripId: string | null; lat: number; lng: number; speed: number; heading: number; timestamp: string; nextStop?: Running["nextStop"] }

const stale = 60_000
const often = 5_000 // ms between questions while the socket is away
const seldom = 20_000 // for arrival times, while it is there

export default function Live() {
  const running = useGet("/school-admin/transport/live", { limit: 100 })
  const routes = useGet("/school-admin/transport/route/list", { limit: 100 })
  const incidents = useGet("/school-admin/transport/incident/list", { limit: 10, acknowledged: false })
  const [moved, setMoved] = useState<Record<string, Moved>>({})
  const chosen = query.value.get("bus")
  const trips = (running.data?.items ?? []).map((r) => newest(r, moved[r.bus.id]))
  useBuses(trips.map((r) => r.bus.id))
  useLive<Moved>("bus-location", (m) => setMoved((old) => ({ ...old, [m.busId]: m })))
  useLive("trip-status", () => running.reload())
  useLive("incident-reported", () => incidents.reload())
  useLive("incident-withdrawn", () => incidents.reload())
  useLive<{ notification?: { type: string } }>("notification", () => { incidents.reload(); running.reload() })
  useEffect(() => {
    const timer = setInterval(running.reload, live.value ? seldom : often)
    return () => clearInterval(timer)
  }, [live.value])
  if (running.fault && !running.data) return <FaultState fault={running.fault} retry={running.reload} />
  const picked = trips.find((r) => r.bus.id === chosen)
  const drawing = draw(routes.data?.items ?? [], trips, chosen)
  const seen = trips.map((r) => r.location?.timestamp ?? "").sort().at(-1)
  return (
    <div class="transport">
      <h1 class="sr" tabIndex={-1}>{t("Buses now")}</h1>
      <Tabs label={t("Transport")} items={sections()} current="live" />
      <div class="mapwrap">
        <BusMap label={n(trips.length, "Map with {n} bus on the road", "Map with {n} buses on the road")} {...drawing} margin={{ start: 320, end: picked ? 320 : 0 }}
          frame={`${trips.map((r) => r.trip.routeId).join()}${picked ? 1 : 0}${routes.data ? 1 : 0}`}
          centre={schoolPlace()} onBus={(id) => setQuery({ bus: id })} />
        <BusesNow trips={trips} incidents={incidents.data?.items ?? []} loading={!running.data} chosen={chosen} routes={routes.data?.items ?? []} />
        {picked && <Chosen key={picked.bus.id} running={picked} onClose={() => setQuery({ bus: "" })} />}
        <p class="map-note small">{seen && <>{t("Seen {time}.", { time: time(seen) })} </>}{!config.map && t("Schematic map, works offline.")}</p>
      </div>
    </div>
  )
}

/** The newer of what the socket and the server said. */
function newest(r: Running, m: Moved | undefined): Running {
  if (!m || (r.location && m.timestamp <= r.location.timestamp)) return r
  return { ...r, location: { lat: m.lat, lng: m.lng, speed: m.speed, heading: m.heading, timestamp: m.timestamp, tripId: m.tripId, isStale: false },
    nextStop: m.nextStop ?? r.nextStop }
}

function draw(routes: Route[], trips: Running[], chosen: string | null): { lines: Line[]; stops: Stop[]; buses: Marker[] } {
  const lines: Line[] = []
  const stops: Stop[] = []
  const shown = trips.length ? routes.filter((r) => trips.some((x) => x.trip.routeId === r.id)) : routes
  for (const route of shown) {
    const trip = trips.find((x) => x.trip.routeId === route.id && x.bus.id === chosen) ?? trips.find((x) => x.trip.routeId === route.id)
    const order = trip?.trip.type === "dropoff" ? route.stops.toReversed() : route.stops
    const next = trip?.nextStop ? order.findIndex((s) => s.id === trip.nextStop!.stopId) : -1
    const at: Place[] = trip?.location ? [trip.location] : []
    const behind = !trip ? order : next < 0 ? (trip.location ? order : []) : order.slice(0, next)
    if (trip && next >= 0) {
      lines.push({ key: `${route.id}-a`, points: [...at, ...order.slice(next)], look: "ahead" })
      if (behind.length) lines.push({ key: `${route.id}-d`, points: [...behind, ...at], look: "driven" })
    } else {
      lines.push({ key: route.id, points: order, look: trip && !trip.location ? "ahead" : "driven" })
    }
    stops.push(...order.map((s, i) => ({ id: s.id, name: s.name, lat: s.lat, lng: s.lng,
      look: !trip ? ("quiet" as const)
        : i === next ? ("coming" as const) : next >= 0 ? (i < next ? ("reached" as const) : undefined) : trip.location ? ("reached" as const) : undefined })))
  }
  const buses = trips.flatMap((r) => (r.location ? [{
    id: r.bus.id, lat: r.location.lat, lng: r.location.lng, name: `${busName(r.bus)}, ${r.trip.routeName}`, letters: busLetters(busName(r.bus)), chosen: r.bus.id === chosen,
    stale: r.location.isStale || Date.now() - Date.parse(r.location.timestamp) > stale,
  }] : []))
  return { lines, stops, buses }
}
