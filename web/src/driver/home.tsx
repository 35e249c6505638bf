// The driver's day: the trip that runs or comes next, and the others.
import { may, me } from "../api/session"
import { Bell } from "../pocket/bell"
import { Line, Screen } from "../pocket/screen"
import { useGet } from "../shell/load"
import { Badge, Card, LinkButton, Ready, State } from "../ui/basics"
import { longDate, time, today } from "../words/format"
import { n, t } from "../words/words"
import { ridersOf, running, standOf, todays, tripName, type Trip } from "./plan"

export default function Home() {
  const trips = useGet("/driver/trip/list", todays())
  return (
    <Ready of={trips}>{(page) => {
      const items = page.items.toSorted((a, b) => a.startTime.localeCompare(b.startTime))
      const next = items.find((x) => running({ ...x, status: standOf(x) })) ?? items.find((x) => standOf(x) === "scheduled")
      return (
        <Screen title={next ? headline(next) : t("No more trips today")} sub={longDate(today())} action={<Bell />}>
          {next && <Next trip={next} />}
          <Card title={t("Today")} flush>
            {items.length === 0 && <State icon="bus" title={t("You have no trips today")}><p>{t("The office plans trips. Call them if one is missing.")}</p></State>}
            {items.map((x) => <TripLine key={x.id} trip={x} />)}
          </Card>
          <Card flush><Line href="/app/trips" title={t("Earlier trips")} />{may("read", "leave") && <Line href="/app/leave" title={t("My leave")} />}</Card>
          <p class="help">{t("Your position is sent only while a trip runs and this page is open. A phone in the pocket with a dark screen sends nothing: use the driver's app for that.")}</p>
        </Screen>
      )
    }}</Ready>
  )
}

function headline(trip: Trip): string {
  return running({ ...trip, status: standOf(trip) }) ? t("You are driving, {name}", { name: firstName() }) : t("Next trip at {time}", { time: trip.startTime })
}

function firstName(): string { return me.value!.user.name.split(" ")[0]! }

function Next({ trip }: { trip: Trip }) {
  const riders = useGet("/driver/student/list", ridersOf(trip.id))
  const children = riders.data?.total ?? 0
  const drives = running({ ...trip, status: standOf(trip) })
  return (
    <Card>
      <div class="stack loose">
        <div class="row wide"><span class="busno big">{trip.busName ?? trip.busRegistrationNo}</span>
          <div class="grow"><h2>{tripName(trip)}</h2><p class="small muted">{trip.startTime}{children > 0 && ` · ${n(children, "{n} child", "{n} children")}`}</p></div></div>
        <LinkButton kind="go" href={`/app/trips/${trip.id}`}>{drives ? t("Go on") : t("Open the trip")}</LinkButton>
      </div>
    </Card>
  )
}

export function TripLine({ trip }: { trip: Trip }) {
  const stand = standOf(trip)
  const ended = trip.endedAt && t("ended {time}", { time: time(trip.endedAt) })
  return <Line href={`/app/trips/${trip.id}`} lead={<b class="num">{trip.startTime}</b>} title={tripName(trip)} sub={trip.cancelReason ?? ended} end={<Stand stand={stand} />} />
}

export function Stand({ stand }: { stand: Trip["status"] }) {
  switch (stand) {
    case "in_progress": return <Badge tone="good">{t("Driving")}</Badge>
    case "paused": return <Badge tone="warn">{t("Paused")}</Badge>
    case "completed": return <Badge>{t("Done")}</Badge>
    case "cancelled": return <Badge tone="bad">{t("Cancelled|trip")}</Badge>
    default: return <Badge tone="info">{t("Planned")}</Badge>
  }
}
