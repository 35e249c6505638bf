// Cancelling trips. With children on board the office says what becomes of them.
import { useState } from "preact/hooks"
import { Fault, post } from "../../api/client"
import type { Input } from "../../api/contract"
import { changed, useGet } from "../../shell/load"
import { say } from "../../shell/toast"
import { Banner } from "../../ui/basics"
import { Dialog } from "../../ui/dialog"
import { Form, type FieldSpec, type Option } from "../../ui/form"
import { date, today } from "../../words/format"
import { n, t } from "../../words/words"
import { clock, textOf, tripBus, tripTypes, type Trip } from "./words"

type Cancel = Input<"/school-admin/transport/trip/{id}/cancel", "post">

export function CancelTrip({ trip: x, buses, onClose }: { trip: Trip; buses: Option[]; onClose: () => void }) {
  const [aboard, setAboard] = useState("")
  const others = useGet("/school-admin/transport/trip/list", { date: x.date, type: x.type, limit: 50 })
  const trips = (others.data?.items ?? []).filter((o) => o.id !== x.id && o.status !== "completed" && o.status !== "cancelled")
    .map((o): Option => ({ value: o.id, text: `${tripBus(o)}, ${o.routeName}, ${clock(o.startTime)}` }))
  const fields: FieldSpec[] = [
    { name: "how", label: t("What becomes of the children on board?"), kind: "choice", wide: true, hidden: () => !aboard, options: [
      { value: "bus", text: t("Another bus takes them over"), note: t("On a new trip that starts at once.") }, { value: "trip", text: t("Another trip takes them over") },
      { value: "empty", text: t("The bus was searched and is empty"), note: t("Parents are told that the stop was not recorded.") },
    ] },
    { name: "replacementBusId", label: t("Bus"), kind: "select", required: true, options: buses.filter((b) => b.value !== x.busId), hidden: (v) => !aboard || v.how !== "bus" },
    { name: "replacementTripId", label: t("Trip"), kind: "select", required: true, options: trips, hidden: (v) => !aboard || v.how !== "trip" },
    { name: "reason", label: t("Reason"), wide: true, help: t("Parents and the driver read it, at once and by SMS.") },
  ]
  async function submit(v: Record<string, unknown>, key: string) {
    const body: Cancel = {
      reason: v.reason ? String(v.reason) : "", ...(v.how === "empty" && { confirmEmpty: true }),
      ...(v.replacementBusId ? { replacementBusId: String(v.replacementBusId) } : {}), ...(v.replacementTripId ? { replacementTripId: String(v.replacementTripId) } : {}),
    }
    try {
      return await post("/school-admin/transport/trip/{id}/cancel", body, { path: { id: x.id }, key })
    } catch (e) {
      if (e instanceof Fault && e.conflict && !aboard && x.status !== "scheduled") setAboard(e.message)
      throw e
    }
  }
  function done() {
    changed()
    const again = x.status === "scheduled"
      ? () => post("/school-admin/transport/trip/schedule", { busId: x.busId, routeId: x.routeId, driverId: x.driverId, type: x.type, date: x.date, startTime: x.startTime })
        : undefined
    say(t("The trip is cancelled. The driver and the parents are told."), again)
    onClose()
  }
  return (
    <Dialog title={t("Cancel {bus} on {date}", { bus: tripBus(x), date: date(x.date) })} onClose={onClose}>
      <p>{x.routeName} {textOf(tripTypes(), x.type)}, {clock(x.startTime)}. {t("The driver and the parents are told at once, by SMS and e-mail, too.")}</p>
      {aboard && <Banner tone="warn" icon="alert">{aboard}</Banner>}
      <Form single button={t("Cancel the trip")} fields={fields} initial={{ how: "bus", reason: "" }} submit={submit} onDone={done} onCancel={onClose} />
    </Dialog>
  )
}

/** All trips of a bus in some days, for example while it is in the workshop. */
export function CancelMany({ buses, onClose }: { buses: Option[]; onClose: () => void }) {
  return (
    <Dialog title={t("Cancel days of a bus")} onClose={onClose}>
      <p class="muted">{t("Trips that have not started. Drivers and parents are told at once.")}</p>
      <Form button={t("Cancel these trips")} onCancel={onClose} initial={{ fromDate: today(), toDate: today() }}
        fields={[
          { name: "busId", label: t("Bus"), kind: "select", required: true, options: buses, wide: true }, { name: "fromDate", label: t("From"), kind: "date", required: true },
            { name: "toDate", label: t("Until"), kind: "date", required: true },
          { name: "type", label: t("Direction"), kind: "select", options: tripTypes(), help: t("Without a choice: both.") },
            { name: "reason", label: t("Reason"), help: t("Parents read it.") },
        ]}
        submit={(v, key) => post("/school-admin/transport/trip/cancel",
          Object.fromEntries(Object.entries(v).filter(([, x]) => x !== null)) as Input<"/school-admin/transport/trip/cancel", "post">, { key })}
        onDone={(r) => { changed(); say(n((r as { cancelled: number }).cancelled, "{n} trip is cancelled.", "{n} trips are cancelled.")); onClose() }} />
    </Dialog>
  )
}
