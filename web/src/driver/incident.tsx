// Reporting an incident: the office is told at once, and the parents of the children concerned.
import { useState } from "preact/hooks"
import { post } from "../api/client"
import { later } from "../api/queue"
import { Screen } from "../pocket/screen"
import { attach } from "../pocket/photo"
import { changed, useGet } from "../shell/load"
import { go, query } from "../shell/router"
import { say } from "../shell/toast"
import { Badge, Button, Card, Ready, State } from "../ui/basics"
import { Dialog } from "../ui/dialog"
import { Form, type Values } from "../ui/form"
import { when } from "../words/format"
import { t } from "../words/words"

type Kind = "vehicle_breakdown" | "traffic_jam" | "accident" | "other"
type Severity = "LOW" | "MEDIUM" | "HIGH"

const kinds = (): Record<Kind, string> => ({ vehicle_breakdown: t("Breakdown"), traffic_jam: t("Traffic jam"), accident: t("Accident"), other: t("Something else") })

export default function Incident() {
  const tripId = query.value.get("trip") ?? undefined
  const [picture, setPicture] = useState<File>()
  async function report(v: Values) {
    const files = picture ? [await attach(picture, "photoFileId", "/driver/file/upload")] : []
    const type = v.type as Kind
    await later("/driver/incident/report", { type, severity: v.severity as Severity, description: String(v.description ?? ""), ...(tripId && { tripId }), ...(await place()) },
      { label: t("Incident: {kind}", { kind: kinds()[type] }), files })
  }
  return (
    <Screen title={t("Report an incident")} back={tripId ? `/app/trips/${tripId}` : "/app/home"}>
      <Card>
        <Form single button={t("Tell the office and the parents")} initial={{ type: "traffic_jam", severity: "MEDIUM" }} submit={report}
          onDone={() => { say(t("The incident is reported.")); go(tripId ? `/app/trips/${tripId}` : "/app/home") }}
          fields={[
            { name: "type", label: t("What has happened?"), kind: "choice", required: true, options: Object.entries(kinds()).map(([value, text]) => ({ value, text })) },
            { name: "severity", label: t("How bad is it?"), kind: "choice", required: true, help: t("“Serious” calls the office by SMS at once."),
              options: [{ value: "LOW", text: t("Small") }, { value: "MEDIUM", text: t("Medium") }, { value: "HIGH", text: t("Serious") }] },
            { name: "description", label: t("In your words"), kind: "textarea" },
          ]}>
          {() => (
            <label class="btn">{picture ? t("Photo: {name}", { name: picture.name }) : t("Add a photo")}
              <input class="sr" type="file" accept="image/*" capture="environment" onChange={(e) => setPicture(e.currentTarget.files?.[0])} /></label>
          )}
        </Form>
      </Card>
      <Reported />
    </Screen>
  )
}

/** Where the phone is, if it knows within two seconds. */
function place(): Promise<{ lat?: number; lng?: number }> {
  return new Promise((done) => {
    if (!("geolocation" in navigator)) { done({}); return }
    navigator.geolocation.getCurrentPosition((p) => done({ lat: p.coords.latitude, lng: p.coords.longitude }), () => done({}), { timeout: 2_000, maximumAge: 60_000 })
  })
}

const withdrawable = 12 * 3600_000 // the service knows whether the trip still runs

function Reported() {
  const [mistake, setMistake] = useState<string>()
  const list = useGet("/driver/incident/list", { limit: 10 })
  return (
    <Card title={t("Reported before")} flush>
      <Ready of={list} rows={3}>{({ items }) => items.length === 0 ? <State icon="check" title={t("Nothing reported")} /> : (
        <ul class="list">{items.map((i) => (
          <li key={i.id}><span class="grow"><b>{kinds()[i.type]}</b><p class="small muted">{when(i.createdAt)}{i.description && <> · <bdi>{i.description}</bdi></>}</p>
            {!i.withdrawnAt && Date.now() - Date.parse(i.createdAt) < withdrawable && <Button size="sm" onClick={() => setMistake(i.id)}>{t("It was a mistake")}</Button>}</span>
            {i.withdrawnAt ? <Badge>{t("withdrawn")}</Badge> : i.acknowledgedAt ? <Badge tone="good">{t("The office knows")}</Badge> : <Badge tone="warn">{t("Not seen yet")}</Badge>}</li>
        ))}</ul>
      )}</Ready>
      {mistake && <Mistake id={mistake} onClose={() => setMistake(undefined)} />}
    </Card>
  )
}

function Mistake({ id, onClose }: { id: string; onClose: () => void }) {
  return (
    <Dialog title={t("Withdraw the report")} onClose={onClose}>
      <Form single button={t("Withdraw")} onCancel={onClose}
        fields={[{ name: "reason", label: t("Reason"), kind: "textarea", help: t("For the office. Everyone who was told of the incident is told that it was a mistake.") }]}
        submit={(v) => post("/driver/incident/{id}/withdraw", { reason: String(v.reason ?? "") }, { path: { id } })}
        onDone={() => { changed(); say(t("Withdrawn. Everyone who was told of it knows.")); onClose() }} />
    </Dialog>
  )
}
