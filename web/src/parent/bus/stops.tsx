// The stops of a trip: what is behind, the child's own, and how many there are between.
import { useState } from "preact/hooks"
import { time } from "../../words/format"
import { n, t } from "../../words/words"
import type { Child, Ride } from "../family"
import { secondsTo, type Place } from "./eta"
import type { Live, Rides } from "./bus"

interface Props {
  bus: Live
  mine: string | undefined // the child's stop
  child: Child
  place: Place | undefined
  running: boolean
  now: number
  ride: Ride | undefined
  plan: Rides[number] | undefined
}

export function Stops({ bus, mine, child, place, running, now, ride, plan }: Props) {
  const [all, setAll] = useState(false)
  if (bus.stops.length === 0) return null
  const last = bus.stops.findLastIndex((s) => s.reachedAt)
  const shown = (i: number, id: string) => all || id === mine || i === last
  const rows: ({ stop: Live["stops"][number] } | { skipped: number })[] = []
  for (const [i, stop] of bus.stops.entries()) {
    const before = rows.at(-1)
    if (shown(i, stop.id)) rows.push({ stop })
    else if (before && "skipped" in before) before.skipped++
    else rows.push({ skipped: 1 })
  }
  const crew = [plan?.driverName && t("{name} drives", { name: plan.driverName }), plan?.attendantName && t("{name} helps", {
    name: plan.attendantName })].filter(Boolean).join(", ")
  const about = ride?.type === "dropoff" ? t("{name} gets off here", { name: child.firstName }) : t("{name} gets on here", { name: child.firstName })
  const schoolLine = <li><span class="tdot" /><span class="grow"><b>{t("School")}</b>{crew && <span class="muted small"><bdi>{crew}</bdi></span>}</span></li>
  return (
    <ol class="stops" aria-label={t("Stops")}>
      {ride?.type === "dropoff" && schoolLine}
      {rows.map((r, i) => {
        if ("skipped" in r) {
          return <li key={`s${i}`}><span class="tdot" /><button type="button" class="link grow"
            onClick={() => setAll(true)}>{n(r.skipped, "{n} more stop", "{n} more stops")}</button></li>
        }
        const s = r.stop
        const left = running ? secondsTo(s.id, bus, place, now) : undefined
        const at = s.reachedAt ? time(s.reachedAt) : left !== undefined ? time(new Date(now + left * 1000).toISOString()) : s.plannedAt ? time(s.plannedAt) : ""
        return (
          <li key={s.id} class={s.reachedAt ? "past" : s.id === mine ? "now" : ""}><span class="tdot" />
            <span class="grow"><b><bdi>{s.name}</bdi></b>{s.id === mine && <span class="muted small"><bdi>{about}</bdi>
              </span>}{s.reachedAt && <span class="sr">{t("reached")}</span>}</span>
            <span class="num end strong">{at}</span></li>
        )
      })}
      {ride?.type !== "dropoff" && schoolLine}
    </ol>
  )
}
