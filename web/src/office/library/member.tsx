import { useState } from "preact/hooks"
import { post } from "../../api/client"
import { asFault, changed, useGet } from "../../shell/load"
import { say } from "../../shell/toast"
import { Avatar, Badge, Banner, Button, Card, Ready, State } from "../../ui/basics"
import { Menu } from "../../ui/dialog"
import type { Person } from "../../ui/person"
import { RecordDialog } from "../../ui/record"
import { date, money } from "../../words/format"
import { n, t } from "../../words/words"
import { takeBack, type Tell } from "./events"
import { borrowerOf, renew, type Loan } from "./lend"

/** A member at the counter: what they have, and what is ready for them. */
export function Member({ person, leave, log }: { person: Person; leave: () => void; log: Tell }) {
  const loans = useGet("/school-admin/library/loan/list", { ...borrowerOf(person), status: "ISSUED", limit: 50, sort: "dueDate" })
  const ready = useGet("/school-admin/library/reservation/list", { ...borrowerOf(person), status: "READY", limit: 10 })
  const rules = useGet("/school-admin/library/rules")
  const most = rules.data && (person.kind === "student" ? rules.data.studentLoans : rules.data.employeeLoans)
  const late = loans.data?.items.filter((l) => l.overdue).length ?? 0
  return (
    <div class="stack loose">
      <div class="frame pad row"><Avatar name={person.name} photo={person.photo} size="lg" />
        <div class="grow"><h2><bdi><a href={person.kind === "student" ? `/app/students/${person.id}` : `/app/staff/${person.id}`}>{person.name}</a></bdi></h2>
          <p class="muted small">{person.note}</p></div>
        {loans.data && most !== undefined && <Badge tone={loans.data.total >= most ? "warn" : ""}>{t("{n} of {most} books", { n: loans.data.total, most })}</Badge>}
        <Button kind="plain" icon="x" aria-label={t("Next member")} onClick={leave} /></div>
      {late > 0 && rules.data?.overdueBlocks && <Banner tone="bad" icon="alert">
        {n(late, "{n} book is overdue. It must come back before another is lent.", "{n} books are overdue. They must come back before another is lent.")}</Banner>}
      {ready.data?.items.map((r) => <Banner key={r.id} tone="good" icon="book">
        {t("{title} is kept for {name}: copy {no}.", { title: r.title, name: person.name, no: r.accessionNo ?? "–" })}</Banner>)}
      <Card title={t("Has at home")} flush><Ready of={loans} rows={3}>{(d) => (
        d.items.length === 0 ? <State icon="book" title={t("No books")} /> : <ul class="list">{d.items.map((l) => <AtHome key={l.id} loan={l} log={log} />)}</ul>
      )}</Ready></Card>
    </div>
  )
}

function AtHome({ loan: l, log }: { loan: Loan; log: Tell }) {
  const [losing, setLosing] = useState(false)
  const run = async (what: () => Promise<unknown>) => {
    try { await what(); changed() } catch (e) { log({ tone: "bad", text: asFault(e).message }) }
  }
  const longer = async () => { const r = await renew(l.accessionNo, crypto.randomUUID());
    log({ tone: "good", text: t("{title} may stay longer.", { title: r.title }), note: t("Due on {date}", { date: date(r.dueDate) }) }) }
  return (
    <li><div class="grow"><b><a href={`/app/library/books/${l.bookId}`}>{l.title}</a></b>
      <p>{l.accessionNo}, {l.overdue ? <span class="bad">{n(l.daysLate, "{n} day late", "{n} days late")}{l.fine > 0 && `, ${money(l.fine)}`}</span>
        : t("due on {date}", { date: date(l.dueDate) })}</p></div>
      <Button size="sm" onClick={() => void run(() => takeBack(l.accessionNo, log))} aria-label={t("Take back {title}", { title: l.title })}>{t("Take back")}</Button>
      <Button size="sm" onClick={() => void run(longer)} aria-label={t("Renew {title}", { title: l.title })}>{t("Renew")}</Button>
      <Menu size="sm" label={t("More for {name}", { name: l.title })} items={[{ text: t("Lost"), icon: "alert", danger: true, run: () => setLosing(true) }]} />
      {losing && <LostDialog loan={l} onClose={() => setLosing(false)} />}
    </li>
  )
}

/** A lost copy costs its price and the late fine, in one charge. */
export function LostDialog({ loan, onClose }: { loan: Loan; onClose: () => void }) {
  return (
    <RecordDialog title={t("{title} is lost", { title: loan.title })} button={t("Report it as lost")} onClose={onClose}
      fields={[{ name: "price", label: t("Price to pay"), kind: "money", min: 0, wide: true,
        help: t("Without one: the price of the book. The borrower is charged at once, with the late fine.") }]}
      save={async (v, key) => {
        const l = await post("/school-admin/library/loan/lost",
          { accessionNo: loan.accessionNo, ...(v.price !== undefined && v.price !== null && { price: Number(v.price) }) }, { key })
        say(t("{title} is lost. {sum} is charged.", { title: l.title, sum: money(l.fine + l.replacement) }))
        return l
      }} />
  )
}
