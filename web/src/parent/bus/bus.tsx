// The live bus of a child: minutes to the stop, when to leave the house, the map, and "Not today".
import { useEffect, useState } from "preact/hooks"
import { school } from "../../api/session"
import type { Reply } from "../../api/contract"
import { BusMap, type Line as MapLine, type Stop as MapStop } from "../../bus/map"
import { Screen } from "../../pocket/screen"
import { live, useBuses, useLive } from "../../shell/live"
import { useGet } from "../../shell/load"
import { query } from "../../shell/router"
import { Avatar, Banner, Button, Icon, Ready, State } from "../../ui/basics"
import { n, t } from "../../words/words"
import { useDay, type Child, type Day } from "../family"
import { Children } from "../children"
import { busName, clock, lettersOf, nextRide } from "../state"
import { headline, leaveAt, secondsTo, type Place } from "./eta"
import { NotToday } from "./nottoday"
import { Stops } from "./stops"
import { Walk } from "./walk"

export type Live = Reply<"/bus-tracking/bus/{busId}/live", "get">
export type Rides = Reply<"/parent/transport/list", "get">["items"]

const often = 15_000 // ms between questions while events don't arrive
const seldom = 30_000 // and while they do: the times at later stops

export default function Bus() {
  const day = useDay()
  const rides = useGet("/parent/transport/list", { limit: 100 })
  return (
    <Ready of={day} rows={8}>{(d) => <Ready of={rides} rows={8}>{(r) => <Chosen day={d} reload={day.reload} rides={r.items} />}</Ready>}</Ready>
  )
}

function Chosen({ day, rides, reload }: { day: Day; rides: Rides; reload: () => void }) {
  const riders = day.children.filter((c) => rides.some((r) => r.studentId === c.id) || c.rides.length > 0)
  const child = riders.find((c) => c.id === query.value.get("child")) ?? riders[0]
  if (!child) {
    return (
      <Screen title={t("Bus")}>
        <State icon="bus" title={t("None of your children rides on a school bus")}><p>{t("Ask the school office if one should.")}</p></State>
      </Screen>
    )
  }
  return <OneBus key={child.id} child={child} riders={riders} rides={rides.filter((r) => r.studentId === child.id)} reload={reload} date={day.date} />
}

function OneBus({ child, riders, rides, reload, date }: { child: Child; riders: Child[]; rides: Rides; reload: () => void; date: string }) {
  const ride = nextRide(child)
  const plan = rides.find((r) => (ride?.type === "dropoff" ? r.dropoff : r.pickup)) ?? rides[0]
  const busId = ride?.busId ?? plan?.busId ?? null
  const bus = useGet(busId ? "/bus-tracking/bus/{busId}/live" : null, undefined, { busId: busId ?? "" })
  const place = usePlace(busId, bus.data, bus.reload, reload)
  const stopId = ride?.stopId ?? plan?.stopId
  const now = useNow()
  const running = !!bus.data?.trip && ["in_progress", "paused"].includes(bus.data.trip.status) && bus.data.trip.id === ride?.tripId
  const seconds = running ? secondsTo(stopId, bus.data, place, now) : undefined
  const said = headline({ child, ride, seconds, stop: bus.data?.stops.find((s) => s.id === stopId), now })
  useEffect(() => { document.title = `${said.title} · ${school.value?.name ?? ""}` }, [said.title])
  const walk = plan?.walkMinutes ?? undefined
  const leave = seconds !== undefined && ride?.type === "pickup" && ride.boarding === "waiting" && walk !== undefined ? leaveAt(seconds, walk, now) : undefined
  return (
    <Screen title={said.minutes === undefined ? said.title : <span class="eta"><b>{said.minutes}</b> {t("min")}</span>} sub={<bdi>{said.sub}</bdi>}
      lead={ride ? <span class="busno big">{lettersOf(ride)}</span> : <Icon name="bus" size="md" />}
      action={<Avatar name={child.firstName} photo={child.photoThumbnailUrl} size="lg" />} full>
      {riders.length > 1 && <div class="pad"><Children all={riders} chosen={child.id} href={(id) => `/app/bus?child=${id}`} /></div>}
      {bus.data && bus.data.stops.length > 0 && <Map bus={bus.data} place={place} mine={stopId} now={now} letters={ride ? lettersOf(ride) : ""} running={running} />}
      <div class="pad stack">
        {leave && <Banner tone="good" icon="clock">{n(walk!, "It is {n} minute on foot to the stop.", "It is {n} minutes on foot to the stop.")} <b>{leave}</b></Banner>}
        {plan && <Walk plan={plan} />}
        {bus.data && <Stops bus={bus.data} mine={stopId} child={child} place={place} running={running} now={now} ride={ride} plan={plan} />}
        <div class="pair">
          <NotToday child={child} date={date} />
          {school.value?.phone
            ? <a class="btn" href={`tel:${school.value.phone}`}><Icon name="phone" />{t("Call office")}</a>
            : <a class="btn" href="/app/messages"><Icon name="chat" />{t("Write to the office")}</a>}
        </div>
        {!ride && plan && (
          <p class="muted"><bdi>{plan.stopName}</bdi> {plan.pickupTime && plan.pickup && t("In the morning at {time}.", { time: clock(plan.pickupTime) })}
            {" "}{plan.dropoffTime && plan.dropoff && t("Back at {time}.", { time: clock(plan.dropoffTime) })}</p>
        )}
        <p class="help">{t("We tell you when {name} gets on and off.", { name: child.firstName })} <a href="/app/notifications/preferences">{t("Change|what we tell")}</a></p>
        {!live.value && running && <Button icon="swap" onClick={() => { bus.reload(); reload() }}>{t("Ask again where the bus is")}</Button>}
      </div>
    </Screen>
  )
}

/** Renders again every second, so that minutes and ages stay true. */
function useNow(): number {
  const [now, set] = useState(Date.now())
  useEffect(() => { const timer = setInterval(() => set(Date.now()), 1_000); return () => clearInterval(timer) }, [])
  return now
}

/** The newest position: of the socket, or of the last answer. Asks while the socket is silent. */
function usePlace(busId: string | null, bus: Live | undefined, again: () => void, day: () => void): Place | undefined {
  const [heard, set] = useState<Place>()
  useBuses(busId ? [busId] : [])
  useLive<Place & { busId: string }>("bus-location", (e) => { if (e.busId === busId) set(e) })
  useLive<{ busId: string }>("trip-status", (e) => { if (e.busId === busId) { again(); day() } })
  useLive<{ busId: string }>("boarding-status", (e) => { if (e.busId === busId) day() })
  useEffect(() => {
    const timer = setInterval(() => { if (!document.hidden) { again(); if (!live.value) day() } }, live.value ? seldom : often)
    return () => clearInterval(timer)
  }, [live.value, busId])
  const told: Place | undefined = bus?.location ? { ...bus.location, nextStop: bus.nextStop ?? undefined } : undefined
  return heard && (!told || heard.timestamp > told.timestamp) ? heard : told
}

function Map({ bus, place, mine, now, letters, running }: { bus: Live; place: Place | undefined; mine: string | undefined; now: number; letters: string; running: boolean }) {
  const next = bus.stops.findIndex((s) => !s.reachedAt)
  const cut = next < 0 ? bus.stops.length : next
  const here = running && place ? [{ lat: place.lat, lng: place.lng }] : []
  const lines: MapLine[] = [
    { key: "driven", look: "driven", points: [...bus.stops.slice(0, cut), ...here] },
    { key: "ahead", look: "ahead", points: [...here, ...bus.stops.slice(running ? cut : 0)] },
  ]
  const stops: MapStop[] = bus.stops.map((s) => ({ id: s.id, lat: s.lat, lng: s.lng, name: s.id === mine ? t("{stop}, your stop", { stop: s.name })
    : "", look: s.id === mine ? "coming" : s.reachedAt ? "reached" : undefined }))
  const age = place ? Math.max(0, Math.round((now - Date.parse(place.timestamp)) / 1000)) : undefined
  const label = place && running ? t("{bus} on the map", { bus: busName({ busName: bus.bus.name, registrationNo: bus.bus.registrationNo }) }) : t("The route of the bus")
  return (
    <section class="mapbox" aria-label={t("Map")}>
      <BusMap label={label} lines={lines} stops={stops} frame={bus.bus.id + String(running)}
        buses={here.map((h) => ({ ...h, id: bus.bus.id, letters, name: label, stale: (age ?? 0) > 60 }))} />
      {running && <p class="age">{age === undefined ? t("The bus has not been seen yet") : age < 60 ? t("Seen {n} s ago", { n: age })
        : n(Math.floor(age / 60), "Seen {n} minute ago", "Seen {n} minutes ago")}</p>}
    </section>
  )
}
