// The sheet of one till: what was taken and given back, by method and line by line. It is printed and signed.
import { useState } from "preact/hooks"
import { may, school } from "../../api/session"
import { useGet } from "../../shell/load"
import { useKey } from "../../shell/keys"
import { Badge, Banner, Button, Card, Facts, Figures, Head, Ready, State } from "../../ui/basics"
import { Menu } from "../../ui/dialog"
import { count, due, money, time, when } from "../../words/format"
import { n, t } from "../../words/words"
import { cents, methodText } from "./amount"
import { Gap, TillDialog, type Sheet, type TillTask } from "./till"

type Line = Sheet["lines"][number]

export default function TillPage({ params }: { params: Record<string, string> }) {
  const loaded = useGet("/school-admin/fee/till/{id}", undefined, { id: params.id! })
  return <Ready of={loaded}>{(s) => <Shown sheet={s} />}</Ready>
}

function Shown({ sheet: s }: { sheet: Sheet }) {
  const [task, setTask] = useState<TillTask>()
  const writes = may("write", "fee")
  const open = s.status === "OPEN"
  useKey("p", t("Print the sheet"), () => window.print())
  return (
    <>
      <Head title={<>{t("Till of {name}", { name: s.userName ?? "–" })} {open ? <Badge tone="info">{t("open")}</Badge> : <Gap of={s.difference} />}</>}
        sub={s.closedAt ? t("{school}, from {start} to {end}.", { school: school.value!.name, start: when(s.openedAt), end: when(s.closedAt) })
          : t("{school}, since {start}.", { school: school.value!.name, start: when(s.openedAt) })}>
        {writes && open && <Button icon="check" onClick={() => setTask("close")}>{t("Count and close")}</Button>}
        {writes && <Menu label={t("More")} items={[
          { text: t("Correct the float"), icon: "pen", hidden: !open, run: () => setTask("float") },
          { text: t("Open it again"), icon: "back", hidden: open, run: () => setTask("reopen") },
        ]} />}
        <Button kind="go" icon="print" hint="P" onClick={() => window.print()}>{t("Print")}</Button>
      </Head>
      {s.reopenReason && <Banner tone="warn" icon="back">{t("Opened again {time}: {reason}", { time: when(s.reopenedAt), reason: s.reopenReason })}</Banner>}
      <Cash sheet={s} />
      {!open && <Card title={t("Closing")}><Facts start items={[[t("Closed"), when(s.closedAt)], [t("Counted by"), s.closedByName], [t("Note"), s.note]]} /></Card>}
      <Methods sheet={s} />
      <Lines sheet={s} />
      <p class="signs"><span>{t("Cashier")}</span><span>{t("Checked by")}</span></p>
      {task && <TillDialog task={task} till={s} onClose={() => setTask(undefined)} />}
    </>
  )
}

function Cash({ sheet: s }: { sheet: Sheet }) {
  const cash = s.byMethod.find((m) => m.method === "CASH")
  return <Figures label={t("Cash of the till")} items={[
    { label: t("Float"), value: money(s.float) }, { label: t("Cash taken"), value: money(cash?.received ?? 0) }, { label: t("Cash given back"), value: due(cash?.returned ?? 0) },
    { label: t("Expected in the drawer"), value: money(s.expected) }, ...(s.counted === null ? [] : [{ label: t("Counted"), value: money(s.counted) }]),
  ]} />
}

function Methods({ sheet: s }: { sheet: Sheet }) {
  if (s.byMethod.length === 0) return null
  return (
    <Card title={t("How it was paid")} flush><div class="scroll" role="region" aria-label={t("How it was paid")} tabIndex={0}><table>
      <thead><tr><th scope="col">{t("How")}</th><th scope="col" class="num">{t("Received")}</th><th scope="col" class="num">{t("Given back")}</th><th scope="col"
        class="num">{t("Stays")}</th></tr></thead>
      <tbody>{s.byMethod.map((m) => <tr key={m.method}><th scope="row">{methodText(m.method)}</th><td class="num">{due(m.received)}</td><td class="num">{due(m.returned)}</td>
        <td class="num">{due(m.net)}</td></tr>)}</tbody>
      <tfoot><tr><th scope="row">{t("Sum")}</th><td class="num">{money(s.received)}</td><td class="num">{due(s.returned)}</td>
        <td class="num">{money((cents(s.received) - cents(s.returned)) / 100)}</td></tr></tfoot>
    </table></div></Card>
  )
}

function Lines({ sheet: s }: { sheet: Sheet }) {
  if (s.lines.length === 0) return <State icon="coin" title={t("Nothing was taken in this till")} />
  return (
    <Card title={t("Receipts and refunds")} badge={<Badge>{count(s.lines.length + s.notShown)}</Badge>} flush><div class="scroll" role="region"
      aria-label={t("Receipts and refunds")} tabIndex={0}><table>
      <thead><tr><th scope="col">{t("Time")}</th><th scope="col">{t("What")}</th><th scope="col">{t("How")}</th><th scope="col" class="num">{t("Received")}</th><th scope="col"
        class="num">{t("Given back")}</th></tr></thead>
      <tbody>{s.lines.map((l, i) => (
        <tr key={i}><td class="nowrap">{time(l.at)}</td><td><a href={hrefOf(l)}>{kindText(l)}</a></td><td>{methodText(l.method)}</td><td class="num">{due(l.received)}</td>
          <td class="num">{due(l.returned)}</td></tr>
      ))}</tbody>
    </table></div>{s.notShown > 0 && <p class="pad muted">{n(s.notShown, "{n} more is not shown.", "{n} more are not shown.")}</p>}</Card>
  )
}

function hrefOf(l: Line): string { return l.receiptId ? `/app/fees/receipts/${l.receiptId}` : `/app/fees/refunds?open=${l.refundId}` }

function kindText(l: Line): string {
  const texts: Record<Line["kind"], string> = {
    RECEIPT: t("Receipt {number}", { number: l.number }), RECEIPT_REVERSAL: t("Reversal of receipt {number}", { number: l.number }),
    REFUND: t("Refund {number}", { number: l.number }), REFUND_REVERSAL: t("Reversal of refund {number}", { number: l.number }),
  }
  return texts[l.kind]
}
