import { useState } from "preact/hooks"
import { post } from "../../api/client"
import type { Row } from "../../api/contract"
import { may } from "../../api/session"
import { useKey } from "../../shell/keys"
import { query } from "../../shell/router"
import { say } from "../../shell/toast"
import { Badge, Button, Head, LinkButton, Who } from "../../ui/basics"
import type { Values } from "../../ui/form"
import { List, type Column } from "../../ui/list"
import { personField, type Person } from "../../ui/person"
import { RecordDialog } from "../../ui/record"
import { date, due, money } from "../../words/format"
import { t } from "../../words/words"
import { ReasonDialog } from "./reason"
import { FeeTabs } from "./tabs"

type Opening = Row<"/school-admin/fee/opening/list">
const cancel = (id: string, reason: string, key?: string) => post("/school-admin/fee/opening/{id}/cancel", { reason }, { path: { id }, ...(key && { key }) })

const columns = (): Column<Opening>[] => [
  { key: "student", label: t("Student"), text: (o) => o.studentName,
    cell: (o) => <Who name={o.studentName ?? "–"} href={`/app/fees/students/${o.studentId}`} note={o.className} /> },
  { key: "owed", label: t("Owed"), num: true, text: (o) => o.owed, cell: (o) => due(o.owed) },
  { key: "advance", label: t("Paid ahead"), num: true, text: (o) => o.advance, cell: (o) => due(o.advance) },
  { key: "note", label: t("Note"), text: (o) => o.note, cell: (o) => o.note && <span class="one">{o.note}</span>, hide: "md" },
  { key: "entered", label: t("Entered"), sort: "createdAt", text: (o) => o.createdAt, cell: (o) => <span class="muted nowrap">{date(o.createdAt)}</span>, hide: "sm" },
  { key: "status", label: t("Status"), text: (o) => (o.status === "CANCELLED" ? t("cancelled") : ""),
    cell: (o) => (o.status === "CANCELLED" ? <Badge>{t("cancelled")}</Badge> : "–"), hide: "sm" },
]

export default function Openings() {
  const writes = may("write", "fee")
  const [adding, setAdding] = useState(false)
  const [cancelling, setCancelling] = useState<Opening>()
  const studentId = query.value.get("studentId")
  useKey("n", t("Enter a balance"), () => { if (writes) setAdding(true) })
  return (
    <>
      <Head title={t("Opening balances")} sub={t("What families owed, or had paid ahead, before the school kept its books here.")}>
        {writes && <><LinkButton href="/app/import/openings" icon="load">{t("Import")}</LinkButton>
          <Button kind="go" icon="plus" hint="N" onClick={() => setAdding(true)}>{t("Enter a balance")}</Button></>}
      </Head>
      <FeeTabs current="openings" />
      <List path="/school-admin/fee/opening/list" name="openings" columns={columns()} fixed={studentId ? { studentId } : {}}
        filters={[{ name: "status", label: t("Status"), options: [{ value: "ACTIVE", text: t("valid") }, { value: "CANCELLED", text: t("cancelled") }] }]}
        rowActions={writes ? (o) => o.status === "ACTIVE" && <Button kind="plain" size="sm" onClick={() => setCancelling(o)}
          aria-label={t("Cancel the opening balance of {name}", { name: o.studentName ?? "" })}>{t("Cancel")}</Button> : undefined}
        empty={{ icon: "coin", title: t("No opening balances"), text: t("A school that starts with empty books needs none."),
          action: writes && <LinkButton href="/app/import/openings">{t("Import a list")}</LinkButton> }} />
      {adding && <NewOpening onClose={() => setAdding(false)} />}
      {cancelling && <ReasonDialog title={t("Cancel the opening balance of {name}", { name: cancelling.studentName ?? "" })} button={t("Cancel the balance")}
        help={t("It can be entered anew. What was paid on it becomes an advance.")}
        run={async (reason, key) => { await cancel(cancelling.id, reason, key); say(t("The opening balance is cancelled.")) }} onClose={() => setCancelling(undefined)} />}
    </>
  )
}

function NewOpening({ onClose }: { onClose: () => void }) {
  async function save(v: Values, key: string) {
    const { studentId, kind, amount, dueDate, note } = v as { studentId: Person; kind: string; amount: number; dueDate?: string; note?: string }
    const o = await post("/school-admin/fee/opening/create",
      { studentId: studentId.id, ...(kind === "owed" ? { owed: amount, ...(dueDate && { dueDate }) } : { advance: amount }), ...(note && { note }) }, { key })
    say(t("Opening balance of {sum} entered.", { sum: money(o.owed || o.advance) }), () => cancel(o.id, t("Entered by mistake")))
    return o
  }
  return (
    <RecordDialog title={t("Enter an opening balance")} button={t("Enter the balance")} record={{ kind: "owed" }} save={save} onClose={onClose} fields={[
      personField("studentId", t("Student"), ["student"]),
      { name: "kind", label: t("The family"), kind: "select", required: true,
        options: [{ value: "owed", text: t("owes this") }, { value: "advance", text: t("has paid this ahead") }] },
      { name: "amount", label: t("Amount"), kind: "money", required: true, min: 0.01 },
      { name: "dueDate", label: t("Due on"), kind: "date", help: t("Without one: today."), hidden: (v) => v.kind !== "owed" }, { name: "note", label: t("Note for the family") },
    ]} />
  )
}
