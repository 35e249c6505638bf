// What the family has to pay, by child, and the receipts.
import { address } from "../api/client"
import { Line, Screen } from "../pocket/screen"
import { useGet } from "../shell/load"
import { Avatar, Badge, Button, Card, Ready, State } from "../ui/basics"
import { saveFile } from "../ui/csv"
import { date, fullDate, money } from "../words/format"
import { t } from "../words/words"
import { useDay } from "./family"
import { methodName } from "./money"

const dueText = (c: { nextDueDate: string | null; overdue: number }) => !c.nextDueDate ? t("Nothing to pay")
  : c.overdue ? t("Was due {date}", { date: date(c.nextDueDate) }) : t("Next due {date}", { date: date(c.nextDueDate) })

export default function Fees() {
  const day = useDay()
  const sum = useGet("/parent/fee/summary")
  const receipts = useGet("/parent/fee/receipts", { limit: 50 })
  const s = sum.data
  return (
    <Screen title={s ? (s.due ? t("{amount} to pay", { amount: money(s.due) }) : t("Everything is paid")) : t("Fees")} back="/app/school"
      sub={s?.overdue ? <span class="bad">{t("{amount} of it is overdue", { amount: money(s.overdue) })}</span> : s?.advance
        ? t("{amount} is paid in advance", { amount: money(s.advance) }) : undefined}>
      <Ready of={sum} rows={5}>{(f) => (
        <Card flush>
          {f.students.map((c) => (
            <Line key={c.studentId} href={`/app/fees/${c.studentId}`} lead={<Avatar name={c.firstName}
              photo={day.data?.children.find((x) => x.id === c.studentId)?.photoThumbnailUrl} size="md" />}
              title={<bdi>{c.firstName}</bdi>} sub={dueText(c)}
              end={<b class={c.overdue ? "bad num" : "num"}>{c.due ? money(c.due) : "–"}</b>} />
          ))}
        </Card>
      )}</Ready>
      <Card title={t("Receipts")} flush>
        <Ready of={receipts} rows={4}>{(r) => r.items.length === 0 ? <State icon="coin" title={t("No receipts yet")} /> : (
          <ul class="list">{r.items.map((x) => (
            <li key={x.id}><div class="grow"><b>{money(x.amount)} {x.status === "REVERSED" && <Badge tone="bad">{t("reversed")}</Badge>}</b>
              <p><bdi>{[fullDate(x.date), x.number, methodName(x.method)].join(" · ")}</bdi></p></div>
              <Button size="sm" icon="save" aria-label={t("Receipt {number} as PDF", { number: x.number })}
                onClick={() => void saveFile(address("/parent/fee/receipt/{id}", { id: x.id }, { format: "pdf" }))} /></li>
          ))}</ul>
        )}</Ready>
      </Card>
    </Screen>
  )
}
