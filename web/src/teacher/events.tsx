// Events of the school: coming ones first, new ones by the teacher.
import { useState } from "preact/hooks"
import { put, remove } from "../api/client"
import type { Schema } from "../api/contract"
import { later, waiting } from "../api/queue"
import { may } from "../api/session"
import { Screen } from "../pocket/screen"
import { changed, useGet } from "../shell/load"
import { query, setQuery } from "../shell/router"
import { say, sayFault } from "../shell/toast"
import { Badge, Button, Card, Ready, Segments, State, Tabs } from "../ui/basics"
import { Dialog } from "../ui/dialog"
import type { FieldSpec, Values } from "../ui/form"
import { RecordDialog } from "../ui/record"
import { addDays, longDate, today } from "../words/format"
import { t } from "../words/words"
import { useDivisions } from "./classes"
import { tabs } from "./news"

type Event = Schema["Event"]
type Doing = { event?: Event; what: "edit" | "delete" }

export default function Events() {
  const past = query.value.get("show") === "past"
  const list = useGet("/teacher/co-curricular/get-events", past ? { from: addDays(today(), -90), to: addDays(today(), -1) } : { from: today() })
  const [doing, setDoing] = useState<Doing>()
  const waits = waiting.value.filter((w) => w.about === "event")
  const shown = past ? [...(list.data?.events ?? [])].reverse() : (list.data?.events ?? [])
  return (
    <Screen title={t("Events")} action={may("write", "event") && <Button kind="go" size="sm" icon="plus" onClick={() => setDoing({ what: "edit" })}>{t("New event")}</Button>}>
      <Tabs label={t("News")} items={tabs()} current="events" />
      <Segments label={t("Show")} value={past ? "past" : ""} options={[{ value: "", text: t("Coming") }, { value: "past", text: t("Past") }]} onChange={(v) => setQuery({ show: v })} />
      {waits.map((w) => <Card key={w.id}><div class="row"><b class="grow cut"><bdi>{(w.body as { title: string }).title}</bdi></b><Badge tone={w.refused ? "bad" : "warn"}>{w.refused ? t("Not accepted") : t("Not sent yet")}</Badge></div></Card>)}
      <Ready of={list}>{() => (
        shown.length === 0 ? <State icon="cal" title={t("No events")} /> : <>{shown.map((e) => <One key={e.id} event={e} onDo={(what) => setDoing({ event: e, what })} />)}</>
      )}</Ready>
      {doing?.what === "edit" && <Edit of={doing.event} onClose={() => setDoing(undefined)} />}
      {doing?.what === "delete" && <Delete of={doing.event!} onClose={() => setDoing(undefined)} />}
    </Screen>
  )
}

/** "10:00 – 12:00", or the whole day. */
function hours(e: Event): string {
  const [from, to] = [e.startTime.slice(0, 5), e.endTime.slice(0, 5)]
  return from === "00:00" && to === "23:59" ? t("Whole day") : `${from} – ${to}`
}

function One({ event: e, onDo }: { event: Event; onDo: (what: Doing["what"]) => void }) {
  const open = e.status !== "CANCELLED" && may("write", "event")
  return (
    <Card title={<bdi>{e.title}</bdi>} badge={e.status === "CANCELLED" ? <Badge tone="bad">{t("Cancelled|event")}</Badge> : e.status === "ONGOING" && <Badge tone="info">{t("Now")}</Badge>}>
      <div class="stack">
        <p><b>{longDate(e.eventDate)}</b>, {hours(e)}{e.venue && <> · <bdi>{e.venue}</bdi></>}</p>
        {e.description && <p class="prose muted"><bdi>{e.description}</bdi></p>}
        {(open || may("delete", "event")) && <div class="pair">
          {open && <Button size="sm" aria-label={t("Change {title}", { title: e.title })} onClick={() => onDo("edit")}>{t("Change")}</Button>}
          {may("delete", "event") && <Button size="sm" kind="danger" aria-label={t("Delete {title}", { title: e.title })} onClick={() => onDo("delete")}>{t("Delete")}</Button>}
        </div>}
      </div>
    </Card>
  )
}

function useFields(): FieldSpec[] {
  const classes = useDivisions()
  return [
    { name: "title", label: t("Title"), required: true, wide: true }, { name: "eventDate", label: t("Day"), kind: "date", required: true },
    { name: "startTime", label: t("From"), kind: "time" }, { name: "endTime", label: t("To"), kind: "time" }, { name: "venue", label: t("Place") },
    { name: "description", label: t("Text"), kind: "textarea" },
    { name: "targetAudience", label: t("For whom"), kind: "select", required: true, options: [{ value: "CLASS", text: t("My classes") }, { value: "ALL", text: t("Everybody") }, { value: "PARENTS", text: t("All parents") }, { value: "TEACHERS", text: t("All teachers") }, { value: "STUDENTS", text: t("All students") }] },
    { name: "classIds", label: t("Classes"), kind: "many", options: (classes.data?.items ?? []).map((c) => ({ value: c.id, text: c.name })), hidden: (v) => v["targetAudience"] !== "CLASS" },
  ]
}

function Edit({ of: e, onClose }: { of: Event | undefined; onClose: () => void }) {
  const fields = useFields()
  if (!e) {
    return <RecordDialog title={t("New event")} fields={fields} record={{ eventDate: today(), targetAudience: "CLASS", classIds: [] }} button={t("Add event")} done={t("The event is kept and sent.")} onClose={onClose}
      save={(v) => later("/teacher/co-curricular/add-event", v as never, { label: t("Event: {title}", { title: String(v["title"]) }), lane: "event", about: "event" })} />
  }
  const before: Values = { title: e.title, description: e.description, eventDate: e.eventDate, startTime: e.startTime.slice(0, 5), endTime: e.endTime.slice(0, 5), venue: e.venue, targetAudience: e.targetAudience, classIds: e.classIds }
  return <RecordDialog title={t("Change event")} fields={fields} record={{ ...before, version: e.version }} done={t("The event is changed.")} onClose={onClose}
    save={(v) => put("/teacher/co-curricular/update-event", { ...v, id: e.id } as never)} undo={() => put("/teacher/co-curricular/update-event", { ...before, id: e.id } as never)} />
}

function Delete({ of: e, onClose }: { of: Event; onClose: () => void }) {
  async function run(call: () => Promise<unknown>, done: string) {
    try {
      await call()
      say(done)
      changed()
      onClose()
    } catch (f) {
      sayFault(f)
    }
  }
  const coming = e.status === "UPCOMING" || e.status === "ONGOING"
  return (
    <Dialog title={t("Delete {title}", { title: e.title })} onClose={onClose} footer={<>
      {coming && <Button onClick={() => void run(() => put("/teacher/co-curricular/update-event", { id: e.id, status: "CANCELLED" }), t("The event is cancelled."))}>{t("Cancel event")}</Button>}
      <Button kind="danger go" onClick={() => void run(() => remove("/teacher/co-curricular/delete-event/{id}", { path: { id: e.id } }), t("The event is deleted."))}>{t("Delete event")}</Button></>}>
      <p>{coming ? t("A cancelled event stays in the list, so that people know. A deleted one is gone.") : t("Nothing brings it back.")}</p>
    </Dialog>
  )
}
