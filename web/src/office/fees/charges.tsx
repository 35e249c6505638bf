import { useState } from "preact/hooks"
import { post } from "../../api/client"
import type { Row, Schema } from "../../api/contract"
import { may } from "../../api/session"
import { useGet } from "../../shell/load"
import { useKey } from "../../shell/keys"
import { go, query, setQuery } from "../../shell/router"
import { say } from "../../shell/toast"
import { Badge, Button, Facts, Head, LinkButton, Ready, Who } from "../../ui/basics"
import { useClasses, yearOptions } from "../../ui/choices"
import { Dialog } from "../../ui/dialog"
import { List, type Column } from "../../ui/list"
import { date, due, money } from "../../words/format"
import { t } from "../../words/words"
import { sum } from "./amount"
import { ReasonDialog } from "./reason"
import { FeeTabs } from "./tabs"
import { chargeStatuses } from "./words"

type Charge = Row<"/school-admin/fee/charge/list">

/** The status of a charge; paid is quiet. */
export function ChargeStatus({ status }: { status: Schema["FeeCharge"]["status"] }) {
  const s = chargeStatuses().find((x) => x.value === status)!
  return s.tone ? <Badge tone={s.tone}>{s.text}</Badge> : <span class="faint">{s.text}</span>
}

const columns = (): Column<Charge>[] => [
  { key: "title", label: t("Charge"), text: (c) => c.title, cell: (c) => <a class="strong one" href={`/app/fees/charges?open=${c.id}`}>{c.title}</a> },
  { key: "student", label: t("Student"), text: (c) => c.studentName, cell: (c) => <Who name={c.studentName ?? "–"} href={`/app/fees/students/${c.studentId}`} /> },
  { key: "class", label: t("Class"), text: (c) => c.className, cell: (c) => c.className && <span class="nowrap">{c.className}</span>, hide: "md" },
  { key: "dueDate", label: t("Due on"), sort: "dueDate", text: (c) => c.dueDate, cell: (c) => <span class="nowrap">{date(c.dueDate)}</span>, hide: "sm" },
  { key: "status", label: t("Status"), text: (c) => chargeStatuses().find((x) => x.value === c.status)?.text, cell: (c) => <ChargeStatus status={c.status} />, hide: "sm" },
  { key: "amount", label: t("Amount"), num: true, text: (c) => c.amount, cell: (c) => money(c.amount), hide: "sm" },
  { key: "concession", label: t("Concession"), num: true, text: (c) => c.concession, cell: (c) => due(c.concession), off: true },
  { key: "paid", label: t("Paid"), num: true, text: (c) => c.paid, cell: (c) => due(c.paid), hide: "md" },
  { key: "due", label: t("To pay"), num: true, text: (c) => c.due, cell: (c) => due(c.due) },
  { key: "createdAt", label: t("Charged on"), sort: "createdAt", text: (c) => c.createdAt, cell: (c) => <span class="nowrap">{date(c.createdAt)}</span>, off: true },
]

export default function Charges() {
  const writes = may("write", "fee")
  const classes = useClasses()
  const heads = useGet("/school-admin/fee/head/list", { limit: 100 })
  const [voiding, setVoiding] = useState<{ id: string; title: string }>()
  const open = query.value.get("open")
  const studentId = query.value.get("studentId")
  useKey("n", t("Charge fees"), () => { if (writes) go("/app/fees/charge") })
  return (
    <>
      <Head title={t("Charges")}>{writes && <><LinkButton href="/app/fees/charge?for=student" icon="person">{t("Charge one student")}</LinkButton>
        <LinkButton href="/app/fees/charge" icon="plus" kind="go" hint="N">{t("Charge a class")}</LinkButton></>}</Head>
      <FeeTabs current="charges" />
      <List path="/school-admin/fee/charge/list" name="charges" columns={columns()} open={(c) => setQuery({ open: c.id })} fixed={studentId ? { studentId } : {}}
        filters={[
          { name: "status", label: t("Status"), options: chargeStatuses() }, { name: "classId", label: t("Class"), options: classes.options },
          { name: "overdue", label: t("Overdue"), options: [{ value: "true", text: t("only what is late") }] },
          { name: "feeHeadId", label: t("Fee head"), options: heads.data?.items.map((h) => ({ value: h.id, text: h.name })) ?? [] },
          { name: "academicYearId", label: t("Year"), options: yearOptions() },
        ]}
        rowActions={writes ? (c) => c.status !== "VOID" && <Button kind="plain" size="sm" onClick={() => setVoiding(c)}
          aria-label={t("Void {charge} of {name}", { charge: c.title, name: c.studentName ?? "" })}>{t("Void")}</Button> : undefined}
        note={(_, rows) => <span>{t("{sum} open on this page", { sum: money(sum(rows.map((r) => r.due))) })}</span>}
        empty={{ icon: "coin", title: t("No charges yet"), text: t("Charge a class for a month, with its fee structure."),
          action: writes && <LinkButton kind="go" href="/app/fees/charge">{t("Charge a class")}</LinkButton> }} />
      {open && !voiding && <ChargeSheet id={open} onClose={() => setQuery({ open: "" })} onVoid={writes ? setVoiding : undefined} />}
      {voiding && <VoidDialog charge={voiding} onClose={() => { setVoiding(undefined); setQuery({ open: "" }) }} />}
    </>
  )
}

export function VoidDialog({ charge, onClose }: { charge: { id: string; title: string }; onClose: () => void }) {
  return <ReasonDialog title={t("Void {charge}", { charge: charge.title })} button={t("Void the charge")}
    help={t("What was paid on it becomes an advance. Its concessions and late fine are voided, too.")} onClose={onClose}
    run={async (reason, key) => { await post("/school-admin/fee/charge/{id}/void", { reason }, { path: { id: charge.id }, key });
      say(t("{charge} is void.", { charge: charge.title })) }} />
}

function ChargeSheet({ id, onClose, onVoid }: { id: string; onClose: () => void; onVoid: ((c: { id: string; title: string }) => void) | undefined }) {
  const loaded = useGet("/school-admin/fee/charge/{id}", undefined, { id })
  return (
    <Dialog title={loaded.data?.title ?? t("Charge")} onClose={onClose} side footer={loaded.data && <>
      {onVoid && loaded.data.status !== "VOID" && <Button kind="danger" onClick={() => onVoid(loaded.data!)}>{t("Void")}</Button>}
      <LinkButton href={`/app/fees/students/${loaded.data.studentId}`}>{t("Statement")}</LinkButton>
      {loaded.data.due > 0 && may("write", "fee") && <LinkButton kind="go" icon="coin" href={`/app/fees/counter?student=${loaded.data.studentId}`}>
        {t("Take a payment")}</LinkButton>}
    </>}>
      <Ready of={loaded}>{(c) => <Facts items={[
        [t("Status"), <ChargeStatus status={c.status} />], [t("Fee head"), c.feeHead], [t("Amount"), money(c.amount)], [t("Concession"), due(c.concession)],
        [t("Paid"), due(c.paid)], [t("To pay"), due(c.due)],
        [t("Due on"), date(c.dueDate)], [t("Charged on"), date(c.createdAt)], [t("Note"), c.note], ...(c.voidReason ? [[t("Reason"), c.voidReason] as [string, string]] : []),
      ]} />}</Ready>
    </Dialog>
  )
}
