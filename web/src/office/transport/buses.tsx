import { useState } from "preact/hooks"
import { get, post, put, remove } from "../../api/client"
import type { Input } from "../../api/contract"
import { may } from "../../api/session"
import { changed, useGet } from "../../shell/load"
import { useKey } from "../../shell/keys"
import { say } from "../../shell/toast"
import { Badge, Button, Head, Tabs, type Tone } from "../../ui/basics"
import { useEmployees } from "../../ui/choices"
import { Menu } from "../../ui/dialog"
import type { FieldSpec, Option } from "../../ui/form"
import { List, type Column } from "../../ui/list"
import { RecordDialog } from "../../ui/record"
import { TypeName } from "../../ui/typename"
import { addDays, date, today } from "../../words/format"
import { n, t } from "../../words/words"
import { busLetters, busName, busStatuses, sections, type Bus } from "./words"

type NewBus = Input<"/school-admin/transport/bus/create", "post">

const soon = 30 // days before papers expire

/** A paper's date: red when it is over, amber when it is over soon. */
function Paper({ until }: { until: string | null }) {
  if (!until) return null
  const tone: Tone = until < today() ? "bad" : until <= addDays(today(), soon) ? "warn" : ""
  return tone ? <Badge tone={tone}>{tone === "bad" ? t("expired {date}", { date: date(until) }) : t("until {date}", { date: date(until) })}</Badge>
    : <span class="muted nowrap">{date(until)}</span>
}

const columns = (open: (b: Bus) => void): Column<Bus>[] => [
  { key: "name", label: t("Bus"), sort: "name", text: busName,
    cell: (b) => <button type="button" class="link who" onClick={() => open(b)}><span class="busno">{busLetters(busName(b))}</span>{busName(b)}</button> },
  { key: "plate", label: t("Plate"), sort: "registrationNo", text: (b) => b.registrationNo, cell: (b) => <span class="nowrap">{b.registrationNo}</span>, hide: "sm" },
  { key: "route", label: t("Route"), text: (b) => b.routeName, cell: (b) => b.routeId && <a class="one" href={`/app/transport/routes/${b.routeId}`}>{b.routeName}</a> },
  { key: "driver", label: t("Driver"), text: (b) => b.driverName,
    cell: (b) => (b.driverName ? <bdi class="one">{b.driverName}</bdi> : <Badge tone="warn">{t("no driver")}</Badge>), hide: "sm" },
  { key: "attendant", label: t("Attendant"), text: (b) => b.attendantName, cell: (b) => b.attendantName && <bdi class="one">{b.attendantName}</bdi>, hide: "md" },
  { key: "capacity", label: t("Seats"), num: true, text: (b) => b.capacity, cell: (b) => b.capacity, hide: "md" },
  { key: "insurance", label: t("Insured until"), text: (b) => b.insuranceExpiry, cell: (b) => b.insuranceExpiry && <Paper until={b.insuranceExpiry} />, hide: "md" },
  { key: "fitness", label: t("Inspected until"), text: (b) => b.fitnessExpiry, cell: (b) => b.fitnessExpiry && <Paper until={b.fitnessExpiry} />, hide: "md" },
  { key: "status", label: t("Status"), text: (b) => b.status,
    cell: (b) => { const s = busStatuses().find((x) => x.value === b.status)!; return s.tone ? <Badge tone={s.tone}>{s.text}</Badge> : <span class="faint">{s.text}</span> },
      hide: "sm" },
]

export default function Buses() {
  const [open, setOpen] = useState<Bus | "new">()
  const [doomed, setDoomed] = useState<Bus>()
  const routes = useGet("/school-admin/transport/route/list", { limit: 100 })
  const drivers = useEmployees({ type: "DRIVER" })
  const writes = may("write", "transport")
  const routeOptions = (routes.data?.items ?? []).map((r): Option => ({ value: r.id, text: r.name }))
  useKey("n", t("Add a bus"), () => { if (writes) setOpen("new") })
  const edit = (b: Bus) => { if (writes) setOpen(b) }
  return (
    <>
      <Head title={t("Buses")}>{writes && <Button icon="plus" kind="go" hint="N" onClick={() => setOpen("new")}>{t("Add a bus")}</Button>}</Head>
      <Tabs label={t("Transport")} items={sections()} current="buses" />
      <List path="/school-admin/transport/bus/list" name="buses" search={t("Name or plate")} columns={columns(edit)} open={edit}
        filters={[{ name: "status", label: t("Status"), options: busStatuses() }, { name: "routeId", label: t("Route"), options: routeOptions },
          { name: "driverId", label: t("Driver"), options: drivers.options }]}
        rowActions={(b) => <Menu label={t("Actions for {name}", { name: busName(b) })} size="sm" items={[
          { text: t("Change"), icon: "pen", hidden: !writes, run: () => setOpen(b) },
            { text: t("Its trips"), icon: "list", href: `/app/transport/trips?busId=${b.id}&from=${today()}` },
          { text: t("Delete"), icon: "x", danger: true, hidden: !may("delete", "transport"), run: () => setDoomed(b) },
        ]} />}
        empty={{ icon: "bus", title: t("No buses yet"), text: t("Add the first one with its plate; driver and route can follow.") }} />
      {open && <Edit bus={open === "new" ? undefined : open} routes={routeOptions} drivers={drivers.options} onClose={() => setOpen(undefined)} />}
      {doomed && <TypeName title={t("Delete {name}?", { name: busName(doomed) })} name={busName(doomed)} button={t("Delete the bus")} onClose={() => setDoomed(undefined)}
        text={t("Its past trips stay. A bus with planned trips can't be deleted; cancel them first, or set it out of use.")}
        run={async () => { await remove("/school-admin/transport/bus/{id}", { path: { id: doomed.id } }); changed(); say(t("{name} is deleted.", { name: busName(doomed) })) }} />}
    </>
  )
}

function Edit({ bus: b, routes, drivers, onClose }: { bus: Bus | undefined; routes: Option[]; drivers: Option[]; onClose: () => void }) {
  const fields: FieldSpec[] = [
    { name: "registrationNo", label: t("Plate"), required: true }, { name: "name", label: t("Name"), placeholder: t("Bus 3") },
    { name: "capacity", label: t("Seats"), kind: "number", min: 1 }, { name: "status", label: t("Status"), kind: "select", required: true, options: busStatuses() },
    { name: "routeId", label: t("Route"), kind: "select", options: routes },
      { name: "driverId", label: t("Driver"), kind: "select", options: drivers, ...(b && { help: t("Planned trips follow a new driver.") }) },
    { name: "attendantName", label: t("Attendant"), wide: true },
    { name: "insuranceExpiry", label: t("Insured until"), kind: "date" }, { name: "fitnessExpiry", label: t("Inspected until"), kind: "date" },
  ]
  const path = { path: { id: b?.id ?? "" } }
  return <RecordDialog title={b ? busName(b) : t("New bus")} fields={fields} record={b ? { ...b } : { capacity: 40, status: "ACTIVE" }} button={b ? t("Save") : t("Add the bus")}
    onClose={onClose}
    {...(b && { latest: async () => ({ ...(await get("/school-admin/transport/bus/{id}", undefined, path)) }) })}
    save={async (v, key) => {
      if (!b) {
        const made = await post("/school-admin/transport/bus/create", Object.fromEntries(Object.entries(v).filter(([, x]) => x !== null)) as NewBus, { key })
        return say(t("{name} is added.", { name: busName(made) }), () => remove("/school-admin/transport/bus/{id}", { path: { id: made.id } }))
      }
      const { registrationNo, name, capacity, status, routeId, driverId, attendantName, insuranceExpiry, fitnessExpiry } = b
      const saved = await put("/school-admin/transport/bus/{id}", { ...v, name: v.name ?? "", attendantName: v.attendantName ?? "" } as object, path)
      const old = { registrationNo, name: name ?? "", capacity, status, routeId, driverId, attendantName: attendantName ?? "", insuranceExpiry, fitnessExpiry }
      say(saved.tripsChanged ? n(saved.tripsChanged, "Saved. {n} trip has the new driver.", "Saved. {n} trips have the new driver.") : t("Saved."),
        () => put("/school-admin/transport/bus/{id}", old, path))
    }} />
}
