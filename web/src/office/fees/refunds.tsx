import { useState } from "preact/hooks"
import { address, post } from "../../api/client"
import type { Row } from "../../api/contract"
import { may } from "../../api/session"
import { useGet } from "../../shell/load"
import { useKey } from "../../shell/keys"
import { query, setQuery } from "../../shell/router"
import { say } from "../../shell/toast"
import { Badge, Button, Facts, Head, Ready, Who } from "../../ui/basics"
import { saveFile } from "../../ui/csv"
import { Dialog, Menu } from "../../ui/dialog"
import type { Values } from "../../ui/form"
import { List, type Column } from "../../ui/list"
import { personField, type Person } from "../../ui/person"
import { RecordDialog } from "../../ui/record"
import { date, money } from "../../words/format"
import { t } from "../../words/words"
import { methodOptions, methodText } from "./amount"
import { ReasonDialog } from "./reason"
import { FeeTabs } from "./tabs"

type Refund = Row<"/school-admin/fee/refund/list">
const pdf = (id: string) => saveFile(address("/school-admin/fee/refund/{id}", { id }, { format: "pdf" }))
const reverse = (id: string, reason: string, key?: string) => post("/school-admin/fee/refund/{id}/reverse", { reason }, { path: { id }, ...(key && { key }) })

const columns = (): Column<Refund>[] => [
  { key: "number", label: t("Refund"), sort: "number", text: (r) => r.number, cell: (r) => <a class="num nowrap strong" href={`/app/fees/refunds?open=${r.id}`}>{r.number}</a> },
  { key: "date", label: t("Date"), sort: "date", text: (r) => r.date, cell: (r) => <span class="nowrap">{date(r.date)}</span>, hide: "sm" },
  { key: "student", label: t("Student"), text: (r) => r.studentName,
    cell: (r) => <Who name={r.studentName ?? "–"} href={`/app/fees/students/${r.studentId}`} note={r.className} /> },
  { key: "method", label: t("How"), text: (r) => methodText(r.method), cell: (r) => methodText(r.method), hide: "sm" },
  { key: "reason", label: t("Reason"), text: (r) => r.reason, cell: (r) => r.reason && <span class="one">{r.reason}</span>, hide: "md" },
  { key: "status", label: t("Status"), text: (r) => (r.status === "REVERSED" ? t("reversed") : t("paid out")),
    cell: (r) => (r.status === "REVERSED" ? <Badge tone="bad">{t("reversed")}</Badge> : "–"), hide: "sm" },
  { key: "amount", label: t("Amount"), num: true, text: (r) => r.amount, cell: (r) => (r.status === "REVERSED" ? <s class="faint">{money(r.amount)}</s> : money(r.amount)) },
]

export default function Refunds() {
  const writes = may("write", "fee")
  const [adding, setAdding] = useState(query.value.get("new") === "1")
  const [reversing, setReversing] = useState<{ id: string; number: string }>()
  const open = query.value.get("open")
  const studentId = query.value.get("studentId")
  useKey("n", t("Pay a refund"), () => { if (writes) setAdding(true) })
  return (
    <>
      <Head title={t("Refunds")} sub={t("Money paid ahead that goes back to a family.")}>
        {writes && <Button kind="go" icon="plus" hint="N" onClick={() => setAdding(true)}>{t("Pay a refund")}</Button>}</Head>
      <FeeTabs current="refunds" />
      <List path="/school-admin/fee/refund/list" name="refunds" search={t("Refund no.")} columns={columns()} open={(r) => setQuery({ open: r.id })}
        fixed={studentId ? { studentId } : {}}
        filters={[{ name: "status", label: t("Status"), options: [{ value: "PAID", text: t("paid out") }, { value: "REVERSED", text: t("reversed") }] }]}
        rowActions={(r) => <Menu size="sm" label={t("More for refund {number}", { number: r.number })} items={[
          { text: t("Voucher as PDF"), icon: "save", run: () => void pdf(r.id) },
          { text: t("Reverse"), icon: "back", danger: true, hidden: !writes || r.status !== "PAID", run: () => setReversing(r) },
        ]} />}
        empty={{ icon: "coin", title: t("No refunds yet") }} />
      {adding && <NewRefund onClose={() => setAdding(false)} />}
      {open && !reversing && <Voucher id={open} onClose={() => setQuery({ open: "" })} reverse={setReversing} />}
      {reversing && <ReasonDialog title={t("Reverse refund {number}", { number: reversing.number })} button={t("Reverse the refund")}
        help={t("The money is the family's advance again, and pays the oldest due.")}
        run={async (reason, key) => { await reverse(reversing.id, reason, key); say(t("Refund {number} is reversed.", { number: reversing.number })) }}
        onClose={() => { setReversing(undefined); setQuery({ open: "" }) }} />}
    </>
  )
}

function NewRefund({ onClose }: { onClose: () => void }) {
  async function save(v: Values, key: string) {
    const { studentId, ...rest } = v
    const r = await post("/school-admin/fee/refund/create", { ...(rest as { method: "CASH" }), studentId: (studentId as Person).id }, { key })
    say(t("{sum} refunded, voucher {number}.", { sum: money(r.amount), number: r.number }), () => reverse(r.id, t("Entered by mistake")))
    setQuery({ open: r.id })
    return r
  }
  return (
    <RecordDialog title={t("Pay a refund")} button={t("Pay the refund")} save={save} onClose={onClose} record={{ method: "CASH" }} fields={[
      personField("studentId", t("Student"), ["student"]),
      { name: "amount", label: t("Amount"), kind: "money", min: 0.01, help: t("Without one: all that was paid ahead.") },
      { name: "method", label: t("How"), kind: "select", required: true, options: methodOptions() },
      { name: "reference", label: t("Reference") }, { name: "reason", label: t("Reason") },
    ]} />
  )
}

function Voucher({ id, onClose, reverse }: { id: string; onClose: () => void; reverse: (r: { id: string; number: string }) => void }) {
  const loaded = useGet("/school-admin/fee/refund/{id}", undefined, { id })
  return (
    <Dialog title={loaded.data ? t("Refund {number}", { number: loaded.data.number }) : t("Refund")} onClose={onClose} side
      footer={loaded.data && <>{may("write", "fee") && loaded.data.status === "PAID"
        && <Button kind="danger" icon="back" onClick={() => reverse(loaded.data!)}>{t("Reverse")}</Button>}
          <Button kind="go" icon="save" onClick={() => void pdf(id)}>{t("Voucher as PDF")}</Button></>}>
      <Ready of={loaded}>{(r) => <Facts items={[
        [t("Amount"), money(r.amount)], [t("Date"), date(r.date)], [t("How"), methodText(r.method)],
        [t("Student"), <a href={`/app/fees/students/${r.studentId}`}>{t("Statement")}</a>], [t("Reference"), r.reference], [t("Reason"), r.reason],
        ...(r.reversedOn ? [[t("Reversed"), `${date(r.reversedOn)}: ${r.reversalReason ?? ""}`] as [string, string]] : []),
      ]} />}</Ready>
    </Dialog>
  )
}
