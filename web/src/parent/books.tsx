// Library books of the children.
import { Screen } from "../pocket/screen"
import { useGet } from "../shell/load"
import { Badge, Card, Ready, State } from "../ui/basics"
import { date, money } from "../words/format"
import { n, t } from "../words/words"
import { useDay } from "./family"

export default function Books() {
  useDay() // learns of a child whose link has ended
  const loans = useGet("/parent/library/loans", { limit: 100 })
  const out = loans.data?.items.filter((l) => l.status === "ISSUED") ?? []
  const late = out.filter((l) => l.overdue).length
  const title = !loans.data ? t("Library books") : late ? n(late, "{n} book is overdue", "{n} books are overdue") : out.length
    ? n(out.length, "{n} book at home", "{n} books at home") : t("No book at home")
  return (
    <Screen title={title} back="/app/school">
      <Ready of={loans} rows={6}>{(l) => l.items.length === 0 ? <State icon="book" title={t("No book was borrowed so far")} /> : (
        <Card flush><ul class="list">{[...out, ...l.items.filter((x) => x.status !== "ISSUED")].map((x) => (
          <li key={x.id}><div class="grow"><b><bdi>{x.title}</bdi></b><p><bdi>{[x.borrowerName, x.author].filter(Boolean).join(" · ")}</bdi></p>
            <p>{x.status === "ISSUED" ? t("Return it until {date}", { date: date(x.dueDate) }) : x.status === "LOST"
              ? t("Reported lost {date}", { date: date(x.returnDate) }) : t("Returned {date}", { date: date(x.returnDate) })}
              {x.fine > 0 && <> · {t("Fine {amount}", { amount: money(x.fine) })}</>}</p></div>
            {x.overdue && <Badge tone="bad">{n(x.daysLate, "{n} day late", "{n} days late")}</Badge>}</li>
        ))}</ul></Card>
      )}</Ready>
    </Screen>
  )
}
