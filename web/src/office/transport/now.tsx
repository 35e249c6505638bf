// The panel of running buses: what is wrong first.
import { post } from "../../api/client"
import { may } from "../../api/session"
import { changed, useGet } from "../../shell/load"
import { setQuery } from "../../shell/router"
import { say, sayFault } from "../../shell/toast"
import { Badge, Bones, Button, Icon, LinkButton } from "../../ui/basics"
import { date, time, today, when } from "../../words/format"
import { n, t } from "../../words/words"
import { live } from "../../shell/live"
import { busLetters, busName, clock, delay, incidentTypes, minutes, textOf, tripBus, tripTypes, type Incident, type Route, type Running } from "./words"

interface Props { trips: Running[]; incidents: Incident[]; loading: boolean; chosen: string | null; routes: Route[] }

export function BusesNow({ trips, incidents, loading, chosen, routes }: Props) {
  return (
    <section class="mappanel start" aria-label={t("Buses now")}>
      <header><h2 class="grow">{t("Buses now")}</h2><span class={live.value ? "live" : "live off"}>{n(trips.length, "{n} on the road", "{n} on the road")}</span></header>
      {incidents.map((i) => <Alert key={i.id} incident={i} />)}
      {loading ? <Bones rows={3} /> : trips.length === 0 ? <Later routes={routes} /> : (
        <ul class="busnow">{trips.map((r) => {
          const d = r.delaySeconds === null ? undefined : delay(r.delaySeconds)
          return (
            <li key={r.trip.id}><button type="button" aria-pressed={r.bus.id === chosen} onClick={() => setQuery({ bus: r.bus.id === chosen ? "" : r.bus.id })}>
              <span class="row"><span class="busno">{busLetters(busName(r.bus))}</span><b class="cut grow">{r.trip.routeName}</b>{d && <Badge tone={d.tone}>{d.text}</Badge>}</span>
              <span class="small muted">{whereabouts(r)}</span>
            </button></li>
          )
        })}</ul>
      )}
    </section>
  )
}

/** Where a bus is, in a sentence. */
function whereabouts(r: Running): string {
  const way = textOf(tripTypes(), r.trip.type)
  if (r.trip.status === "paused") return t("Paused on the way {way}.", { way })
  if (!r.location) return t("On the way {way} since {time}. Not seen yet.", { way, time: time(r.trip.startedAt) })
  if (r.location.isStale) return t("Last seen {time}.", { time: when(r.location.timestamp) })
  if (r.nextStop && r.nextStop.etaSeconds < 45) return t("At {stop}.", { stop: r.nextStop.name })
  return r.nextStop ? t("{stop} in {minutes}.", { stop: r.nextStop.name, minutes: minutes(r.nextStop.etaSeconds) }) : t("On the way {way}.", { way })
}

function Alert({ incident: i }: { incident: Incident }) {
  return (
    <div class="busalert" role="alert">
      <p class="row top"><Icon name="alert" />
        <span><b>{textOf(incidentTypes(), i.type)}, {tripBus(i)}</b><br />
          <span class="small"><bdi>{i.reportedByName}</bdi>, {when(i.createdAt)}{i.description && <>: “{i.description}”</>}</span></span></p>
      <p class="row wrap">{may("write", "transport") && <Button kind="go" size="sm" onClick={() => void acknowledge(i)}>{t("I have seen it")}</Button>}
        {i.photoUrl && <a class="btn sm" href={i.photoUrl} target="_blank" rel="noreferrer"><Icon name="pic" />{t("Photo")}</a>}
          <LinkButton size="sm" href="/app/transport/incidents">{t("All incidents")}</LinkButton></p>
    </div>
  )
}

export async function acknowledge(i: Incident, note?: string): Promise<void> {
  try {
    await post("/school-admin/transport/incident/{id}/acknowledge", note ? { note } : {}, { path: { id: i.id } })
    changed()
    say(t("The driver knows that you have seen it."))
  } catch (e) {
    sayFault(e)
  }
}

/** No bus on the road: the next trips. */
function Later({ routes }: { routes: Route[] }) {
  const next = useGet("/school-admin/transport/trip/list", { from: today(), status: "scheduled", limit: 4, sort: "date", order: "asc" })
  return (
    <div class="pad stack">
      <p class="muted small">{t("No bus is on the road.")}</p>
      {next.data?.items.map((x) => <p key={x.id} class="row"><span class="busno">{busLetters(tripBus(x))}</span>
        <span class="grow cut">{x.routeName} {textOf(tripTypes(), x.type)}</span>
          <span class="muted small nowrap">{x.date !== today() && <>{date(x.date)}, </>}{clock(x.startTime)}</span></p>)}
      {routes.length === 0 && may("write", "transport") && <LinkButton href="/app/transport/routes/new" kind="go">{t("Draw the first route")}</LinkButton>}
    </div>
  )
}
