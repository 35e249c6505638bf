import { useState } from "preact/hooks"
import { get, post, put, remove } from "../../api/client"
import type { Input, Row } from "../../api/contract"
import { may } from "../../api/session"
import { changed } from "../../shell/load"
import { useKey } from "../../shell/keys"
import { say, sayFault } from "../../shell/toast"
import { Badge, Button, Head, Tabs, type Tone } from "../../ui/basics"
import { useClasses } from "../../ui/choices"
import { Menu } from "../../ui/dialog"
import type { FieldSpec, Option, Values } from "../../ui/form"
import { List, type Column } from "../../ui/list"
import { RecordDialog } from "../../ui/record"
import { date, shortDay, today } from "../../words/format"
import { t } from "../../words/words"
import { forWhom, sections } from "./words"

type Event = Row<"/school-admin/event/list">
type NewEvent = Input<"/school-admin/event/create", "post">

const statuses = (): (Option & { tone: Tone })[] => [
  { value: "UPCOMING", text: t("coming"), tone: "" }, { value: "ONGOING", text: t("now"), tone: "good" }, { value: "COMPLETED", text: t("over"), tone: "" },
    { value: "CANCELLED", text: t("cancelled"), tone: "bad" },
]
const targets = (): Option[] => [
  { value: "ALL", text: t("Everybody") }, { value: "PARENTS", text: t("Parents") }, { value: "TEACHERS", text: t("Teachers") }, { value: "STUDENTS", text: t("Students") },
    { value: "CLASS", text: t("Classes") },
]
const target = (e: Event, classes: Option[]) => (e.targetAudience === "CLASS" ? forWhom({ audience: "CLASS", classIds: e.classIds, divisionIds: [] }, classes, [])
  : targets().find((x) => x.value === e.targetAudience)!.text)
const hours = (e: Event) => (e.startTime === "00:00" && e.endTime === "23:59" ? t("whole day") : `${e.startTime.replace(/^0/, "")}–${e.endTime.replace(/^0/, "")}`)

const columns = (classes: Option[], open: (e: Event) => void): Column<Event>[] => [
  { key: "title", label: t("Event"), sort: "title", rest: true, text: (e) => e.title,
    cell: (e) => <span class="gist"><button type="button" class="link strong" onClick={() => open(e)}><bdi>{e.title}</bdi></button><span class="cut muted">{e.description}</span>
      </span> },
  { key: "date", label: t("Date"), sort: "eventDate", text: (e) => e.eventDate, cell: (e) => <span class="nowrap">{shortDay(e.eventDate)}, {date(e.eventDate)}</span> },
  { key: "time", label: t("Time"), text: (e) => `${e.startTime}–${e.endTime}`, cell: (e) => <span class="nowrap muted">{hours(e)}</span>, hide: "sm" },
  { key: "venue", label: t("Place"), text: (e) => e.venue, cell: (e) => e.venue && <span class="one">{e.venue}</span>, hide: "md" },
  { key: "for", label: t("For whom"), text: (e) => target(e, classes), cell: (e) => <span class="one">{target(e, classes)}</span>, hide: "md" },
  { key: "status", label: t("Status"), text: (e) => e.status,
    cell: (e) => { const s = statuses().find((x) => x.value === e.status)!; return s.tone ? <Badge tone={s.tone}>{s.text}</Badge> : <span class="faint">{s.text}</span> },
      hide: "sm" },
]

export default function Events() {
  const [open, setOpen] = useState<Event | "new">()
  const classes = useClasses()
  const writes = may("write", "announcement")
  useKey("n", t("Add an event"), () => { if (writes) setOpen("new") })
  const edit = (e: Event) => { if (writes && e.status !== "CANCELLED") setOpen(e) }
  return (
    <>
      <Head title={t("Events")} sub={t("Parents and teachers see them in their calendar.")}>
        {writes && <Button icon="plus" kind="go" hint="N" onClick={() => setOpen("new")}>{t("Add an event")}</Button>}</Head>
      <Tabs label={t("Communication")} items={sections()} current="events" />
      <List path="/school-admin/event/list" name="events" search={t("Title or place")} columns={columns(classes.options, edit)} open={edit}
        filters={[{ name: "status", label: t("Status"), options: statuses() }, { name: "targetAudience", label: t("For whom"), options: targets() },
          { name: "from", label: t("From"), kind: "date" }, { name: "to", label: t("Until"), kind: "date" }]}
        rowActions={(e) => <Menu label={t("Actions for {name}", { name: e.title })} size="sm" items={[
          { text: t("Change"), icon: "pen", hidden: !writes || e.status === "CANCELLED", run: () => edit(e) },
          { text: t("Cancel the event"), icon: "x", hidden: !writes || e.status === "CANCELLED" || e.status === "COMPLETED", run: () => void cancel(e) },
          { text: t("Delete"), icon: "x", danger: true, hidden: !may("delete", "announcement"), run: () => void drop(e) },
        ]} />}
        empty={{ icon: "cal", title: t("No events yet"), text: t("Sports day, parents' evening, an excursion: add the first one.") }} />
      {open && <Edit event={open === "new" ? undefined : open} classes={classes.options} onClose={() => setOpen(undefined)} />}
    </>
  )
}

function Edit({ event: e, classes, onClose }: { event: Event | undefined; classes: Option[]; onClose: () => void }) {
  const fields: FieldSpec[] = [
    { name: "title", label: t("Title"), required: true, wide: true }, { name: "eventDate", label: t("Date"), kind: "date", required: true }, { name: "venue", label: t("Place") },
    { name: "startTime", label: t("Begins"), kind: "time", help: t("Without times it lasts the whole day.") }, { name: "endTime", label: t("Ends"), kind: "time" },
    { name: "targetAudience", label: t("For whom"), kind: "select", required: true, options: targets(), wide: true },
      { name: "classIds", label: t("Classes"), kind: "many", options: classes, hidden: (v) => v.targetAudience !== "CLASS" },
    { name: "description", label: t("Description"), kind: "textarea" },
  ]
  const path = { path: { id: e?.id ?? "" } }
  const full = (v: Values) => ({ ...v, classIds: v.targetAudience === "CLASS" ? (v.classIds ?? []) : [], description: v.description ?? "", venue: v.venue ?? "" }) as NewEvent
  return <RecordDialog title={e ? t("Change the event") : t("New event")} fields={fields} record={e ? { ...e } : { targetAudience: "ALL", eventDate: today() }}
    button={e ? t("Save") : t("Add the event")} onClose={onClose}
    {...(e && { latest: async () => ({ ...(await get("/school-admin/event/{id}", undefined, path)) }), done: t("Changed.") })}
    save={async (v, key) => {
      if (e) return put("/school-admin/event/{id}", { ...full(v), version: v.version as number }, path)
      const made = await post("/school-admin/event/create", full(v), { key })
      say(t("Added."), () => remove("/school-admin/event/{id}", { path: { id: made.id } }))
    }} />
}

const again = (e: Event): NewEvent => ({ title: e.title, description: e.description ?? "", eventDate: e.eventDate, startTime: e.startTime, endTime: e.endTime,
  venue: e.venue ?? "", targetAudience: e.targetAudience, classIds: e.classIds })

/** A cancelled event stays cancelled; undo puts a new one in its place. */
async function cancel(e: Event): Promise<void> {
  try {
    await post("/school-admin/event/{id}/cancel", undefined, { path: { id: e.id } })
    changed()
    say(t("{name} is cancelled.", { name: e.title }),
      async () => { await post("/school-admin/event/create", again(e)); await remove("/school-admin/event/{id}", { path: { id: e.id } }) })
  } catch (err) {
    sayFault(err)
  }
}

async function drop(e: Event): Promise<void> {
  try {
    await remove("/school-admin/event/{id}", { path: { id: e.id } })
    changed()
    say(t("{name} is deleted.", { name: e.title }), async () => {
      const made = await post("/school-admin/event/create", again(e))
      if (e.status === "CANCELLED") await post("/school-admin/event/{id}/cancel", undefined, { path: { id: made.id } })
    })
  } catch (err) {
    sayFault(err)
  }
}
