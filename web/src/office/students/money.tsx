// A student's account: what was charged and paid, what is due.
import { address, download } from "../../api/client"
import { may } from "../../api/session"
import { sayFault } from "../../shell/toast"
import { Badge, Button, Card, Figures, LinkButton, State } from "../../ui/basics"
import { saveBlob } from "../../ui/csv"
import { date, due, money } from "../../words/format"
import { t } from "../../words/words"
import type { Sections, Student } from "./sections"

type Fees = NonNullable<Sections["fees"]>

export function FeesCard({ fees, student }: { fees: Fees; student: Student }) {
  const latest = fees.entries.filter((e) => e.account === "STUDENT").slice(-4).reverse()
  return (
    <Card title={t("Fees")} badge={<DueBadge totals={fees.totals} />} flush
      action={fees.totals.due > 0 && may("write", "fee") ? <LinkButton size="sm" href={`/app/fees/counter?student=${student.id}`}>{t("Take payment")}</LinkButton> : <a
        href="?tab=fees">{t("Statement")}</a>}>
      {latest.length === 0 ? <p class="muted pad">{t("Nothing was charged yet.")}</p> : <Entries entries={latest} receipts={fees.receipts} />}
    </Card>
  )
}

export function DueBadge({ totals }: { totals: Fees["totals"] }) {
  if (totals.overdue > 0) return <Badge tone="bad">{t("{sum} overdue", { sum: money(totals.overdue) })}</Badge>
  if (totals.due > 0) return <Badge tone="warn">{t("{sum} due", { sum: money(totals.due) })}</Badge>
  if (totals.advance > 0) return <Badge tone="good">{t("{sum} in advance", { sum: money(totals.advance) })}</Badge>
  return <Badge tone="good">{t("Nothing due")}</Badge>
}

function Entries({ entries, receipts }: { entries: Fees["entries"]; receipts: Fees["receipts"] }) {
  return (
    <div class="scroll" tabIndex={0}><table>
      <thead><tr><th scope="col">{t("Date")}</th><th scope="col">{t("What")}</th><th scope="col" class="num">{t("Charged")}</th><th scope="col" class="num">{t("Paid")}</th><th
        scope="col" class="num">{t("Balance")}</th></tr></thead>
      <tbody>{entries.map((e, i) => {
        const receipt = receipts.find((r) => e.narration.includes(r.number))
        return (
          <tr key={i}><td class="nowrap">{date(e.date)}</td><td>{receipt ? <a href={`/app/fees/receipts/${receipt.id}`}>{e.narration}</a> : e.narration}</td>
            <td class="num">{e.type === "DR" ? money(e.amount) : ""}</td><td class="num">{e.type === "CR" ? money(e.amount) : ""}</td><td class="num">{money(e.balance)}</td></tr>
        )
      })}</tbody>
    </table></div>
  )
}

export function FeesTab({ fees, student }: { fees: Fees; student: Student }) {
  const { totals } = fees
  const open = fees.charges.filter((c) => c.due > 0)
  const save = async (url: string) => { try { const f = await download(url); saveBlob(f.blob, f.name) } catch (e) { sayFault(e) } }
  const path = { studentId: student.id }
  return (
    <div class="stack far">
      <Figures label={t("Fees")} items={[
        { label: t("Due"), value: due(totals.due), note: totals.overdue > 0 ? t("{sum} overdue", { sum: money(totals.overdue) }) : "", tone: "bad" },
        { label: t("Charged"), value: money(totals.charged) }, { label: t("Paid"), value: money(totals.paid) },
        { label: t("Concessions"), value: due(totals.concession) }, { label: t("In advance"), value: due(totals.advance) },
      ]} />
      <div class="row wrap">
        {may("write", "fee") && <LinkButton kind="go" icon="coin" href={`/app/fees/counter?student=${student.id}`} hint="F">
          {totals.due > 0 ? t("Take {sum}", { sum: money(totals.due) }) : t("Take payment")}</LinkButton>}
        <Button icon="print" onClick={() => void save(address("/school-admin/fee/report/{studentId}", path, { format: "pdf" }))}>{t("Statement as PDF")}</Button>
        <Button icon="save" onClick={() => void save(address("/school-admin/fee/report/{studentId}/export", path))}>{t("Statement as CSV")}</Button>
      </div>
      {open.length > 0 && (
        <Card title={t("To be paid")} flush><div class="scroll" tabIndex={0}><table>
          <thead><tr><th scope="col">{t("What")}</th><th scope="col">{t("Pay by")}</th><th scope="col" class="num">{t("Amount")}</th><th scope="col" class="num">
            {t("Due")}</th></tr></thead>
          <tbody>{open.map((c) => <tr key={c.id}><th scope="row">{c.title}</th><td class="nowrap">{date(c.dueDate)}</td><td class="num">{money(c.amount)}</td><td class="num">
            {money(c.due)}</td></tr>)}</tbody>
        </table></div></Card>
      )}
      <Card title={t("Account")} flush>
        {fees.entries.length === 0 ? <State icon="coin" title={t("Nothing was charged yet.")} /> : <Entries entries={[...fees.entries].reverse()} receipts={fees.receipts} />}
      </Card>
    </div>
  )
}
