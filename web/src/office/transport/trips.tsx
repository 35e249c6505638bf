import { useEffect, useState } from "preact/hooks"
import { may } from "../../api/session"
import { useGet } from "../../shell/load"
import { useKey } from "../../shell/keys"
import { query, setQuery } from "../../shell/router"
import { Badge, Button, Head, Tabs } from "../../ui/basics"
import { useEmployees } from "../../ui/choices"
import { Menu } from "../../ui/dialog"
import type { Option } from "../../ui/form"
import { List, type Column } from "../../ui/list"
import { date, shortDay, today } from "../../words/format"
import { t } from "../../words/words"
import { CancelMany, CancelTrip } from "./cancel"
import { EditTrip, Schedule } from "./schedule"
import { busLetters, busName, clock, sections, textOf, tripBus, tripStatuses, tripTypes, type Trip } from "./words"

const columns = (): Column<Trip>[] => [
  { key: "trip", label: t("Trip"), text: (x) => `${tripBus(x)} ${x.routeName}`,
    cell: (x) => <a class="who" href={`/app/transport/trips/${x.id}`}><span class="busno">{busLetters(tripBus(x))}</span>
      <span class="cut">{x.routeName} <span class="faint">{textOf(tripTypes(), x.type)}</span></span></a> },
  { key: "date", label: t("Date"), sort: "date", text: (x) => x.date, cell: (x) => <span class="nowrap">{shortDay(x.date)}, {date(x.date)}</span> },
  { key: "start", label: t("Starts"), text: (x) => x.startTime, cell: (x) => <span class="nowrap">{clock(x.startTime)}</span> },
  { key: "driver", label: t("Driver"), text: (x) => x.driverName, cell: (x) => (x.driverName ? <bdi class="one">{x.driverName}</bdi> : <Badge tone="bad">{t("no driver")}</Badge>),
    hide: "sm" },
  { key: "status", label: t("Status"), text: (x) => x.status, cell: (x) => <TripStatus trip={x} />, hide: "sm" },
  { key: "reason", label: t("Why"), text: (x) => x.cancelReason, cell: (x) => x.cancelReason && <span class="one muted">{x.cancelReason}</span>, hide: "md" },
]

export function TripStatus({ trip: x }: { trip: Trip }) {
  const s = tripStatuses().find((o) => o.value === x.status)!
  const forgotten = x.date < today() && (x.status === "in_progress" || x.status === "paused")
  if (forgotten) return <Badge tone="bad">{t("not ended")}</Badge>
  return s.tone ? <Badge tone={s.tone}>{s.text}</Badge> : <span class="faint">{s.text}</span>
}

export function useBusOptions(): Option[] {
  return (useGet("/school-admin/transport/bus/list", { limit: 100 }).data?.items ?? []).filter((b) => b.status !== "RETIRED")
    .map((b) => ({ value: b.id, text: b.routeName ? `${busName(b)}, ${b.routeName}` : busName(b) }))
}

export default function Trips() {
  const [open, setOpen] = useState<{ what: "new" | "many" } | { what: "edit" | "cancel"; trip: Trip }>()
  const buses = useBusOptions()
  const routes = useGet("/school-admin/transport/route/list", { limit: 100 })
  const drivers = useEmployees({ type: "DRIVER" })
  const routeOptions = (routes.data?.items ?? []).map((r): Option => ({ value: r.id, text: r.name }))
  const writes = may("write", "transport")
  useKey("n", t("Plan trips"), () => { if (writes) setOpen({ what: "new" }) })
  useEffect(() => { if (query.value.size === 0) setQuery({ from: today(), sort: "date", order: "asc" }) }, [])
  const close = () => setOpen(undefined)
  return (
    <>
      <Head title={t("Trips")}>
        {writes && <><Button icon="x" onClick={() => setOpen({ what: "many" })}>{t("Cancel days of a bus")}</Button>
          <Button icon="plus" kind="go" hint="N" onClick={() => setOpen({ what: "new" })}>{t("Plan trips")}</Button></>}</Head>
      <Tabs label={t("Transport")} items={sections()} current="trips" />
      <List path="/school-admin/transport/trip/list" name="trips" columns={columns()} open={(x) => `/app/transport/trips/${x.id}`}
        filters={[
          { name: "date", label: t("Day"), kind: "date" }, { name: "from", label: t("From"), kind: "date" }, { name: "to", label: t("Until"), kind: "date" },
            { name: "busId", label: t("Bus"), options: buses },
          { name: "routeId", label: t("Route"), options: routeOptions }, { name: "driverId", label: t("Driver"), options: drivers.options },
            { name: "type", label: t("Direction"), options: tripTypes() }, { name: "status", label: t("Status"), options: tripStatuses() },
        ]}
        rowActions={(x) => <Menu label={t("Actions for {name}", { name: `${tripBus(x)}, ${date(x.date)}` })} size="sm" items={[
          { text: t("Report and track"), icon: "list", href: `/app/transport/trips/${x.id}` },
          { text: t("Another driver, bus or time"), icon: "swap", hidden: !writes || x.status !== "scheduled", run: () => setOpen({ what: "edit", trip: x }) },
          { text: t("Cancel the trip"), icon: "x", danger: true, hidden: !writes || x.status === "completed" || x.status === "cancelled",
            run: () => setOpen({ what: "cancel", trip: x }) },
        ]} />}
        empty={{ icon: "bus", title: t("No trips planned"), text: t("Plan the trips of a bus for a whole term at once.") }} />
      {open?.what === "new" && <Schedule buses={buses} routes={routeOptions} drivers={drivers.options} onClose={close} />}
      {open?.what === "many" && <CancelMany buses={buses} onClose={close} />}
      {open?.what === "edit" && <EditTrip trip={open.trip} buses={buses} drivers={drivers.options} onClose={close} />}
      {open?.what === "cancel" && <CancelTrip trip={open.trip} buses={buses} onClose={close} />}
    </>
  )
}
