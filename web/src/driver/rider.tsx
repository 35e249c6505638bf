// One child on the trip: who, what to know, and two big buttons.
import { later } from "../api/queue"
import { Avatar, Button, Icon } from "../ui/basics"
import { fullName } from "../words/format"
import { t } from "../words/words"
import { aboutStatus, laneOf, type Rider, type Status, type Step } from "./plan"

export function setStatus(tripId: string, r: Rider, status: Exclude<Status, never>): Promise<number> {
  const name = nameOf(r)
  const label = { boarded: t("{name} is on board", { name }), alighted: t("{name} got off", { name }) }[status as string] ?? t("{name}: a change on the bus", { name })
  return later("/driver/bus-tracking/trips/{tripId}/students/{studentId}/status", { status }, {
    label, lane: laneOf(tripId), about: aboutStatus(tripId, r.studentId), params: { tripId, studentId: r.studentId },
  })
}

export function nameOf(r: Rider): string { return r.firstName ? fullName({ firstName: r.firstName, lastName: r.lastName }) : t("A child") }

export function RiderCard({ tripId, rider, step, drives }: { tripId: string; rider: Rider; step: Step; drives: boolean }) {
  const name = nameOf(rider)
  const where = [rider.className, rider.divisionName].filter(Boolean).join(" ")
  return (
    <li class="rider">
      <div class="row wide">
        <Avatar name={name} photo={rider.photoThumbnailUrl} size="lg" />
        <div class="grow"><b><bdi>{name}</bdi></b><p>{where}</p></div>
        {rider.guardianPhone && <a class="btn plain icon" href={`tel:${rider.guardianPhone}`} aria-label={t("Call {guardian}, for {name}", { guardian: rider.guardianName ?? t("a guardian"), name })}><Icon name="phone" size="md" /></a>}
      </div>
      {rider.rideNotes && <p class="health"><Icon name="heart" /><span><b>{t("Health:")}</b> <bdi>{rider.rideNotes}</bdi></span></p>}
      <Choice rider={rider} name={name} step={step} drives={drives} mark={(status) => void setStatus(tripId, rider, status)} />
    </li>
  )
}

function Choice({ rider, name, step, drives, mark }: { rider: Rider; name: string; step: Step; drives: boolean; mark: (s: Status) => void }) {
  const undo = (to: Status) => drives && <Button kind="plain" size="sm" class="push" aria-label={t("Undo for {name}", { name })} onClick={() => mark(to)}>{t("Undo")}</Button>
  if (step.kind === "off") {
    switch (rider.status) {
      case "boarded": return <Button class="yes" icon="check" disabled={!drives} aria-label={t("{name} got off", { name })} onClick={() => mark("alighted")}>{t("Got off")}</Button>
      case "alighted": return <Said tone="good" text={t("Got off")}>{undo("boarded")}</Said>
      default: return <Said text={t("Not on the bus")} />
    }
  }
  switch (rider.status) {
    case "boarded": return <Said tone="good" text={t("On board")}>{undo("waiting")}</Said>
    case "alighted": return <Said tone="good" text={t("Got off")} />
    case "waiting": return rider.onLeave
      ? <Said tone="info" text={t("On leave today")} note={t("Don’t wait")}>{drives && <Button kind="plain" size="sm" class="push" aria-label={t("{name} is on board", { name })} onClick={() => mark("boarded")}>{t("Came anyway")}</Button>}</Said>
      : (
        <div class="pair">
          <Button class="yes" icon="check" disabled={!drives} aria-label={t("{name} is on board", { name })} onClick={() => mark("boarded")}>{t("On board")}</Button>
          <Button disabled={!drives} aria-label={t("{name} is not here", { name })} onClick={() => mark("no_show")}>{t("Not here")}</Button>
        </div>
      )
    default: return <Said text={t("Not here")}>{undo("waiting")}</Said>
  }
}

function Said({ tone, text, note, children }: { tone?: "good" | "info"; text: string; note?: string; children?: preact.ComponentChildren }) {
  return <div class={`said ${tone ?? ""}`}>{tone === "good" && <Icon name="check" size="md" />}<b>{text}</b>{note && <span class="small">{note}</span>}{children}</div>
}
