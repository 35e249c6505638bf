import { may } from "../../api/session"
import { go } from "../../shell/router"
import { useGet } from "../../shell/load"
import { useKey } from "../../shell/keys"
import { Card, Figures, Head, LinkButton, Ready, State, type Figure } from "../../ui/basics"
import { Bars, Columns } from "../../ui/chart"
import { addDays, count, date, due, money, percent, today } from "../../words/format"
import { n, t } from "../../words/words"
import type { Reply } from "../../api/contract"
import { headText, methodText, sum } from "./amount"
import { byAge, useDebts, type Debt } from "./debts"
import { FeeTabs } from "./tabs"

type DayBook = Reply<"/school-admin/fee/report/collection", "get">
type Trial = Reply<"/school-admin/fee/report/trial-balance", "get">

const days = 31

export default function Overview() {
  const from = addDays(today(), 1 - days)
  const book = useGet("/school-admin/fee/report/collection", { from, to: today() })
  const trial = useGet("/school-admin/fee/report/trial-balance")
  const debts = useDebts()
  useKey("f", t("Take a payment"), () => { if (may("write", "fee")) go("/app/fees/counter") })
  const todays = book.data?.days.find((d) => d.date === today())
  return (
    <>
      <Head title={book.data ? t("{sum} taken today", { sum: money(todays?.net ?? 0) }) : t("Fees")}
        sub={debts.data && n(debts.data.length, "{n} student owes something.", "{n} students owe something.")}>
        {may("write", "fee") && <><LinkButton href="/app/fees/charge" icon="plus">{t("Charge fees")}</LinkButton>
          <LinkButton href="/app/fees/dues?remind=1" icon="horn">{t("Remind")}</LinkButton>
          <LinkButton href="/app/fees/counter" icon="coin" kind="go" hint="F">{t("Take a payment")}</LinkButton></>}
      </Head>
      <FeeTabs current="overview" />
      {book.data && trial.data && <Figures label={t("Fees in figures")} items={figures(book.data, trial.data, debts.data)} />}
      <Ready of={book}>{(b) => (
        <div class="cols even">
          <Card title={t("Collected in the last {n} days", { n: days })} badge={<span class="muted num">{money(b.net)}</span>}
            action={<a href={`/app/fees/daybook?from=${from}&to=${today()}`}>{t("Day book")}</a>}>
            {b.net === 0 && b.received === 0 ? <State icon="coin" title={t("Nothing was collected yet")} />
              : <Columns label={t("Collected per day")} points={perDay(b, from)} show={money} />}
          </Card>
          <Ready of={debts}>{(all) => <Ages debts={all} />}</Ready>
          <Card title={t("How it was paid")}>{b.byMethod.length > 0
            ? <Bars label={t("How it was paid")} points={b.byMethod.map((m) => ({ label: methodText(m.method), value: m.net }))} show={money} /> : <p class="muted">–</p>}</Card>
          <Card title={t("What it was paid for")}>{b.byHead.length > 0
            ? <Bars label={t("What it was paid for")} points={b.byHead.filter((h) => h.amount > 0).map((h) => ({ label: headText(h), value: h.amount }))}
              show={money} /> : <p class="muted">–</p>}</Card>
        </div>
      )}</Ready>
    </>
  )
}

function figures(b: DayBook, trial: Trial, debts: Debt[] | undefined): Figure[] {
  const month = sum(b.days.filter((d) => d.date.slice(0, 7) === today().slice(0, 7)).map((d) => d.net))
  const todays = b.days.find((d) => d.date === today())
  const of = (account: string) => sum(trial.accounts.filter((a) => a.account === account).map((a) => a.balance))
  const overdue = sum((debts ?? []).map((d) => d.overdue))
  const out: Figure[] = [
    { label: t("Taken today"), value: money(todays?.net ?? 0), href: `/app/fees/receipts?from=${today()}&to=${today()}`,
      ...(todays?.returned && { note: t("{sum} given back", { sum: money(todays.returned) }) }) },
    { label: t("This month"), value: money(month), href: "/app/fees/daybook" },
    { label: t("To pay"), value: money(of("STUDENT")), href: "/app/fees/dues" },
  ]
  if (debts) out.push({ label: t("Overdue"), value: money(overdue), note: t("{share} of what is open", { share: percent(overdue, of("STUDENT")) }),
    tone: overdue > 0 ? "bad" : "", href: "/app/fees/dues?overdue=true" })
  out.push({ label: t("Paid ahead"), value: money(0 - of("ADVANCE")), href: "/app/fees/trial-balance" })
  return out
}

function perDay(b: DayBook, from: string) {
  const net = new Map(b.days.map((d) => [d.date, d.net]))
  return Array.from({ length: days }, (_, i) => { const d = addDays(from, i); return { label: date(d), value: net.get(d) ?? 0 } })
}

function Ages({ debts }: { debts: Debt[] }) {
  const ages = byAge(debts)
  const old = ages.slice(2).reduce((a, x) => a + x.students, 0)
  return (
    <Card title={t("Dues by age")} action={<a href="/app/fees/dues">{t("All dues")}</a>}>
      {debts.length === 0 ? <State icon="check" title={t("Nobody owes anything")} /> : (
        <>
          <p class="muted small">{old > 0 ? n(old, "{n} student is more than 30 days late.", "{n} students are more than 30 days late.", { n: count(old) })
            : t("Nobody is more than 30 days late.")}</p>
          <Bars label={t("Dues by age")} points={ages} show={due} />
        </>
      )}
    </Card>
  )
}
