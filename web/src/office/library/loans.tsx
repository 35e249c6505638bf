import { useEffect, useState } from "preact/hooks"
import type { Row } from "../../api/contract"
import { may } from "../../api/session"
import { changed, useGet } from "../../shell/load"
import { query, setQuery } from "../../shell/router"
import { say, sayFault } from "../../shell/toast"
import { Badge, Button, Facts, Head, LinkButton, Ready, Who } from "../../ui/basics"
import { Dialog, Menu } from "../../ui/dialog"
import { List, type Column } from "../../ui/list"
import { date, due, money } from "../../words/format"
import { n, t } from "../../words/words"
import { borrowerHref, giveBack, issue, personOf, renew, type Loan } from "./lend"
import { LostDialog } from "./member"
import { LibraryTabs } from "./tabs"

type Listed = Row<"/school-admin/library/loan/list">

export const loanStatuses = () => [{ value: "ISSUED", text: t("at home") }, { value: "RETURNED", text: t("returned") }, { value: "LOST", text: t("lost") }]

export function LoanStatus({ loan: l }: { loan: Loan }) {
  if (l.overdue) return <Badge tone="bad">{n(l.daysLate, "{n} day late", "{n} days late")}</Badge>
  return l.status === "LOST" ? <Badge tone="bad">{t("lost")}</Badge>
    : <span class={l.status === "ISSUED" ? "" : "faint"}>{loanStatuses().find((s) => s.value === l.status)?.text}</span>
}

const columns = (): Column<Listed>[] => [
  { key: "title", label: t("Book"), text: (l) => l.title, cell: (l) => <a class="strong one" href={`/app/library/books/${l.bookId}`}>{l.title}</a> },
  { key: "copy", label: t("Copy"), text: (l) => l.accessionNo, cell: (l) => <span class="num muted">{l.accessionNo}</span>, hide: "sm" },
  { key: "borrower", label: t("Borrower"), text: (l) => l.borrowerName, cell: (l) => <Who name={l.borrowerName ?? "–"} href={borrowerHref(l)} /> },
  { key: "issued", label: t("Lent on"), sort: "createdAt", text: (l) => l.issueDate, cell: (l) => <span class="nowrap">{date(l.issueDate)}</span>, hide: "md" },
  { key: "due", label: t("Due on"), sort: "dueDate", text: (l) => l.dueDate, cell: (l) => <span class="nowrap">{date(l.dueDate)}</span>, hide: "sm" },
  { key: "status", label: t("Status"), text: (l) => (l.overdue ? t("overdue") : loanStatuses().find((s) => s.value === l.status)?.text), cell: (l) => <LoanStatus loan={l} /> },
  { key: "fine", label: t("Fine"), num: true, text: (l) => l.fine + l.replacement, cell: (l) => due(l.fine + l.replacement), hide: "sm" },
]

export default function Loans() {
  const writes = may("write", "library")
  const [lost, setLost] = useState<Listed>()
  const open = query.value.get("open")
  useEffect(() => { if (query.value.get("status") === "OVERDUE") setQuery({ status: "", overdue: "true" }) }, [])
  const fixed = { ...(query.value.get("studentId") && { studentId: query.value.get("studentId")! }),
    ...(query.value.get("employeeId") && { employeeId: query.value.get("employeeId")! }) }
  const run = async (what: () => Promise<void>) => { try { await what(); changed() } catch (e) { sayFault(e) } }
  const back = async (l: Loan) => {
    const r = await giveBack(l.accessionNo)
    const undo = r.fine > 0 || r.hold ? undefined : () => issue(personOf(l), l.accessionNo, l.dueDate)
    say(t("{title} is back from {name}.", { title: r.title, name: r.borrowerName ?? "–" }), undo)
  }
  const longer = async (l: Loan) => { const r = await renew(l.accessionNo); say(t("{title} is due on {date} now.", { title: r.title, date: date(r.dueDate) })) }
  if (query.value.get("status") === "OVERDUE") return null
  return (
    <>
      <Head title={t("Loans")}>{writes && <LinkButton href="/app/library" icon="book" kind="go">{t("Open the counter")}</LinkButton>}</Head>
      <LibraryTabs current="loans" />
      <List path="/school-admin/library/loan/list" name="loans" columns={columns()} open={(l) => setQuery({ open: l.id })} fixed={fixed}
        filters={[{ name: "overdue", label: t("Overdue"), options: [{ value: "true", text: t("only overdue") }, { value: "false", text: t("not overdue") }] },
          { name: "status", label: t("Status"), options: loanStatuses() }]}
        rowActions={(l) => <Menu size="sm" label={t("More for {name}", { name: l.title })} items={[
          { text: t("Details"), icon: "eye", run: () => setQuery({ open: l.id }) },
          { text: t("Take back"), icon: "check", hidden: !writes || l.status !== "ISSUED", run: () => void run(() => back(l)) },
          { text: t("Renew"), icon: "clock", hidden: !writes || l.status !== "ISSUED", run: () => void run(() => longer(l)) },
          { text: t("Lost"), icon: "alert", danger: true, hidden: !writes || l.status !== "ISSUED", run: () => setLost(l) },
        ]} />}
        empty={{ icon: "book", title: t("No loans yet"), text: t("Books are lent at the counter.") }} />
      {open && <LoanSheet id={open} onClose={() => setQuery({ open: "" })} />}
      {lost && <LostDialog loan={lost} onClose={() => setLost(undefined)} />}
    </>
  )
}

function LoanSheet({ id, onClose }: { id: string; onClose: () => void }) {
  const loaded = useGet("/school-admin/library/loan/{id}", undefined, { id })
  return (
    <Dialog title={loaded.data?.title ?? t("Loan")} onClose={onClose} side footer={<Button onClick={onClose}>{t("Close")}</Button>}>
      <Ready of={loaded}>{(l) => <Facts items={[
        [t("Borrower"), <a href={borrowerHref(l)}><bdi>{l.borrowerName}</bdi></a>], [t("Number"), l.borrowerNo], [t("Copy"), l.accessionNo],
        [t("Status"), <LoanStatus loan={l} />], [t("Lent on"), date(l.issueDate)], [t("Due on"), date(l.dueDate)],
        [t("Returned on"), l.returnDate && date(l.returnDate)], [t("Renewed"), l.renewals > 0 && n(l.renewals, "{n} time", "{n} times")],
        [t("Late fine"), l.fine > 0 && money(l.fine)], [t("Price of the lost book"), l.replacement > 0 && money(l.replacement)],
      ]} />}</Ready>
    </Dialog>
  )
}
