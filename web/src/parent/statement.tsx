// One child's account: what is due, what was paid, and the statement as PDF.
import { address } from "../api/client"
import { Screen } from "../pocket/screen"
import { useGet } from "../shell/load"
import { Badge, Button, Card, Facts, Ready, State } from "../ui/basics"
import { saveFile } from "../ui/csv"
import { date, fullDate, money, today } from "../words/format"
import { t } from "../words/words"
import { Children } from "./children"
import { useChild } from "./family"
import { methodName } from "./money"

export default function Statement({ params }: { params: Record<string, string> }) {
  const id = params.id!
  const { day, child } = useChild(id)
  const account = useGet("/parent/fee/statement", { studentId: id })
  const totals = account.data?.totals
  return (
    <Screen title={totals ? (totals.due ? t("{amount} to pay", { amount: money(totals.due) }) : t("Everything is paid")) : t("Fees")} sub={<bdi>{child?.firstName}</bdi>}
      back="/app/fees">
      {day.data && <Children all={day.data.children} chosen={id} href={(c) => `/app/fees/${c}`} />}
      <Ready of={account} rows={8}>{(a) => {
        const open = a.charges.filter((c) => c.due > 0).sort((x, y) => x.dueDate.localeCompare(y.dueDate))
        return (
          <>
            <Card title={t("To pay")} flush>
              {open.length === 0 ? <State icon="check" title={t("Nothing to pay")} /> : (
                <ul class="list">{open.map((c) => (
                  <li key={c.id}><div class="grow"><b><bdi>{c.title}</bdi></b>
                    <p class={c.dueDate < today() ? "bad" : ""}>{c.dueDate < today() ? t("Was due {date}", { date: date(c.dueDate) })
                    : t("Due {date}", { date: date(c.dueDate) })}
                    {c.due < c.amount && <> · {t("of {amount}", { amount: money(c.amount) })}</>}</p></div><b class="num">{money(c.due)}</b></li>
                ))}</ul>
              )}
            </Card>
            {a.receipts.length > 0 && (
              <Card title={t("Paid")} flush>
                <ul class="list">{a.receipts.map((r) => (
                  <li key={r.id}><div class="grow"><b>{money(r.amount)} {r.status === "REVERSED" && <Badge tone="bad">{t("reversed")}</Badge>}</b>
                    <p>{[fullDate(r.date), r.number, methodName(r.method)].join(" · ")}</p></div>
                    <Button size="sm" icon="save" aria-label={t("Receipt {number} as PDF", { number: r.number })}
                      onClick={() => void saveFile(address("/parent/fee/receipt/{id}", { id: r.id }, { format: "pdf", studentId: id }))} /></li>
                ))}</ul>
              </Card>
            )}
            <Card title={t("Together")}>
              <Facts items={[[t("Charged"), money(a.totals.charged)], [t("Paid"), money(a.totals.paid)], [t("Let off"), a.totals.concession ? money(a.totals.concession)
                : "–"], [t("Overdue"), a.totals.overdue ? money(a.totals.overdue) : "–"],
                [t("Paid in advance"), a.totals.advance ? money(a.totals.advance) : "–"]]} />
            </Card>
            <Button icon="save" onClick={() => void saveFile(address("/parent/fee/statement", {}, { studentId: id, format: "pdf" }))}>{t("Statement as PDF")}</Button>
          </>
        )
      }}</Ready>
    </Screen>
  )
}
