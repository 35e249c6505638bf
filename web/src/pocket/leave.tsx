// One's own leave, of teachers and drivers: what is left, what was asked for, a new application.
import { useState } from "preact/hooks"
import { later, waiting, type Attached } from "../api/queue"
import { may, role } from "../api/session"
import { useDraft } from "./draft"
import { Photos } from "./photo"
import { useGet } from "../shell/load"
import { say, sayFault } from "../shell/toast"
import { Badge, Banner, Button, Card, Facts, Ready } from "../ui/basics"
import { Field } from "../ui/form"
import { count, today } from "../words/format"
import { t } from "../words/words"
import { routes } from "./routes"
import { Screen } from "./screen"
import { daysOf, kindOf, kinds, StateBadge, type Leave } from "./leavewords"

const name = "own-leave"

export default function OwnLeave() {
  const balance = useGet(routes().leaveBalance)
  const list = useGet(routes().leaves, { limit: 30 })
  const [applying, setApplying] = useState(false)
  const waits = waiting.value.filter((w) => w.about === name && !w.refused)
  return (
    <Screen title={t("My leave")} back={role.value === "DRIVER" ? "/app/home" : "/app/leaves"} dock={may("write", "leave") && !applying && <Button kind="go" class="full" icon="plus" onClick={() => setApplying(true)}>{t("Apply for leave")}</Button>}>
      {applying && <Apply onDone={() => setApplying(false)} />}
      {waits.map((w) => <Banner key={w.id} tone="warn" icon="cloud">{t("Your application is kept on this phone and not sent yet.")}</Banner>)}
      <Card title={t("This year")}><Ready of={balance} rows={3}>{(b) => (
        <Facts items={b.balances.map((x) => [kindOf(x), x.left === null ? t("{n} taken", { n: count(x.taken) }) : t("{left} of {n} left", { left: count(x.left), n: count(x.entitled ?? 0) })])} />
      )}</Ready></Card>
      <Card title={t("Applications")} flush><Ready of={list} rows={4}>{(l) => (
        l.items.length === 0 ? <p class="pad muted">{t("You have not asked for leave.")}</p> : <>{l.items.map((x) => <One key={x.id} leave={x} />)}</>
      )}</Ready></Card>
    </Screen>
  )
}

function One({ leave: l }: { leave: Leave }) {
  const open = l.status === "PENDING" || (l.status === "APPROVED" && l.fromDate > today())
  const call = waiting.value.find((w) => w.about === `cancel/${l.id}`)
  async function cancel() {
    try {
      await later(routes().leaveCancel, undefined as never, { label: t("Cancelling your leave"), params: { id: l.id }, lane: `leave/${l.id}`, about: `cancel/${l.id}` })
      say(t("Your leave is cancelled."), () => later(routes().leaveApply, againOf(l), { label: t("Your leave"), lane: name, about: name }))
    } catch (e) {
      sayFault(e)
    }
  }
  return (
    <div class="line"><span class="grow"><b>{daysOf(l)}</b><span>{kindOf(l)}{l.reason && <> · <bdi>{l.reason}</bdi></>}</span>{l.decisionNote && <span><bdi>{l.decisionNote}</bdi></span>}</span>
      {call ? <Badge tone="warn">{t("Not sent yet")}</Badge> : <StateBadge of={l.status} />}
      {open && !call && <Button size="sm" aria-label={t("Cancel leave, {days}", { days: daysOf(l) })} onClick={() => void cancel()}>{t("Cancel")}</Button>}
    </div>
  )
}

/** The same application again, to take cancelling back. */
function againOf(l: Leave) {
  return { type: l.type, fromDate: l.fromDate, toDate: l.toDate, ...(l.half && { half: l.half }), ...(l.reason && { reason: l.reason }), attachments: l.attachments }
}

function Apply({ onDone }: { onDone: () => void }) {
  const d = useDraft(name, { type: "SICK", fromDate: today(), toDate: "", half: "", reason: "", attachments: [] as string[], files: [] as Attached[] })
  const v = d.value
  if (!v) return null
  const oneDay = !v.toDate || v.toDate === v.fromDate
  async function send(e: Event) {
    e.preventDefault()
    try {
      await d.send(routes().leaveApply, {
        type: v!.type as Leave["type"], fromDate: v!.fromDate, ...(v!.toDate && { toDate: v!.toDate }), ...(oneDay && v!.half && { half: v!.half as "FIRST" }),
        ...(v!.reason.trim() && { reason: v!.reason.trim() }), attachments: [],
      }, { label: t("Your leave"), lane: name })
      say(t("Your application is kept and sent."))
      onDone()
    } catch (e) {
      sayFault(e)
    }
  }
  return (
    <Card title={t("Apply for leave")}>
      <form class="form" onSubmit={(e) => void send(e)}>
        {d.refused && <div class="summary" role="alert"><b>{d.refused.message}</b></div>}
        <div class="fields one">
          <Field spec={{ name: "type", label: t("Why"), kind: "select", required: true, options: kinds() }} value={v.type} error={d.error("type")} onChange={(x) => d.set({ type: String(x) })} />
          <Field spec={{ name: "fromDate", label: t("First day"), kind: "date", required: true }} value={v.fromDate} error={d.error("fromDate")} onChange={(x) => d.set({ fromDate: String(x) })} />
          <Field spec={{ name: "toDate", label: t("Last day"), kind: "date", min: v.fromDate }} value={v.toDate} error={d.error("toDate")} onChange={(x) => d.set({ toDate: String(x ?? "") })} />
          {oneDay && <Field spec={{ name: "half", label: t("Half day"), kind: "select", options: [{ value: "FIRST", text: t("Morning") }, { value: "SECOND", text: t("Afternoon") }] }} value={v.half} error={d.error("half")} onChange={(x) => d.set({ half: String(x ?? "") })} />}
          <Field spec={{ name: "reason", label: t("Reason"), kind: "textarea" }} value={v.reason} error={d.error("reason")} onChange={(x) => d.set({ reason: String(x ?? "") })} />
        </div>
        <Photos label={t("Photo of a certificate")} field="attachments" path={routes().upload} most={5} files={v.files} onChange={(files) => d.set({ files })} />
        <div class="pair"><Button onClick={onDone}>{t("Later|not now")}</Button><Button kind="go" type="submit">{t("Apply")}</Button></div>
      </form>
    </Card>
  )
}
