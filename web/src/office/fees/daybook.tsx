import { address } from "../../api/client"
import { school } from "../../api/session"
import { useGet } from "../../shell/load"
import { query, setQuery } from "../../shell/router"
import { Button, Card, Figures, Head, Ready, Segments, State } from "../../ui/basics"
import { Columns } from "../../ui/chart"
import { saveFile } from "../../ui/csv"
import { addDays, count, date, due, longDate, money, range, today, weekday } from "../../words/format"
import { t } from "../../words/words"
import type { Reply } from "../../api/contract"
import { headText, methodText } from "./amount"
import { FeeTabs } from "./tabs"

type DayBook = Reply<"/school-admin/fee/report/collection", "get">

/** Ranges that an office asks for. */
function spans(): { value: string; text: string; from: string }[] {
  const year = school.value?.academicYears.find((y) => y.isCurrent)
  return [
    { value: "day", text: t("Today"), from: today() }, { value: "week", text: t("This week"), from: addDays(today(), 1 - weekday(today())) },
    { value: "month", text: t("This month"), from: `${today().slice(0, 8)}01` },
    ...(year && year.startDate <= today() ? [{ value: "year", text: year.name, from: year.startDate }] : []),
  ]
}

export default function DayBookPage() {
  const from = query.value.get("from") || today()
  const to = query.value.get("to") || today()
  const book = useGet("/school-admin/fee/report/collection", { from, to })
  const options = spans()
  const current = to === today() ? options.find((o) => o.from === from)?.value : undefined
  return (
    <>
      <Head title={t("Day book")} sub={from === to ? longDate(from) : range(from, to)}>
        <Button icon="print" onClick={() => window.print()}>{t("Print or save as PDF")}</Button>
        <Button icon="save" onClick={() => saveFile(address("/school-admin/fee/report/collection/export", {}, { from, to }))}>{t("CSV of the day book")}</Button>
      </Head>
      <FeeTabs current="daybook" />
      <div class="filters">
        <Segments label={t("Range")} options={options} value={current ?? ""} onChange={(v) => setQuery({ from: options.find((o) => o.value === v)!.from, to: today() })} />
        <label class="chip"><span>{t("From")}</span><input type="date" value={from} max={to} onChange={(e) => setQuery({ from: e.currentTarget.value, to })} /></label>
        <label class="chip"><span>{t("Until")}</span><input type="date" value={to} min={from} max={today()}
          onChange={(e) => setQuery({ from, to: e.currentTarget.value })} /></label>
      </div>
      <Ready of={book}>{(b) => <Book book={b} />}</Ready>
    </>
  )
}

function Book({ book: b }: { book: DayBook }) {
  if (b.receipts === 0 && b.returned === 0) return <State icon="coin" title={t("Nothing was collected in this time")} />
  return (
    <>
      <Figures label={t("Sums")} items={[
        { label: t("Received"), value: money(b.received) }, { label: t("Given back"), value: due(b.returned) }, { label: t("Stays"), value: money(b.net) },
        { label: t("Receipts"), value: count(b.receipts), href: `/app/fees/receipts?from=${b.from}&to=${b.to}` },
      ]} />
      <div class="cols even">
        {b.days.length > 2 && <Card title={t("Per day")}><Columns label={t("Collected per day")} points={b.days.map((d) => ({ label: date(d.date), value: d.net }))}
          show={money} height={160} /></Card>}
        <Sums title={t("How it was paid")} rows={b.byMethod.map((m) => ({ key: m.method, text: methodText(m.method), ...m }))} total={b} />
        <Card title={t("What it was paid for")} flush><div class="scroll"><table>
          <thead><tr><th scope="col">{t("Fee head")}</th><th scope="col" class="num">{t("Stays")}</th></tr></thead>
          <tbody>{b.byHead.map((h) => <tr key={h.feeHeadId ?? ""}><th scope="row">{headText(h)}</th><td class="num">{due(h.amount)}</td></tr>)}</tbody>
          <tfoot><tr><th scope="row">{t("Sum")}</th><td class="num">{money(b.net)}</td></tr></tfoot>
        </table></div></Card>
      </div>
      <Sums title={t("Days")} rows={b.days.map((d) => ({ key: d.date, text: <a href={`/app/fees/receipts?from=${d.date}&to=${d.date}`}>{longDate(d.date)}</a>,
        ...d }))} total={b} />
    </>
  )
}

interface SumRow { key: string; text: preact.ComponentChildren; received: number; returned: number; net: number }

function Sums({ title, rows, total }: { title: string; rows: SumRow[]; total: Pick<DayBook, "received" | "returned" | "net"> }) {
  return (
    <Card title={title} flush><div class="scroll" role="region" aria-label={title} tabIndex={0}><table>
      <thead><tr><th scope="col"><span class="sr">{title}</span></th><th scope="col" class="num">{t("Received")}</th><th scope="col" class="num">{t("Given back")}</th>
        <th scope="col" class="num">{t("Stays")}</th></tr></thead>
      <tbody>{rows.map((r) => <tr key={r.key}><th scope="row">{r.text}</th><td class="num">{due(r.received)}</td><td class="num">{due(r.returned)}</td>
        <td class="num">{due(r.net)}</td></tr>)}</tbody>
      <tfoot><tr><th scope="row">{t("Sum")}</th><td class="num">{money(total.received)}</td><td class="num">{due(total.returned)}</td>
        <td class="num">{money(total.net)}</td></tr></tfoot>
    </table></div></Card>
  )
}
