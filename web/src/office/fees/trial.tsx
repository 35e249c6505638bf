import { useGet } from "../../shell/load"
import { query, setQuery } from "../../shell/router"
import { Badge, Banner, Button, Head, Ready } from "../../ui/basics"
import { saveCSV } from "../../ui/csv"
import { date, due, money, today } from "../../words/format"
import { t } from "../../words/words"
import type { Schema } from "../../api/contract"
import { methodText } from "./amount"
import { FeeTabs } from "./tabs"

type Balance = Schema["FeeBalance"]

function accountText(a: Balance): string {
  const texts: Record<Balance["account"], string> = {
    STUDENT: t("Owed by families"), ADVANCE: t("Paid ahead by families"), INCOME: t("Income"), FINE: t("Fines"), CONCESSION: t("Concessions"), CASH: t("Cash"),
    BANK: t("Bank"), OPENING: t("Opening balances"),
  }
  const detail = a.feeHead ?? (a.account === "BANK" && a.method ? methodText(a.method) : null)
  return detail ? `${texts[a.account]}: ${detail}` : texts[a.account]
}

export default function TrialBalance() {
  const day = query.value.get("date") || today()
  const trial = useGet("/school-admin/fee/report/trial-balance", { date: day })
  return (
    <>
      <Head title={t("Trial balance")} sub={t("All accounts at the end of {date}.", { date: date(day) })}>
        <Button icon="print" onClick={() => window.print()}>{t("Print or save as PDF")}</Button>
        <Button icon="save" disabled={!trial.data} onClick={() => saveCSV(`trial-balance-${day}`, [
          { label: t("Account"), text: accountText }, { label: t("Debit"), text: (a: Balance) => a.debit }, { label: t("Credit"), text: (a: Balance) => a.credit },
          { label: t("Balance"), text: (a: Balance) => a.balance },
        ], async () => trial.data!.accounts)}>{t("CSV")}</Button>
      </Head>
      <FeeTabs current="trial" />
      <div class="filters"><label class="chip"><span>{t("Day")}</span>
        <input type="date" value={day} max={today()} onChange={(e) => setQuery({ date: e.currentTarget.value })} /></label></div>
      <Ready of={trial}>{(b) => (
        <>
          {b.difference !== 0 && <Banner tone="bad" icon="alert">{t("The books differ by {sum}. Tell the operator: this must not happen.", { sum: money(b.difference) })}</Banner>}
          <div class="frame scroll" role="region" aria-label={t("Trial balance")} tabIndex={0}><table>
            <thead><tr><th scope="col">{t("Account")}</th><th scope="col" class="num hide-sm">{t("Debit")}</th><th scope="col" class="num hide-sm">{t("Credit")}</th>
              <th scope="col" class="num">{t("Balance")}</th></tr></thead>
            <tbody>{b.accounts.map((a) => <tr key={`${a.account} ${a.feeHeadId} ${a.method}`}><th scope="row">{accountText(a)}</th>
              <td class="num hide-sm">{due(a.debit)}</td><td class="num hide-sm">{due(a.credit)}</td><td class="num">{due(a.balance)}</td></tr>)}</tbody>
            <tfoot><tr><th scope="row">{t("Sum")} {b.difference === 0 && <Badge tone="good">{t("balanced")}</Badge>}</th><td class="num hide-sm">{money(b.debit)}</td>
              <td class="num hide-sm">{money(b.credit)}</td><td class="num">{due(b.difference)}</td></tr></tfoot>
          </table></div>
        </>
      )}</Ready>
    </>
  )
}
