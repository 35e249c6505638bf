// A trip, stop by stop: who gets on or off here, and on to the next stop. Everything works without a network and is sent later.
import { useState } from "preact/hooks"
import { now } from "../api/client"
import { later } from "../api/queue"
import { Screen } from "../pocket/screen"
import { useGet } from "../shell/load"
import { Banner, Button, LinkButton, Ready, State } from "../ui/basics"
import { n, t } from "../words/words"
import { EndTrip } from "./end"
import { asMarked, laneOf, open, ridersOf, running, standOf, stepsOf, todays, tripName, type Bus, type Rider, type Step, type Trip } from "./plan"
import { RiderCard, nameOf, setStatus } from "./rider"
import { gps, useTracking } from "./track"

export default function TripPage({ params }: { params: Record<string, string> }) {
  const id = params.id!
  const listed = useGet("/driver/trip/list", todays())
  const past = useGet(listed.data && !listed.data.items.some((x) => x.id === id) ? "/driver/trip/list" : null, { sort: "date", order: "desc", limit: 100 })
  const riders = useGet("/driver/student/list", ridersOf(id))
  const bus = useGet("/driver/bus/get")
  const found = listed.data?.items.find((x) => x.id === id) ?? past.data?.items.find((x) => x.id === id)
  if (!found && (past.data || past.fault)) return <Screen title={t("Trip")} back="/app/home"><State icon="search" title={t("This record does not exist")} /></Screen>
  if (!found) return <Ready of={listed}>{() => null}</Ready>
  const trip = { ...found, status: standOf(found) }
  return <Ready of={riders}>{({ items }) => <Drive trip={trip} riders={asMarked(id, items)} bus={bus.data} />}</Ready>
}

function Drive({ trip, riders, bus }: { trip: Trip; riders: Rider[]; bus: Bus | undefined }) {
  const steps = stepsOf(trip, riders, bus)
  const due = steps.findIndex((s) => open(s).length > 0)
  const [chosen, setChosen] = useState<number>()
  const [ending, setEnding] = useState(false)
  const at = Math.min(chosen ?? (due < 0 ? steps.length - 1 : due), steps.length - 1)
  const step = steps[at]
  const drives = running(trip)
  useTracking(trip.id, trip.status === "in_progress")
  const tell = (what: "start" | "pause" | "resume") => void later(`/driver/bus-tracking/trips/{tripId}/${what}`, (what === "start" ? { startedAt: now().toISOString() } : {}) as never, { label: tripName(trip), lane: laneOf(trip.id), about: "trip", params: { tripId: trip.id } })
  return (
    <Screen back="/app/home" lead={<span class="busno big">{trip.busName ?? trip.busRegistrationNo}</span>}
      title={step ? <bdi>{step.name}</bdi> : tripName(trip)} sub={step && t("Stop {n} of {all}", { n: at + 1, all: steps.length })}
      action={drives && <LinkButton size="sm" icon="alert" href={`/app/incident?trip=${trip.id}`}>{t("Incident")}</LinkButton>}
      dock={<Dock trip={trip} steps={steps} at={at} onStep={setChosen} tell={tell} onEnd={() => setEnding(true)} />}>
      {trip.status === "in_progress" && <Position />}
      {trip.status === "paused" && <Banner tone="warn" icon="clock">{t("The trip is paused. Parents see that the bus stands.")}</Banner>}
      <Aboard trip={trip} riders={riders} step={step} />
      {step && drives && step.kind === "on" && open(step).length > 1 && (
        <Button icon="check" onClick={() => open(step).forEach((r) => void setStatus(trip.id, r, "boarded"))}>{n(open(step).length, "All {n} are on board", "All {n} are on board")}</Button>
      )}
      {!step && <State icon="people" title={t("No children ride on this trip")} />}
      <ul class="riders">{step?.riders.map((r) => <RiderCard key={r.studentId} tripId={trip.id} rider={r} step={step} drives={drives} />)}</ul>
      {ending && <EndTrip trip={trip} riders={riders} onClose={() => setEnding(false)} />}
    </Screen>
  )
}

/** Says whether the position goes out. */
function Position() {
  switch (gps.value) {
    case "on": return <div class="gps"><span class="live">{t("Your position is being sent")}</span><span class="push small">{t("Keep this page open")}</span></div>
    case "refused": return <Banner tone="bad" icon="alert">{t("The browser may not read your position. Allow it for this page, or parents see no bus.")}</Banner>
    case "missing": return <Banner tone="warn" icon="off">{t("No position from this phone at the moment.")}</Banner>
    default: return <div class="gps"><span class="small">{t("Looking for your position…")}</span></div>
  }
}

function Aboard({ trip, riders, step }: { trip: Trip; riders: Rider[]; step: Step | undefined }) {
  const there = riders.filter((r) => (trip.type === "pickup" ? ["boarded", "alighted"].includes(r.status) : r.status === "boarded")).length
  const left = step ? open(step).length : 0
  return (
    <div class="stack">
      <progress max={Math.max(riders.length, 1)} value={there} aria-label={t("{n} of {all} on board", { n: there, all: riders.length })} />
      <p class="row small muted"><span>{t("{n} of {all} on board", { n: there, all: riders.length })}</span>{running(trip) && left > 0 && <span class="push">{n(left, "{n} left to mark here", "{n} left to mark here")}</span>}</p>
    </div>
  )
}

interface DockProps { trip: Trip; steps: Step[]; at: number; onStep: (at: number) => void; tell: (what: "start" | "pause" | "resume") => void; onEnd: () => void }

function Dock({ trip, steps, at, onStep, tell, onEnd }: DockProps) {
  const [first] = steps[at] ? open(steps[at]) : []
  const next = steps[at + 1]
  const more = (
    <div class="row wide">
      {at > 0 && <Button kind="plain" size="sm" icon="left" onClick={() => onStep(at - 1)}>{steps[at - 1]!.name}</Button>}
      <span class="push" />
      {trip.status === "in_progress" && <Button kind="plain" size="sm" onClick={() => tell("pause")}>{t("Pause")}</Button>}
    </div>
  )
  if (trip.status === "scheduled") return <Button kind="go" class="huge" onClick={() => tell("start")}>{t("Start the trip")}</Button>
  if (trip.status === "paused") return <Button kind="go" class="huge" onClick={() => tell("resume")}>{t("Drive on")}</Button>
  if (trip.status !== "in_progress") return <p class="help">{trip.status === "cancelled" ? t("This trip was cancelled.") : t("This trip has ended.")}</p>
  if (first) {
    return <><p class="huge said">{t("Mark {name} to drive on", { name: nameOf(first) })}</p>{next && <p class="help row"><span>{t("Next: {stop}", { stop: next.name })}</span><span class="push num">{next.time}</span></p>}{more}</>
  }
  if (next) return <><Button kind="go" class="huge" onClick={() => onStep(at + 1)}>{t("Drive on to {stop}", { stop: next.name })}</Button><p class="help row"><span>{n(next.riders.length, "{n} child", "{n} children")}</span><span class="push num">{next.time}</span></p>{more}</>
  return <><Button kind="go" class="huge" onClick={onEnd}>{t("End the trip")}</Button>{more}</>
}
