import { address } from "../../api/client"
import type { Row } from "../../api/contract"
import { may } from "../../api/session"
import { query } from "../../shell/router"
import { Badge, Button, Head, LinkButton } from "../../ui/basics"
import { saveFile } from "../../ui/csv"
import { List, type Column } from "../../ui/list"
import { date, money } from "../../words/format"
import { t } from "../../words/words"
import { methodOptions, methodText, sum } from "./amount"
import { FeeTabs } from "./tabs"

type Receipt = Row<"/school-admin/fee/collection/list">

const names = (r: Receipt) => r.students.map((s) => s.name ?? s.admissionNo).join(", ")

const columns = (): Column<Receipt>[] => [
  { key: "number", label: t("Receipt"), sort: "number", text: (r) => r.number, cell: (r) => <a class="num nowrap strong" href={`/app/fees/receipts/${r.id}`}>{r.number}</a> },
  { key: "date", label: t("Date"), sort: "date", text: (r) => r.date, cell: (r) => <span class="nowrap">{date(r.date)}</span>, hide: "sm" },
  { key: "students", label: t("For"), text: names, cell: (r) => <bdi class="one">{names(r)}</bdi> },
  { key: "payer", label: t("Received from"), text: (r) => r.payer, cell: (r) => r.payer && <bdi class="one">{r.payer}</bdi>, hide: "md" },
  { key: "method", label: t("How"), text: (r) => methodText(r.method), cell: (r) => methodText(r.method), hide: "sm" },
  { key: "reference", label: t("Reference"), text: (r) => r.reference, cell: (r) => r.reference, off: true },
  { key: "note", label: t("Note"), text: (r) => r.note, cell: (r) => r.note, off: true },
  { key: "status", label: t("Status"), text: (r) => (r.status === "REVERSED" ? t("reversed") : ""),
    cell: (r) => (r.status === "REVERSED" ? <Badge tone="bad">{t("reversed")}</Badge> : "–"), hide: "sm" },
  { key: "amount", label: t("Amount"), num: true, text: (r) => r.amount, cell: (r) => (r.status === "REVERSED" ? <s class="faint">{money(r.amount)}</s> : money(r.amount)) },
]

export default function Receipts() {
  const studentId = query.value.get("studentId")
  return (
    <>
      <Head title={t("Receipts")}>
        {may("write", "fee") && <LinkButton href="/app/fees/counter" icon="coin" kind="go">{t("Take a payment")}</LinkButton>}
      </Head>
      <FeeTabs current="receipts" />
      <List path="/school-admin/fee/collection/list" name="receipts" search={t("Receipt no., payer or reference")} columns={columns()} open={(r) => `/app/fees/receipts/${r.id}`}
        fixed={studentId ? { studentId } : {}}
        filters={[
          { name: "method", label: t("How"), options: methodOptions() },
          { name: "status", label: t("Status"), options: [{ value: "ISSUED", text: t("valid") }, { value: "REVERSED", text: t("reversed") }] },
          { name: "from", label: t("From"), kind: "date" }, { name: "to", label: t("Until"), kind: "date" },
        ]}
        rowActions={(r) => <Button kind="plain" size="sm" icon="save" aria-label={t("PDF of receipt {number}", { number: r.number })}
          onClick={() => saveFile(address("/school-admin/fee/receipt/{id}", { id: r.id }, { format: "pdf" }))} />}
        note={(_, rows) => <span>{t("{sum} on this page", { sum: money(sum(rows.filter((r) => r.status === "ISSUED").map((r) => r.amount))) })}</span>}
        empty={{ icon: "coin", title: t("No receipts yet"), text: t("Payments are taken at the counter.") }} />
    </>
  )
}
