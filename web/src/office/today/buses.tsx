import { Badge, Card, type Tone } from "../../ui/basics"
import { time } from "../../words/format"
import { t } from "../../words/words"
import type { Day } from "./today"

type Trip = NonNullable<Day["trips"]>["items"][number]

/** The buses on the road: where they are next, and how late. */
export function Buses({ trips }: { trips: Trip[] }) {
  return (
    <Card title={t("Buses")} action={<a href="/app/transport">{t("Open the map")}</a>} flush>
      <ul class="list">{trips.slice(0, 6).map((x) => {
        const [text, tone] = lateness(x)
        return (
          <li key={x.id}>
            <span class="busno" aria-hidden="true">{(x.busName ?? x.registrationNo).replace(/\D+/g, "").slice(-2) || "–"}</span>
            <div class="grow"><b><bdi>{x.busName ?? x.registrationNo}</bdi></b> <span class="muted">{x.routeName}</span>
              <p>{x.nextStopName ? t("Next: {stop}, {time}", { stop: x.nextStopName, time: time(x.nextStopAt) }) : t("On its way")}</p></div>
            <Badge tone={tone}>{text}</Badge>
          </li>
        )
      })}</ul>
    </Card>
  )
}

function lateness(x: Trip): [string, Tone] {
  const minutes = Math.round((x.delaySeconds ?? 0) / 60)
  if (x.status === "paused") return [t("paused"), "warn"]
  if (minutes >= 3) return [t("{n} min late", { n: minutes }), minutes >= 10 ? "bad" : "warn"]
  return [t("on time"), "good"]
}
