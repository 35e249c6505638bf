import { useState } from "preact/hooks"
import { address } from "../../api/client"
import { may } from "../../api/session"
import { useGet } from "../../shell/load"
import { useKey } from "../../shell/keys"
import { go } from "../../shell/router"
import { Badge, Button, Card, Figures, Head, LinkButton, Ready, State } from "../../ui/basics"
import { saveFile } from "../../ui/csv"
import { Menu } from "../../ui/dialog"
import { date, due, money } from "../../words/format"
import { t } from "../../words/words"
import { methodText, type Charge, type Statement } from "./amount"
import { ChargeStatus, VoidDialog } from "./charges"
import { GrantDialog } from "./concessions"
import { classOf, nameOf } from "./family"
import { ProfileCard } from "./profile"

export default function StatementPage({ params }: { params: Record<string, string> }) {
  const studentId = params.id!
  const loaded = useGet("/school-admin/fee/report/{studentId}", undefined, { studentId })
  return <Ready of={loaded}>{(s) => <Shown statement={s} />}</Ready>
}

function Shown({ statement: s }: { statement: Statement }) {
  const writes = may("write", "fee")
  const [voiding, setVoiding] = useState<Charge>()
  const [granting, setGranting] = useState(false)
  const heads = useGet(granting ? "/school-admin/fee/head/list" : null, { limit: 100 })
  const id = s.student.id
  useKey("f", t("Take a payment"), () => { if (writes) go(`/app/fees/counter?student=${id}`) })
  const title = s.totals.due > 0 ? t("{name} owes {sum}", { name: nameOf(s), sum: money(s.totals.due) })
    : s.totals.advance > 0 ? t("{name} has paid {sum} ahead", { name: nameOf(s), sum: money(s.totals.advance) }) : t("{name} owes nothing", { name: nameOf(s) })
  return (
    <>
      <Head title={<bdi>{title}</bdi>} sub={<><a href={`/app/students/${id}`}>{nameOf(s)}</a>, {classOf(s) || "–"}, {s.student.admissionNo}</>}>
        <Menu label={t("More")} text={t("More")} items={[
          { text: t("Charge something"), icon: "plus", href: `/app/fees/charge?student=${id}`, hidden: !writes },
          { text: t("Grant a concession"), icon: "heart", run: () => setGranting(true), hidden: !writes },
          { text: t("Refunds"), icon: "back", href: `/app/fees/refunds?studentId=${id}` }, { text: t("Concessions"), icon: "heart", href: `/app/fees/concessions?studentId=${id}` },
          { text: t("Opening balances"), icon: "file", href: `/app/fees/openings?studentId=${id}` },
          { text: t("CSV of the account"), icon: "save", run: () => void saveFile(address("/school-admin/fee/report/{studentId}/export", { studentId: id })) },
        ]} />
        <Button icon="save" onClick={() => saveFile(address("/school-admin/fee/report/{studentId}", { studentId: id }, { format: "pdf" }))}>{t("Statement as PDF")}</Button>
        {writes && <LinkButton href={`/app/fees/counter?student=${id}`} kind="go" icon="coin" hint="F">{t("Take a payment")}</LinkButton>}
      </Head>
      <Figures label={t("Sums")} items={[
        { label: t("To pay"), value: money(s.totals.due), ...(s.totals.overdue > 0 && { note: t("{sum} is late", { sum: money(s.totals.overdue) }), tone: "bad" as const }) },
        { label: t("Charged"), value: money(s.totals.charged) }, { label: t("Paid"), value: money(s.totals.paid) },
        { label: t("Concessions"), value: due(s.totals.concession) }, { label: t("Fines"), value: due(s.totals.fine) },
        s.totals.advance > 0 ? { label: t("Paid ahead"), value: money(s.totals.advance) } : { label: t("Opening balance"), value: due(s.totals.opening) },
      ]} />
      <div class="cols">
        <div class="stack far">
          <Charges charges={s.charges} onVoid={writes ? setVoiding : undefined} />
          <Account statement={s} />
        </div>
        <div class="stack far no-print"><Receipts statement={s} /><ProfileCard studentId={id} classId={s.student.classId} /></div>
      </div>
      {voiding && <VoidDialog charge={voiding} onClose={() => setVoiding(undefined)} />}
      {granting && heads.data && <GrantDialog person={{ kind: "student", id, name: nameOf(s), note: classOf(s) }}
        heads={heads.data.items.map((h) => ({ value: h.id, text: h.name }))} onClose={() => setGranting(false)} />}
    </>
  )
}

function Charges({ charges, onVoid }: { charges: Charge[]; onVoid: ((c: Charge) => void) | undefined }) {
  if (charges.length === 0) return <Card title={t("Charges")}><State icon="coin" title={t("Nothing was charged yet")} /></Card>
  return (
    <Card title={t("Charges")} flush><div class="scroll"><table>
      <thead><tr><th scope="col">{t("Charge")}</th><th scope="col" class="hide-sm">{t("Due on")}</th><th scope="col" class="hide-sm">{t("Status")}</th>
        <th scope="col" class="num">{t("Amount")}</th><th scope="col" class="num hide-sm">{t("Paid")}</th><th scope="col" class="num">{t("To pay")}</th>
        {onVoid && <th scope="col"><span class="sr">{t("Actions")}</span></th>}</tr></thead>
      <tbody>{charges.map((c) => (
        <tr key={c.id}><td>{c.title}{c.note && <span class="faint small block">{c.note}</span>}</td><td class="nowrap hide-sm">{date(c.dueDate)}</td>
          <td class="hide-sm"><ChargeStatus status={c.status} /></td>
          <td class="num">{money(c.amount)}</td><td class="num hide-sm">{due(c.paid)}</td><td class="num strong">{due(c.due)}</td>
          {onVoid && <td class="act">{c.status !== "VOID" && <Button kind="plain" size="sm" aria-label={t("Void {charge}", { charge: c.title })}
            onClick={() => onVoid(c)}>{t("Void")}</Button>}</td>}</tr>
      ))}</tbody>
    </table></div></Card>
  )
}

function Account({ statement: s }: { statement: Statement }) {
  if (s.entries.length === 0) return null
  return (
    <Card title={t("Account")} flush><div class="scroll" role="region" aria-label={t("Account")} tabIndex={0}><table>
      <thead><tr><th scope="col">{t("Date")}</th><th scope="col">{t("What")}</th><th scope="col" class="num">{t("Charged")}</th>
        <th scope="col" class="num">{t("Credited")}</th><th scope="col" class="num">{t("Owed after")}</th></tr></thead>
      <tbody>{s.entries.map((e, i) => <tr key={i}><td class="nowrap muted">{date(e.date)}</td><td>{e.narration}</td>
        <td class="num">{e.type === "DR" && money(e.amount)}</td><td class="num">{e.type === "CR" && money(e.amount)}</td><td class="num">{due(e.balance)}</td></tr>)}</tbody>
    </table></div></Card>
  )
}

function Receipts({ statement: s }: { statement: Statement }) {
  return (
    <Card title={t("Receipts")} action={<a href={`/app/fees/receipts?studentId=${s.student.id}`}>{t("All")}</a>} flush>
      {s.receipts.length === 0 ? <State icon="coin" title={t("No receipts yet")} /> : (
        <ul class="list">{s.receipts.map((r) => (
          <li key={r.id}><div class="grow"><a class="num" href={`/app/fees/receipts/${r.id}`}>{r.number}</a><p>{date(r.date)}, {methodText(r.method)}</p></div>
            {r.status === "REVERSED" ? <Badge tone="bad">{t("reversed")}</Badge> : <span class="num">{money(r.amount)}</span>}</li>
        ))}</ul>
      )}
    </Card>
  )
}
