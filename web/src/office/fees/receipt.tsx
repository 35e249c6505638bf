import { useState } from "preact/hooks"
import { address, post } from "../../api/client"
import { may } from "../../api/session"
import type { Reply } from "../../api/contract"
import { changed, useGet } from "../../shell/load"
import { useKey } from "../../shell/keys"
import { say, sayFault } from "../../shell/toast"
import { Badge, Button, Card, Facts, Head, LinkButton, Ready, Who } from "../../ui/basics"
import { saveFile } from "../../ui/csv"
import { date, money, when } from "../../words/format"
import { t } from "../../words/words"
import { methodText } from "./amount"
import { ReceiptPaper } from "./paper"
import { ReasonDialog } from "./reason"

type Receipt = Reply<"/school-admin/fee/receipt/{id}", "get">

type Fact = [string, preact.ComponentChildren]

export default function ReceiptPage({ params }: { params: Record<string, string> }) {
  const id = params.id!
  const loaded = useGet("/school-admin/fee/receipt/{id}", undefined, { id })
  return <Ready of={loaded}>{(r) => <Shown receipt={r} />}</Ready>
}

function Shown({ receipt: r }: { receipt: Receipt }) {
  const [reversing, setReversing] = useState(false)
  const [busy, setBusy] = useState(false)
  const reversible = may("write", "fee") && r.status === "ISSUED"
  async function undo() {
    setBusy(true)
    try {
      await post("/school-admin/fee/collection/{id}/undo", {}, { path: { id: r.id } })
      say(t("Receipt {number} is reversed.", { number: r.number }))
    } catch (e) { sayFault(e) } finally { setBusy(false); changed() }
  }
  useKey("p", t("Print the receipt"), () => window.print())
  return (
    <>
      <Head title={<>{t("Receipt {number}", { number: r.number })} {r.status === "REVERSED" && <Badge tone="bad">{t("reversed")}</Badge>}</>}
        sub={t("{sum} on {date}, {how}.", { sum: money(r.amount), date: date(r.date), how: methodText(r.method) })}>
        {reversible && (r.undoable ? <Button kind="danger" icon="back" busy={busy} onClick={() => void undo()}>{t("Undo the payment")}</Button>
          : <Button kind="danger" icon="back" onClick={() => setReversing(true)}>{t("Reverse")}</Button>)}
        <Button icon="save" onClick={() => saveFile(address("/school-admin/fee/receipt/{id}", { id: r.id }, { format: "pdf" }))}>{t("PDF")}</Button>
        <Button kind="go" icon="print" hint="P" onClick={() => window.print()}>{t("Print")}</Button>
      </Head>
      <div class="cols receipt-page">
        <div class="receipt-side rounded"><ReceiptPaper receipt={r} /></div>
        <div class="stack far no-print">
          <Card title={t("Paid for")} flush><ul class="list">{r.students.map((s) => (
            <li key={s.studentId}><div class="grow"><Who name={s.name ?? s.admissionNo} href={`/app/fees/students/${s.studentId}`}
              note={[s.className, s.divisionName].filter(Boolean).join(" ")} /></div><span class="num">{money(s.amount)}</span></li>
          ))}</ul></Card>
          <Card title={t("About the receipt")}><Facts items={[[t("Taken"), when(r.createdAt)],
            ...(r.tillId ? [[t("Till"), <a href={`/app/fees/tills/${r.tillId}`}><bdi>{r.tillUserName ?? t("Show the sheet")}</bdi></a>] as Fact] : []),
            [t("Reference"), r.reference], [t("Note"), r.note],
            ...(r.reversedOn ? [[t("Reversed"), date(r.reversedOn)], [t("Reason"), r.reversalReason]] as [string, string][] : [])]} /></Card>
          {may("write", "fee") && r.students[0] && <LinkButton href={`/app/fees/counter?student=${r.students[0].studentId}`} icon="coin">{t("Take another payment")}</LinkButton>}
        </div>
      </div>
      {reversing && <ReasonDialog title={t("Reverse receipt {number}", { number: r.number })} button={t("Reverse {sum}", { sum: money(r.amount) })}
        help={t("What it paid is due again. The receipt stays in the books, marked as reversed.")}
        run={async (reason, key) => { const x = await post("/school-admin/fee/collection/{id}/reverse", { reason }, { path: { id: r.id }, key });
          say(t("Receipt {number} is reversed.", { number: r.number })); return x }} onClose={() => setReversing(false)} />}
    </>
  )
}
