import { useState } from "preact/hooks"
import { post } from "../../api/client"
import { may } from "../../api/session"
import { useLive } from "../../shell/live"
import { changed, useGet } from "../../shell/load"
import { say } from "../../shell/toast"
import { Badge, Button, Facts, Head, Icon, Tabs } from "../../ui/basics"
import { Dialog } from "../../ui/dialog"
import { Form } from "../../ui/form"
import { List, type Column } from "../../ui/list"
import { when } from "../../words/format"
import { t } from "../../words/words"
import { BusMap } from "../../bus/map"
import { acknowledge } from "./now"
import { busName, incidentTypes, sections, severities, textOf, tripBus, type Incident } from "./words"

const columns = (open: (i: Incident) => void): Column<Incident>[] => [
  { key: "type", label: t("Incident"), text: (i) => textOf(incidentTypes(), i.type),
    cell: (i) => <span class="gist"><button type="button" class="link strong" onClick={() => open(i)}>{textOf(incidentTypes(), i.type)}</button>
      <span class="cut muted">{i.description}</span></span> },
  { key: "severity", label: t("How serious"), text: (i) => textOf(severities(), i.severity),
    cell: (i) => { const s = severities().find((x) => x.value === i.severity)!; return s.tone ? <Badge tone={s.tone}>{s.text}</Badge> : <span class="faint">{s.text}</span> },
      hide: "sm" },
  { key: "bus", label: t("Bus"), text: tripBus, cell: (i) => <span class="nowrap">{tripBus(i)}</span> },
  { key: "by", label: t("Reported by"), text: (i) => i.reportedByName, cell: (i) => i.reportedByName && <bdi class="one">{i.reportedByName}</bdi>, hide: "md" },
  { key: "at", label: t("When"), sort: "createdAt", text: (i) => i.createdAt, cell: (i) => <time class="nowrap muted">{when(i.createdAt)}</time> },
  { key: "seen", label: t("Seen by"), text: (i) => i.acknowledgedByName,
    cell: (i) => (i.withdrawnAt ? <Badge>{t("withdrawn")}</Badge> : i.acknowledgedAt ? <span class="one muted"><bdi>{i.acknowledgedByName}</bdi>, {when(i.acknowledgedAt)}</span> : <Badge tone="bad">{t("nobody yet")}</Badge>),
      hide: "sm" },
]

export default function Incidents() {
  const [open, setOpen] = useState<Incident>()
  const buses = useGet("/school-admin/transport/bus/list", { limit: 100 })
  useLive("notification", () => changed())
  return (
    <>
      <Head title={t("Incidents")} sub={t("What drivers report from the road. The driver is told when you have seen it.")} />
      <Tabs label={t("Transport")} items={sections()} current="incidents" />
      <List path="/school-admin/transport/incident/list" name="incidents" columns={columns(setOpen)} open={setOpen}
        filters={[
          { name: "acknowledged", label: t("Seen"), options: [{ value: "false", text: t("not yet") }, { value: "true", text: t("yes") }] },
            { name: "severity", label: t("How serious"), options: severities() },
          { name: "type", label: t("Kind"), options: incidentTypes() },
            { name: "busId", label: t("Bus"), options: (buses.data?.items ?? []).map((b) => ({ value: b.id, text: busName(b) })) },
        ]}
        rowActions={(i) => !i.acknowledgedAt && stands(i) && <Button size="sm" onClick={() => void acknowledge(i)}>{t("I have seen it")}</Button>}
        empty={{ icon: "check", title: t("No incidents"), text: t("What a driver reports appears here at once.") }} />
      {open && <One i={open} onClose={() => setOpen(undefined)} />}
    </>
  )
}

function One({ i, onClose }: { i: Incident; onClose: () => void }) {
  const [mistake, setMistake] = useState(false)
  return (
    <Dialog title={`${textOf(incidentTypes(), i.type)}, ${tripBus(i)}`} onClose={onClose} side>
      {i.description && <p class="bubble pre">{i.description}</p>}
      {i.photoUrl && <a href={i.photoUrl} target="_blank" rel="noreferrer"><img src={i.photoUrl} alt={t("Photo by the driver")} /></a>}
      {i.lat !== null && i.lng !== null
        && <div class="minimap"><BusMap label={t("Place of the incident")} lines={[]} stops={[{ id: "here", name: t("Here"), lat: i.lat, lng: i.lng, look: "coming" }]} /></div>}
      <Facts items={[
        [t("How serious"), textOf(severities(), i.severity)], [t("Reported by"), <bdi key="r">{i.reportedByName}</bdi>], [t("When"), when(i.createdAt)],
          [t("Seen by"), i.acknowledgedByName && <bdi key="a">{i.acknowledgedByName}</bdi>],
        [t("Seen"), i.acknowledgedAt && when(i.acknowledgedAt)], [t("Note"), i.acknowledgeNote],
      ]} />
      {i.withdrawnAt && <Facts items={[
        [t("Withdrawn by"), <bdi key="w">{i.withdrawnByName}</bdi>], [t("Withdrawn|time"), when(i.withdrawnAt)], [t("Reason"), i.withdrawReason],
      ]} />}
      {i.tripId && <a class="row" href={`/app/transport/trips/${i.tripId}`}><Icon name="bus" />{t("The trip")}</a>}
      {!i.acknowledgedAt && stands(i) && !mistake
        && <Form single button={t("I have seen it")}
          fields={[{ name: "note", label: t("Note"), kind: "textarea", help: t("For the office and the driver. Parents don't see it.") }]}
        submit={(v) => acknowledge(i, v.note ? String(v.note) : undefined)} onDone={onClose} />}
      {stands(i) && !mistake && <Button icon="back" onClick={() => setMistake(true)}>{t("Reported by mistake")}</Button>}
      {mistake && <Form single button={t("Withdraw")} onCancel={() => setMistake(false)}
        fields={[{ name: "reason", label: t("Reason"), kind: "textarea", help: t("For the office and the driver. Everyone who was told of the incident is told that it was a mistake.") }]}
        submit={(v) => post("/school-admin/transport/incident/{id}/withdraw", { reason: String(v.reason ?? "") }, { path: { id: i.id } })}
        onDone={() => { changed(); say(t("Withdrawn. Everyone who was told of it knows.")); onClose() }} />}
    </Dialog>
  )
}

/** Whether one may act on an incident: it is not withdrawn. */
function stands(i: Incident): boolean { return !i.withdrawnAt && may("write", "transport") }
