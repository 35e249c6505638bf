// Webhooks: which other systems are told of events. For a school and for the platform.
import { useState } from "preact/hooks"
import type { Input, Row } from "../api/contract"
import { changed, useLoad } from "../shell/load"
import { say, sayFault } from "../shell/toast"
import { localOf, momentOf, when } from "../words/format"
import { t } from "../words/words"
import { Badge, Banner, Button, Head, Ready } from "./basics"
import { Dialog, Menu } from "./dialog"
import type { Option } from "./form"
import { List, type Column } from "./list"
import { RecordDialog } from "./record"

type Hook = Row<"/school-admin/webhook/list">
type Delivery = Row<"/school-admin/webhook/{id}/deliveries">
type New = Input<"/school-admin/webhook/create", "post">
type Change = Input<"/school-admin/webhook/{id}", "put">
type At = { id: string }

/** The calls of a role. */
export interface Calls {
  events: () => Promise<{ events: { type: string }[] }>
  one: (path: At) => Promise<Hook>
  create: (v: New) => Promise<{ secret: string }>
  change: (path: At, v: Change, key?: string) => Promise<unknown>
  drop: (path: At) => Promise<unknown>
  rotate: (path: At) => Promise<{ secret: string }>
  test: (path: At) => Promise<unknown>
  replay: (path: At, since: string) => Promise<unknown>
  deliveries: (path: At) => Promise<{ items: Delivery[] }>
  retry: (path: At & { eventId: string }) => Promise<unknown>
}

interface Props { path: "/school-admin/webhook/list" | "/super-admin/webhook/list"; calls: Calls; write: boolean }

const things = (): Record<string, string> => ({
  student: t("Students"), guardian: t("Guardians"), employee: t("Staff"), class: t("Classes"), division: t("Divisions"), subject: t("Subjects"), year: t("School years"),
  timetable: t("Timetable"), attendance: t("Attendance"), leave: t("Leave"), exam: t("Exams"), payment: t("Payments"), refund: t("Refunds"),
  announcement: t("Announcements"), event: t("Events"), trip: t("Trips"), incident: t("Incidents"),
  school: t("Schools"), ping: t("Test"),
})

const doings = (): Record<string, string> => ({
  created: t("added"), updated: t("changed"), deleted: t("deleted"), left: t("left"), erased: t("erased"), promoted: t("promoted"),
  imported: t("imported"), assigned: t("assigned"),
  activated: t("activated"), marked: t("marked"), corrected: t("corrected"), requested: t("requested"), decided: t("decided"), cancelled: t("cancelled"), published: t("published"),
  unpublished: t("taken back"), recorded: t("recorded"), reversed: t("reversed"), started: t("started"), ended: t("ended"), 
  reported: t("reported"), suspended: t("suspended"), resumed: t("resumed"),
})

/** An event in words: "Students: added". */
function eventName(type: string): string {
  const [thing = "", doing = ""] = type.split(".")
  return [things()[thing] ?? thing, doings()[doing] ?? doing].filter(Boolean).join(": ")
}

const states = (): Option[] => [{ value: "ACTIVE", text: t("active") }, { value: "DISABLED", text: t("disabled") }]

const columns = (): Column<Hook>[] => [
  { key: "name", label: t("Name"), sort: "name", text: (h) => h.name, cell: (h) => <b>{h.name}</b> },
  { key: "url", label: t("Address"), text: (h) => h.url, cell: (h) => <span class="one">{h.url}</span>, hide: "sm" },
  { key: "events", label: t("Events"), text: (h) => h.events.join(" "), hide: "md",
    cell: (h) => <span class="muted">{h.events.slice(0, 3).map(eventName).join(", ")}{h.events.length > 3 && " …"}</span> },
  { key: "status", label: t("Status"), text: (h) => h.status, cell: (h) => <State hook={h} /> },
]

function State({ hook: h }: { hook: Hook }) {
  if (h.status === "DISABLED") {
    return <Badge tone="bad">{h.problem === "GONE" ? t("disabled: it is gone") : h.problem === "FAILING" ? t("disabled: it did not answer") : t("disabled")}</Badge>
  }
  return h.failingSince
    ? <Badge tone="warn">{t("fails since {time}", { time: when(h.failingSince) })}</Badge> : <Badge tone="good">{t("active")}</Badge>
}

export function Webhooks({ path, calls, write }: Props) {
  const [edited, edit] = useState<Hook | "new">()
  const [secret, setSecret] = useState("")
  const [watched, watch] = useState<Hook>()
  const [replayed, replay] = useState<Hook>()
  const turn = (h: Hook) => h.status === "ACTIVE" ? attempt(() => calls.change({ id: h.id }, { status: "DISABLED" }), t("It gets no more events."))
    : attempt(() => calls.change({ id: h.id }, { status: "ACTIVE" }), t("It gets events again."))
  const rotate = async (h: Hook) => { try { setSecret((await calls.rotate({ id: h.id })).secret); changed() } catch (e) { sayFault(e) } }
  return (
    <>
      <Head title={t("Webhooks")} sub={t("Other systems are told what happens here. They get ids, and read the records with their own rights.")}>
        {write && <Button kind="go" icon="plus" onClick={() => edit("new")}>{t("Add a webhook")}</Button>}
      </Head>
      <List path={path as "/school-admin/webhook/list"} name="webhooks" columns={columns()} filters={[{ name: "status", label: t("Status"), options: states() }]}
        open={(h) => watch(h)}
        rowActions={(h) => <Menu size="sm" label={t("Actions for {name}", { name: h.name })} items={[
          { text: t("What was sent"), icon: "list", run: () => watch(h) }, { text: t("Edit"), icon: "pen", run: () => edit(h), hidden: !write },
          { text: t("Send a test"), icon: "check", hidden: !write || h.status !== "ACTIVE", run: () => attempt(() => calls.test({ id: h.id }), t("A test is on its way.")) },
          { text: t("Send again since …"), icon: "back", run: () => replay(h), hidden: !write || h.status !== "ACTIVE" },
          { text: t("Replace the secret"), icon: "lock", run: () => void rotate(h), hidden: !write },
          { text: h.status === "ACTIVE" ? t("Disable") : t("Enable"), icon: "off", run: () => turn(h), hidden: !write },
          { text: t("Delete"), icon: "x", danger: true, hidden: !write, run: () => attempt(() => calls.drop({ id: h.id }), t("{name} is deleted.", { name: h.name })) },
        ]} />}
        empty={{ icon: "cloud", title: t("No webhooks yet"), text: t("Add one if another system, such as the library's, should know at once.") }} />
      {edited && <Edit calls={calls} hook={edited === "new" ? undefined : edited} onSecret={setSecret} onClose={() => edit(undefined)} />}
      {secret && <Secret secret={secret} onClose={() => setSecret("")} />}
      {watched && <Sent calls={calls} hook={watched} write={write} onClose={() => watch(undefined)} />}
      {replayed && <RecordDialog title={t("Send again since …")} button={t("Send again")} done={t("The events are on their way.")} onClose={() => replay(undefined)}
        record={{ since: localOf(new Date(Date.now() - 24 * 3600_000).toISOString()) }}
        fields={[{ name: "since", label: t("Everything since"), kind: "moment", required: true,
          help: t("At most 30 days ago. The other system recognises events that it has already.") }]}
        save={(v) => calls.replay({ id: replayed.id }, momentOf(String(v.since)))} />}
    </>
  )
}

async function attempt(run: () => Promise<unknown>, done: string): Promise<void> {
  try { await run(); changed(); say(done) } catch (e) { sayFault(e) }
}

function Edit({ calls, hook, onSecret, onClose }: { calls: Calls; hook: Hook | undefined; onSecret: (s: string) => void; onClose: () => void }) {
  const events = useLoad("webhook events", calls.events)
  const options = (events.data?.events ?? []).map((e) => ({ value: e.type, text: eventName(e.type) }))
  const fields = [
    { name: "url", label: t("Address of the other system"), required: true, wide: true, placeholder: "https://example.org/homeroom" },
    { name: "name", label: t("Name"), wide: true },
    { name: "events", label: t("Events"), kind: "many" as const, required: true, options },
  ]
  if (!hook) {
    return <RecordDialog wide title={t("Add a webhook")} button={t("Add")} onClose={onClose} fields={fields}
      save={async (v) => onSecret((await calls.create(v as New)).secret)} />
  }
  return <RecordDialog wide title={t("Edit {name}", { name: hook.name })} record={hook} fields={fields} done={t("Saved.")} onClose={onClose}
    latest={() => calls.one({ id: hook.id })} save={(v, key) => calls.change({ id: hook.id }, v as Change, key)} />
}

function Secret({ secret, onClose }: { secret: string; onClose: () => void }) {
  const copy = async () => { try { await navigator.clipboard.writeText(secret); say(t("Copied.")) } catch (e) { sayFault(e) } }
  return (
    <Dialog title={t("The secret")} onClose={onClose}>
      <Banner tone="warn">{t("Give this secret to the other system, which checks with it that events come from here. It is not shown again.")}</Banner>
      <pre class="codes">{secret}</pre>
      <div class="row"><Button icon="clip" onClick={() => void copy()}>{t("Copy|to the clipboard")}</Button><span class="push" />
        <Button kind="go" onClick={onClose}>{t("I have noted it")}</Button></div>
    </Dialog>
  )
}

/** The latest deliveries of a webhook. */
function Sent({ calls, hook, write, onClose }: { calls: Calls; hook: Hook; write: boolean; onClose: () => void }) {
  const loaded = useLoad(`webhook deliveries ${hook.id}`, () => calls.deliveries({ id: hook.id }))
  const retry = (event: string) => attempt(() => calls.retry({ id: hook.id, eventId: event }), t("It is on its way again."))
  return (
    <Dialog wide title={t("Sent to {name}", { name: hook.name })} onClose={onClose}
      footer={<Button icon="back" onClick={loaded.reload}>{t("Look again")}</Button>}>
      <Ready of={loaded}>{(list) => list.items.length === 0 ? <p class="muted">{t("Nothing was sent yet.")}</p> : (
        <div class="scroll"><table>
          <thead><tr>
            <th scope="col">{t("Event")}</th><th scope="col">{t("Status")}</th><th scope="col" class="hide-sm">{t("Answer")}</th><th scope="col">{t("When")}</th>
            <th scope="col"><span class="sr">{t("Actions")}</span></th>
          </tr></thead>
          <tbody>{list.items.map((d) => (
            <tr key={d.id}>
              <td>{eventName(d.type)}<span class="block only-sm small muted">{d.answer} {d.response}</span></td>
              <td>{d.status === "DELIVERED"
                ? <Badge tone="good">{t("delivered")}</Badge> : d.status === "FAILED" ? <Badge tone="bad">{t("failed")}</Badge> : <Badge>{t("waiting")}</Badge>}</td>
              <td class="small hide-sm">{d.answer} <span class="muted">{d.response}</span></td>
              <td><time class="muted nowrap">{when(d.createdAt)}</time></td>
              <td class="act">{write && hook.status === "ACTIVE" && d.status !== "PENDING" && <Button size="sm" onClick={() => void retry(d.id)}>{t("Send again")}</Button>}</td>
            </tr>
          ))}</tbody>
        </table></div>
      )}</Ready>
    </Dialog>
  )
}
