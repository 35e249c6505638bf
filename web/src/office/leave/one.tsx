// One leave: what it says, the decision with a note, shortening and cancelling.
import { useRef, useState } from "preact/hooks"
import { post } from "../../api/client"
import { may } from "../../api/session"
import { changed, useGet } from "../../shell/load"
import { say, sayFault } from "../../shell/toast"
import { Button, Facts, Icon, Ready } from "../../ui/basics"
import { Dialog } from "../../ui/dialog"
import { Field, Form, useWarning } from "../../ui/form"
import { addDays, bytes, date, when } from "../../words/format"
import { t } from "../../words/words"
import { decideNow, reopen } from "./list"
import { datesOf, daysOf, inputOf, kindOf, nameOf, StateBadge, type Leave } from "./words"

export function LeaveDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const loaded = useGet("/school-admin/leave/{id}", undefined, { id })
  return (
    <Dialog title={loaded.data ? nameOf(loaded.data) : t("Leave")} side onClose={onClose}>
      <Ready of={loaded} rows={6}>{(l) => <Body leave={l} onClose={onClose} />}</Ready>
    </Dialog>
  )
}

function Body({ leave: l, onClose }: { leave: Leave; onClose: () => void }) {
  const writes = may("write", "leave")
  return (
    <>
      <Facts items={[
        [t("Status"), <StateBadge leave={l} />], [t("Days"), datesOf(l)], [t("Length"), daysOf(l)], [t("Kind"), kindOf(l)],
        [t("Class"), l.className && `${l.className} ${l.divisionName ?? ""}`],
        [t("Applied"), when(l.createdAt)], [t("Decided"), l.decidedAt && <>
          <bdi>{l.decidedByName}</bdi>, {when(l.decidedAt)}</>], [t("Cancelled"), l.cancelledAt && when(l.cancelledAt)],
      ]} />
      {l.reason && <p class="said">{l.reason}</p>}
      {l.decisionNote && <p class="muted small">{t("Note: {text}", { text: l.decisionNote })}</p>}
      {l.attachmentFiles.length > 0 && <ul class="stack">{l.attachmentFiles.map((f) => <li key={f.id}><a class="row" href={f.url} download={f.name}><Icon name="clip" />
        <span class="cut">{f.name}</span><span class="faint small">{bytes(f.size)}</span></a></li>)}</ul>}
      {writes && l.status === "PENDING" && <Decide leave={l} onClose={onClose} />}
      {writes && (l.status === "APPROVED" || l.status === "REJECTED") && !l.isEntered && <Again leave={l} />}
      {writes && l.status === "APPROVED" && <Change leave={l} onClose={onClose} />}
    </>
  )
}

function Decide({ leave: l, onClose }: { leave: Leave; onClose: () => void }) {
  const [note, setNote] = useState("")
  const dirty = useRef(false)
  dirty.current = note !== ""
  useWarning(dirty)
  const run = (approve: boolean) => { void decideNow(l, approve, note).then((done) => { if (done) onClose() }) }
  return (
    <div class="stack loose">
      <Field spec={{ name: "decisionNote", label: t("Note for the family or the employee"), kind: "textarea" }} value={note} onChange={(v) => setNote(String(v))} />
      {l.studentId && <p class="small muted">{t("Approving marks the school days as leave.")}</p>}
      <div class="row"><Button kind="go" icon="check" onClick={() => run(true)}>{t("Approve")}</Button><Button onClick={() => run(false)}>{t("Reject")}</Button></div>
    </div>
  )
}

/** Takes the decision back, and leaves the dialog open for the other one. */
function Again({ leave: l }: { leave: Leave }) {
  const run = () => { reopen(l).then(() => { changed(); say(t("The leave of {name} waits for a decision again.", { name: nameOf(l) })) }, sayFault) }
  return <div><Button icon="clock" onClick={run}>{t("Take the decision back")}</Button><p class="help">{t("Whoever applied is told.")}</p></div>
}

function Change({ leave: l, onClose }: { leave: Leave; onClose: () => void }) {
  const path = { id: l.id }
  const cancel = () => {
    post("/school-admin/leave/{id}/cancel", {} as never, { path }).then(() => {
      changed()
      say(t("The leave of {name} is cancelled.", { name: nameOf(l) }), () => post("/school-admin/leave/create", inputOf(l)))
      onClose()
    }, sayFault)
  }
  const shortened = (to: string) => {
    changed()
    say(t("The leave of {name} ends on {day}.", { name: nameOf(l), day: date(to) }), () => post("/school-admin/leave/create", { ...inputOf(l), fromDate: addDays(to, 1) }))
    onClose()
  }
  return (
    <div class="stack loose">
      {l.fromDate !== l.toDate && (
        <Form single fields={[{ name: "toDate", label: t("Last day"), kind: "date", required: true, min: l.fromDate, max: addDays(l.toDate, -1) }]}
          initial={{ toDate: addDays(l.toDate, -1) }}
          button={t("Shorten the leave")} submit={async (v, key) => { await post("/school-admin/leave/{id}/shorten", { toDate: String(v.toDate) },
            { path, key }); return v.toDate }}
          onDone={(to) => shortened(String(to))} />
      )}
      <div><Button kind="danger" onClick={cancel}>{t("Cancel the leave")}</Button>{l.studentId && <p class="help">{t("The marks that it made are taken back.")}</p>}</div>
    </div>
  )
}
