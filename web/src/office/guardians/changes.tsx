// Corrections that parents propose: what is, what would be, and the office's decision.
import { useState } from "preact/hooks"
import { post, put } from "../../api/client"
import type { Row } from "../../api/contract"
import { may } from "../../api/session"
import { changed, useGet } from "../../shell/load"
import { say, sayFault } from "../../shell/toast"
import { Badge, Button, Head, Ready, Who, type Tone } from "../../ui/basics"
import { Dialog } from "../../ui/dialog"
import { Field } from "../../ui/form"
import { List, type Column } from "../../ui/list"
import { when } from "../../words/format"
import { t } from "../../words/words"
import { GuardianTabs, type Guardian } from "./list"

type Change = Row<"/school-admin/guardian/change/list">
type Part = "name" | "phone" | "email" | "address"

const parts = (): [Part, string][] => [["name", t("Name")], ["phone", t("Phone")], ["email", t("E-mail")], ["address", t("Address")]]
const statuses = () => [{ value: "PENDING", text: t("to decide") }, { value: "ACCEPTED", text: t("accepted") }, { value: "REJECTED", text: t("rejected|change") },
  { value: "CANCELLED", text: t("withdrawn") }]
const tones: Record<Change["status"], Tone> = { PENDING: "warn", ACCEPTED: "good", REJECTED: "bad", CANCELLED: "" }

const wish = (c: Change) => parts().filter(([k]) => c[k]).map(([k, label]) => `${label}: ${c[k]}`).join(", ")

const columns = (): Column<Change>[] => [
  { key: "who", label: t("Guardian"), text: (c) => c.guardianName, cell: (c) => <Who name={c.guardianName} href={`/app/guardians/${c.guardianId}`} /> },
  { key: "wish", label: t("Proposes"), text: wish, cell: (c) => <span class="wrapped">{wish(c)}</span> },
  { key: "at", label: t("When"), sort: "createdAt", text: (c) => c.createdAt, cell: (c) => <span class="nowrap">{when(c.createdAt)}</span>, hide: "sm" },
  { key: "status", label: t("State"), text: (c) => c.status, cell: (c) => <Badge tone={tones[c.status]}>{statuses().find((s) => s.value === c.status)?.text}</Badge> },
]

export default function Changes() {
  const [open, setOpen] = useState<Change>()
  const writes = may("write", "student")
  return (
    <>
      <Head title={t("Proposed changes")} sub={t("Parents correct their contact data in the app. It counts when you accept it.")} />
      <GuardianTabs current="changes" />
      <List path="/school-admin/guardian/change/list" name="changes" columns={columns()} filters={[{ name: "status", label: t("State"), options: statuses() }]}
        open={(c) => { if (c.status === "PENDING") setOpen(c) }}
        rowActions={(c) => writes && c.status === "PENDING" && <Button size="sm" onClick={() => setOpen(c)}>{t("Decide")}</Button>}
        empty={{ icon: "check", title: t("Nothing to decide"), text: t("When a parent proposes a change, it is here and under Today.") }} />
      {open && <Review change={open} onClose={() => setOpen(undefined)} />}
    </>
  )
}

function Review({ change: c, onClose }: { change: Change; onClose: () => void }) {
  const guardian = useGet("/school-admin/guardian/{id}", undefined, { id: c.guardianId })
  const [reason, setReason] = useState("")
  const [busy, setBusy] = useState(false)
  const path = { id: c.id }
  async function decide(run: () => Promise<unknown>, text: string, undo?: () => Promise<unknown>) {
    setBusy(true)
    try { await run(); changed(); say(text, undo); onClose() } catch (e) { sayFault(e) } finally { setBusy(false) }
  }
  const old = (g: Guardian) => Object.fromEntries(parts().filter(([k]) => c[k] !== null).map(([k]) => [k, g[k]]))
  const accept = (g: Guardian) => decide(() => post("/school-admin/guardian/change/{id}/accept", undefined, { path }),
    t("The change of {name} counts now.", { name: c.guardianName }), () => put("/school-admin/guardian/{id}", old(g), { path: { id: g.id } }))
  const reject = () => decide(() => post("/school-admin/guardian/change/{id}/reject", { ...(reason && { reason }) }, { path }), t("The change is rejected. The parent is told."))
  return (
    <Dialog title={t("{name} proposes a change", { name: c.guardianName })} onClose={onClose} wide>
      <Ready of={guardian} rows={3}>{(g) => (
        <>
          <div class="frame"><div class="scroll"><table>
            <thead><tr><th scope="col"><span class="sr">{t("Field")}</span></th><th scope="col">{t("Now")}</th><th scope="col">{t("Proposed")}</th></tr></thead>
            <tbody>{parts().filter(([k]) => c[k] !== null).map(([k, label]) => <tr key={k}><th scope="row">{label}</th><td>{g[k] ? <del>{g[k]}</del> : "–"}</td><td><ins>
              {c[k]}</ins></td></tr>)}</tbody>
          </table></div></div>
          {c.phone && <p class="small muted">{t("A new phone moves the sign-in: the person signs in again with it.")}</p>}
          <Field spec={{ name: "reason", label: t("Reason, if you reject it") }} value={reason} onChange={(v) => setReason(String(v))} />
          <div class="row wrap"><Button kind="danger" busy={busy} onClick={() => void reject()}>{t("Reject and tell the parent")}</Button><span class="push" /><Button
            kind="go" busy={busy} onClick={() => void accept(g)}>{t("Accept the change")}</Button></div>
        </>
      )}</Ready>
    </Dialog>
  )
}
