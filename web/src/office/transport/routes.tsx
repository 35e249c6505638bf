import { useState } from "preact/hooks"
import { remove } from "../../api/client"
import { may } from "../../api/session"
import { changed } from "../../shell/load"
import { useKey } from "../../shell/keys"
import { go } from "../../shell/router"
import { say } from "../../shell/toast"
import { Head, LinkButton, Tabs } from "../../ui/basics"
import { Menu } from "../../ui/dialog"
import { List, type Column } from "../../ui/list"
import { TypeName } from "../../ui/typename"
import { date } from "../../words/format"
import { n, t } from "../../words/words"
import { clock, sections, type Route } from "./words"

const columns = (): Column<Route>[] => [
  { key: "name", label: t("Route"), sort: "name", text: (r) => r.name, cell: (r) => <a class="strong" href={`/app/transport/routes/${r.id}`}>{r.name}</a> },
  { key: "stops", label: t("Stops"), num: true, text: (r) => r.stops.length, cell: (r) => n(r.stops.length, "{n} stop", "{n} stops") },
  { key: "way", label: t("Passes"), text: (r) => r.stops.map((s) => s.name).join(", "), cell: (r) => <span class="cut muted">{r.stops.map((s) => s.name).join(", ")}</span>,
    hide: "md" },
  { key: "morning", label: t("Morning"), text: (r) => `${r.stops[0]?.pickupTime ?? ""}`,
    cell: (r) => r.stops.length > 0 && <span class="nowrap">{clock(r.stops[0]!.pickupTime)}–{clock(r.stops.at(-1)!.pickupTime)}</span>, hide: "sm" },
  { key: "afternoon", label: t("Afternoon"), text: (r) => `${r.stops.at(-1)?.dropoffTime ?? ""}`,
    cell: (r) => r.stops.length > 0 && <span class="nowrap">{clock(r.stops.at(-1)!.dropoffTime)}–{clock(r.stops[0]!.dropoffTime)}</span>, hide: "sm" },
  { key: "created", label: t("Since"), sort: "createdAt", text: (r) => r.createdAt, cell: (r) => <span class="nowrap muted">{date(r.createdAt)}</span>, hide: "md", off: true },
]

export default function Routes() {
  const [doomed, setDoomed] = useState<Route>()
  const writes = may("write", "transport")
  useKey("n", t("Draw a route"), () => { if (writes) go("/app/transport/routes/new") })
  return (
    <>
      <Head title={t("Routes")}>{writes && <LinkButton icon="plus" kind="go" hint="N" href="/app/transport/routes/new">{t("Draw a route")}</LinkButton>}</Head>
      <Tabs label={t("Transport")} items={sections()} current="routes" />
      <List path="/school-admin/transport/route/list" name="routes" search={t("Name of the route")} columns={columns()} open={(r) => `/app/transport/routes/${r.id}`}
        rowActions={(r) => <Menu label={t("Actions for {name}", { name: r.name })} size="sm" items={[
          { text: t("Stops and riders"), icon: "pen", href: `/app/transport/routes/${r.id}` }, { text: t("Its trips"), icon: "list", href: `/app/transport/trips?routeId=${r.id}` },
          { text: t("Delete"), icon: "x", danger: true, hidden: !may("delete", "transport"), run: () => setDoomed(r) },
        ]} />}
        empty={{ icon: "swap", title: t("No routes yet"), text: t("A route is a list of stops. Buses drive it, children ride on it."),
          action: writes && <LinkButton kind="go" href="/app/transport/routes/new">{t("Draw a route")}</LinkButton> }} />
      {doomed && <TypeName title={t("Delete {name}?", { name: doomed.name })} name={doomed.name} button={t("Delete the route")} onClose={() => setDoomed(undefined)}
        text={t("Past trips keep it. A route that buses, children or planned trips use can't be deleted.")}
        run={async () => { await remove("/school-admin/transport/route/{id}", { path: { id: doomed.id } }); changed(); say(t("{name} is deleted.", { name: doomed.name })) }} />}
    </>
  )
}
