// Events and holidays ahead.
import { school } from "../api/session"
import { Screen } from "../pocket/screen"
import { useGet } from "../shell/load"
import { Badge, Card, Ready, State } from "../ui/basics"
import { longDate, range, today } from "../words/format"
import { t } from "../words/words"
import { useDay } from "./family"
import { clock } from "./state"

export default function Events() {
  useDay() // learns of a child whose link has ended
  const events = useGet("/parent/event/list", { from: today(), sort: "eventDate", order: "asc", limit: 100 })
  const holidays = school.value?.holidays.filter((h) => h.endDate >= today()) ?? []
  const next = events.data?.items.find((e) => e.status !== "CANCELLED")
  return (
    <Screen title={next ? <bdi>{next.title}</bdi> : t("Events and holidays")} sub={next && longDate(next.eventDate)} back="/app/school">
      <Ready of={events} rows={6}>{(e) => e.items.length === 0 ? <State icon="cal" title={t("No events ahead")} /> : (
        <>{e.items.map((x) => (
          <Card key={x.id}><div class="stack">
            <div class="row"><h2 class="grow"><bdi>{x.title}</bdi></h2>{x.status === "CANCELLED" && <Badge tone="bad">{t("cancelled")}</Badge>}</div>
            <p><bdi>{[longDate(x.eventDate), `${clock(x.startTime)}–${clock(x.endTime)}`, x.venue].filter(Boolean).join(", ")}</bdi></p>
            {x.description && <p class="muted lines"><bdi>{x.description}</bdi></p>}
          </div></Card>
        ))}</>
      )}</Ready>
      {holidays.length > 0 && (events.data ?? events.fault) && (
        <Card title={t("Holidays")} flush>
          <ul class="list">{holidays.map((h) => <li key={h.date + h.name}><div class="grow"><b><bdi>{h.name}</bdi></b><p>{range(h.date, h.endDate)}</p></div></li>)}</ul>
        </Card>
      )}
    </Screen>
  )
}
