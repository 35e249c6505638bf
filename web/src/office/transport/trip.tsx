import { useState } from "preact/hooks"
import type { Reply } from "../../api/contract"
import { may } from "../../api/session"
import { useGet } from "../../shell/load"
import { useLive } from "../../shell/live"
import { Badge, Button, Card, Figures, Head, LinkButton, Ready, State, Who } from "../../ui/basics"
import { useEmployees } from "../../ui/choices"
import { count, longDate, time, when } from "../../words/format"
import { n, t } from "../../words/words"
import { CancelTrip } from "./cancel"
import { BusMap } from "../../bus/map"
import { EditTrip } from "./schedule"
import { TripStatus, useBusOptions } from "./trips"
import { clock, delay, riderStatuses, riderTones, textOf, tripBus, tripTypes } from "./words"

type Report = Reply<"/school-admin/transport/trip/{id}/report", "get">

/** A trip: planned and driven course, delay, speed, who rode. */
export default function OneTrip({ params }: { params: Record<string, string> }) {
  const report = useGet("/school-admin/transport/trip/{id}/report", undefined, { id: params.id! })
  useLive<{ tripId: string }>("trip-status", (s) => { if (s.tripId === params.id) report.reload() })
  return <Ready of={report}>{(r) => <Shown r={r} />}</Ready>
}

function Shown({ r }: { r: Report }) {
  const x = r.trip
  const [open, setOpen] = useState<"edit" | "cancel">()
  const buses = useBusOptions()
  const drivers = useEmployees({ type: "DRIVER" })
  const track = useGet(r.positions > 1 ? "/school-admin/transport/trip/{id}/track" : null, undefined, { id: x.id })
  const route = useGet("/school-admin/transport/route/list", { limit: 100 }).data?.items.find((o) => o.id === x.routeId)
  const reached = new Set(r.stops.filter((s) => s.reachedAt).map((s) => s.stopId))
  const points = (track.data?.geometry?.coordinates ?? []).map(([lng, lat]) => ({ lat: lat!, lng: lng! }))
  const writes = may("write", "transport")
  return (
    <>
      <Head title={<>{tripBus(x)}, {x.routeName} {textOf(tripTypes(), x.type)}</>}
        sub={<>{longDate(x.date)}, {clock(x.startTime)} · <bdi>{x.driverName}</bdi> · <TripStatus trip={x} />{x.cancelReason && <> · {x.cancelReason}</>}</>}>
        {(x.status === "in_progress" || x.status === "paused") && <LinkButton icon="bus" href={`/app/transport?bus=${x.busId}`}>{t("Follow it live")}</LinkButton>}
        {writes && x.status === "scheduled" && <Button icon="swap" onClick={() => setOpen("edit")}>{t("Another driver, bus or time")}</Button>}
        {writes && x.status !== "completed" && x.status !== "cancelled" && <Button kind="danger" icon="x" onClick={() => setOpen("cancel")}>{t("Cancel the trip")}</Button>}
      </Head>
      {x.startedAt && <Figures label={t("The trip in figures")} items={figures(r)} />}
      <div class="cols even">
        <div class="stack far">
          <Card title={t("Course")} flush>
            <div class="tripmap"><BusMap label={t("Course of the trip: the planned route and the track driven")} frame={`${route?.id}${points.length > 1}`}
            lines={[...(route ? [{ key: "plan", points: route.stops, look: "driven" as const }] : []),
              ...(points.length > 1 ? [{ key: "track", points, look: "track" as const }] : [])]}
            stops={(route?.stops ?? []).map((s) => ({ ...s, look: reached.has(s.id) ? ("reached" as const) : undefined }))} /></div></Card>
          <Riders id={x.id} />
        </div>
        <div class="stack far"><StopTimes r={r} /><Stretches r={r} /></div>
      </div>
      {open === "edit" && <EditTrip trip={x} buses={buses} drivers={drivers.options} onClose={() => setOpen(undefined)} />}
      {open === "cancel" && <CancelTrip trip={x} buses={buses} onClose={() => setOpen(undefined)} />}
    </>
  )
}

function figures(r: Report) {
  const late = r.stops.map((s) => s.delaySeconds).filter((s): s is number => s !== null)
  const worst = late.length ? delay(Math.max(...late)) : undefined
  return [
    { label: t("Started"), value: time(r.trip.startedAt) }, { label: t("Ended"), value: r.trip.endedAt ? time(r.trip.endedAt) : "–" },
    { label: t("Under way"), value: count(Math.round(r.durationSeconds / 60)), small: t("min") },
      { label: t("Distance"), value: count(Math.round(r.distanceMeters / 100) / 10), small: "km" },
    { label: t("Top speed"), value: count(Math.round(r.topSpeedKmh)), small: "km/h",
      ...(r.topSpeedKmh > r.speedLimitKmh && { note: t("over {limit} km/h", { limit: r.speedLimitKmh }), tone: "bad" as const }) },
    ...(worst ? [{ label: t("Longest delay"), value: worst.text, tone: worst.tone }] : []),
  ]
}

function StopTimes({ r }: { r: Report }) {
  return (
    <Card title={t("Stops")} flush><div class="scroll"><table>
      <thead><tr><th scope="col">{t("Stop")}</th><th scope="col" class="num">{t("Planned")}</th><th scope="col" class="num">{t("Reached")}</th>
        <th scope="col" class="num">{t("Departed")}</th><th scope="col">{t("Delay")}</th></tr></thead>
      <tbody>{r.stops.map((s) => {
        const d = s.delaySeconds === null ? undefined : delay(s.delaySeconds)
        return <tr key={s.stopId}><th scope="row">{s.name}</th><td class="num">{time(s.plannedAt)}</td><td class="num">{time(s.reachedAt)}</td><td class="num">{time(s.leftAt)}</td>
          <td>{d ? <span class={`nowrap ${d.tone}`}>{d.text}</span> : "–"}</td></tr>
      })}</tbody>
    </table></div></Card>
  )
}

function Stretches({ r }: { r: Report }) {
  const rows = [...r.overspeed.map((s) => ({ ...s, text: t("faster than {limit} km/h, up to {most} km/h", { limit: r.speedLimitKmh, most: Math.round(s.most) }) })),
    ...r.offRoute.map((s) => ({ ...s, text: t("off the route, up to {most} m", { most: count(Math.round(s.most)) }) }))]
  if (rows.length === 0) return null
  return <Card title={t("What stands out")} badge={<Badge tone="warn">{rows.length}</Badge>} flush>
    <ul class="list">{rows.sort((a, b) => a.from.localeCompare(b.from))
      .map((s) => <li key={s.from + s.text}><time class="nowrap muted">{time(s.from)}–{time(s.to)}</time><div class="grow">{s.text}</div></li>)}</ul></Card>
}

function Riders({ id }: { id: string }) {
  const riders = useGet("/bus-tracking/trip/{tripId}/students", { limit: 100 }, { tripId: id })
  useLive<{ tripId: string }>("boarding-status", (s) => { if (s.tripId === id) riders.reload() })
  return (
    <Card title={t("Riders")} badge={riders.data && <Badge>{riders.data.total}</Badge>} flush>
      <Ready of={riders}>{(d) => d.items.length === 0 ? <State icon="people" title={t("Nobody rides on this trip")} /> : (
        <div class="scroll"><table>
          <thead><tr><th scope="col">{t("Child")}</th><th scope="col">{t("Stop")}</th><th scope="col">{t("Status")}</th></tr></thead>
          <tbody>{d.items.map((s) => (
            <tr key={s.studentId}>
              <td><Who name={[s.firstName, s.lastName].filter(Boolean).join(" ")} photo={s.photoThumbnailUrl} href={`/app/students/${s.studentId}`}
                note={[s.className, s.divisionName].filter(Boolean).join(" ")} /></td><td>{s.stopName}</td>
              <td class="nowrap">
                <Badge tone={riderTones[s.status]}>{riderStatuses()[s.status]}</Badge> <span class="faint small">
                  {when(s.alightedAt ?? s.boardedAt ?? s.absentAt ?? s.noShowAt).replace("–", "")}{s.onLeave && ` ${t("on leave")}`}</span></td></tr>
          ))}</tbody>
        </table></div>
      )}</Ready>
      {riders.data && riders.data.total > riders.data.items.length
        && <p class="pad small muted">{n(riders.data.total - riders.data.items.length, "and {n} more", "and {n} more")}</p>}
    </Card>
  )
}
