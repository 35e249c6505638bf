// Planning trips: one day or a range; and another driver, bus or time.
import { get, post, put } from "../../api/client"
import type { Input, Reply } from "../../api/contract"
import { changed } from "../../shell/load"
import { say } from "../../shell/toast"
import { Dialog } from "../../ui/dialog"
import { Form, type Option } from "../../ui/form"
import { RecordDialog } from "../../ui/record"
import { addDays, date, shortDay, today } from "../../words/format"
import { n, t } from "../../words/words"
import { tripBus, tripTypes, type Trip } from "./words"

type Plan = Input<"/school-admin/transport/trip/schedule", "post">
type Planned = Reply<"/school-admin/transport/trip/schedule", "post">

const monday = "2024-01-01"

export function Schedule({ buses, routes, drivers, onClose }: { buses: Option[]; routes: Option[]; drivers: Option[]; onClose: () => void }) {
  const weekdays = Array.from({ length: 7 }, (_, i) => ({ value: String(i + 1), text: shortDay(addDays(monday, i)) }))
  function body(v: Record<string, unknown>): Plan {
    const days = v.when === "range" ? { fromDate: String(v.fromDate), toDate: String(v.toDate), weekdays: ((v.weekdays as string[] | undefined) ?? []).map(Number) }
      : { date: String(v.date) }
    return { busId: String(v.busId), type: v.type as Plan["type"], startTime: String(v.startTime), ...days, ...(v.routeId ? { routeId: String(v.routeId) } : {}),
      ...(v.driverId ? { driverId: String(v.driverId) } : {}), replace: !!v.replace }
  }
  function done(p: Planned) {
    changed()
    const parts = [n(p.created, "{n} trip is planned.", "{n} trips are planned."), p.replaced ? n(p.replaced, "{n} was replaced.", "{n} were replaced.") : "",
      p.existing ? n(p.existing, "{n} was there already.", "{n} were there already.") : ""]
    say(parts.filter(Boolean).join(" "))
    onClose()
  }
  return (
    <Dialog title={t("Plan trips")} onClose={onClose} wide>
      <Form button={t("Plan them")} onCancel={onClose}
        initial={{ type: "pickup", startTime: "07:00", when: "range", date: today(), fromDate: today(), toDate: addDays(today(), 28), weekdays: [] }}
        fields={[
          { name: "busId", label: t("Bus"), kind: "select", required: true, options: buses },
            { name: "type", label: t("Direction"), kind: "select", required: true, options: tripTypes() },
          { name: "routeId", label: t("Route"), kind: "select", options: routes, help: t("Without one: the route of the bus.") },
            { name: "driverId", label: t("Driver"), kind: "select", options: drivers, help: t("Without one: the driver of the bus.") },
          { name: "startTime", label: t("Starts at"), kind: "time", required: true },
          { name: "when", label: t("Days"), kind: "select", required: true,
            options: [{ value: "range", text: t("every school day of a period") }, { value: "day", text: t("one day") }] },
          { name: "date", label: t("Day"), kind: "date", required: true, hidden: (v) => v.when === "range" },
          { name: "fromDate", label: t("From"), kind: "date", required: true, hidden: (v) => v.when !== "range" },
            { name: "toDate", label: t("Until"), kind: "date", required: true, hidden: (v) => v.when !== "range" },
          { name: "weekdays", label: t("Only on"), kind: "many", options: weekdays, hidden: (v) => v.when !== "range",
            help: t("Without a choice: every school day. Weekends and holidays are left out.") },
          { name: "replace", label: t("Replace trips that are there already"), kind: "switch", wide: true },
        ]}
        submit={(v, key) => post("/school-admin/transport/trip/schedule", body(v), { key })} onDone={(p) => done(p as Planned)} />
    </Dialog>
  )
}

export function EditTrip({ trip: x, buses, drivers, onClose }: { trip: Trip; buses: Option[]; drivers: Option[]; onClose: () => void }) {
  const path = { path: { id: x.id } }
  return <RecordDialog title={t("{bus} on {date}", { bus: tripBus(x), date: date(x.date) })} record={{ ...x }} onClose={onClose}
    latest={async () => ({ ...(await get("/school-admin/transport/trip/{id}", undefined, path)) })}
    fields={[
      { name: "driverId", label: t("Driver"), kind: "select", required: true, options: drivers },
        { name: "busId", label: t("Bus"), kind: "select", required: true, options: buses },
      { name: "startTime", label: t("Starts at"), kind: "time", required: true, help: t("Both drivers are told; of another bus or time also the parents.") },
    ]}
    save={async (v) => {
      await put("/school-admin/transport/trip/{id}", v as object, path)
      say(t("Changed. The drivers are told."), () => put("/school-admin/transport/trip/{id}", { driverId: x.driverId, busId: x.busId, startTime: x.startTime }, path))
    }} />
}
