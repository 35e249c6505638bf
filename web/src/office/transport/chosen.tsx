// One running bus: its stops with times, and who is on board.
import { useEffect } from "preact/hooks"
import { may } from "../../api/session"
import { useLive } from "../../shell/live"
import { useGet } from "../../shell/load"
import { Button, Icon, LinkButton, Ready } from "../../ui/basics"
import { useEmployees } from "../../ui/choices"
import { time } from "../../words/format"
import { n, t } from "../../words/words"
import type { Reply } from "../../api/contract"
import { busLetters, busName, delay, minutes, type Running } from "./words"

type BusLive = Reply<"/bus-tracking/bus/{busId}/live", "get">
type Riders = Reply<"/bus-tracking/trip/{tripId}/students", "get">["items"]

export function Chosen({ running: r, onClose }: { running: Running; onClose: () => void }) {
  const now = useGet("/bus-tracking/bus/{busId}/live", undefined, { busId: r.bus.id })
  const riders = useGet("/bus-tracking/trip/{tripId}/students", { limit: 100 }, { tripId: r.trip.id })
  const drivers = useEmployees({ type: "DRIVER" })
  useLive<{ busId: string }>("boarding-status", (s) => { if (s.busId === r.bus.id) riders.reload() })
  useEffect(() => now.reload(), [r.nextStop?.stopId, r.trip.status])
  const phone = drivers.items.find((d) => d.id === now.data?.trip?.driverId)?.phone
  const list = riders.data?.items ?? []
  const aboard = list.filter((s) => s.status === "boarded").length
  const families = list.filter((s) => s.status === "waiting" || s.status === "boarded")
  return (
    <section class="mappanel end" aria-label={r.trip.routeName}>
      <header><span class="busno">{busLetters(busName(r.bus))}</span>
        <div class="grow"><h2 class="cut">{r.trip.routeName}</h2><p class="small muted cut"><bdi>{r.trip.driverName}</bdi>, {r.bus.registrationNo}</p></div>
        <Button kind="plain" icon="x" aria-label={t("Close")} onClick={onClose} /></header>
      {list.length > 0 && <p class="pad small">{t("{n} of {all} aboard.", { n: aboard, all: list.length })}</p>}
      <Ready of={now}>{(d) => <Stops bus={d} riders={list} />}</Ready>
      <p class="row wrap pad">
        {may("write", "message") && families.length > 0
          && <LinkButton size="sm" icon="chat" href={`/app/messages?to=${families.map((s) => s.studentId).join()}`}>
            {n(families.length, "Write to {n} family", "Write to {n} families")}</LinkButton>}
        {phone && <a class="btn sm" href={`tel:${phone}`}><Icon name="phone" />{t("Driver")}</a>}
        <LinkButton size="sm" icon="list" href={`/app/transport/trips/${r.trip.id}`}>{t("Trip")}</LinkButton>
      </p>
    </section>
  )
}

function Stops({ bus, riders }: { bus: BusLive; riders: Riders }) {
  const next = bus.stops.findIndex((s) => s.id === bus.nextStop?.stopId)
  return (
    <ol class="stoplist">{bus.stops.map((s, i) => {
      const passed = !!s.reachedAt || i < next
      const here = riders.filter((x) => x.stopId === s.id)
      const done = here.filter((x) => x.status === (bus.trip?.type === "dropoff" ? "alighted" : "boarded") || x.status === "alighted").length
      const away = here.filter((x) => x.status === "absent" || x.status === "no_show").map((x) => x.firstName)
      const arrival = s.reachedAt ?? (s.etaSeconds !== null ? new Date(Date.now() + s.etaSeconds * 1000).toISOString() : passed ? null : s.plannedAt)
      const late = s.plannedAt && arrival && (s.reachedAt || s.etaSeconds !== null) ? delay((Date.parse(arrival) - Date.parse(s.plannedAt)) / 1000) : undefined
      return (
        <li key={s.id} class={passed ? "reached" : s.id === bus.nextStop?.stopId ? "coming" : ""}>
          <span class="row"><span class="grow cut">{s.name}</span><time>{time(arrival)}</time></span>
          <span class="row small">
            <span class="grow muted cut">
              {here.length === 0 ? t("nobody") : passed ? t("{n} of {all} done", { n: done, all: here.length }) : n(here.length, "{n} waits", "{n} wait")}
                {away.length > 0 && <>, {t("without {names}", { names: away.join(", ") })}</>}
            {!passed && s.etaSeconds !== null && <> · {minutes(s.etaSeconds)}</>}</span>{late && <span class={`nowrap ${late.tone}`}>{late.text}</span>}</span>
        </li>
      )
    })}</ol>
  )
}
