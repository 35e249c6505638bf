import type { Row } from "../../api/contract"
import { may } from "../../api/session"
import { changed } from "../../shell/load"
import { sayFault } from "../../shell/toast"
import { Badge, Button, Head, LinkButton, Who, type Tone } from "../../ui/basics"
import { List, type Column } from "../../ui/list"
import { date } from "../../words/format"
import { t } from "../../words/words"
import { borrowerHref } from "./lend"
import { cancelReservation } from "./reserve"
import { LibraryTabs } from "./tabs"

type Reservation = Row<"/school-admin/library/reservation/list">

const statuses = (): { value: Reservation["status"]; text: string; tone: Tone }[] => [
  { value: "WAITING", text: t("waiting"), tone: "info" }, { value: "READY", text: t("ready to fetch"), tone: "good" },
  { value: "FULFILLED", text: t("fetched"), tone: "" }, { value: "CANCELLED", text: t("cancelled"), tone: "" }, { value: "EXPIRED", text: t("not fetched"), tone: "" },
]
const textOf = (r: Reservation) => statuses().find((s) => s.value === r.status)!

const columns = (): Column<Reservation>[] => [
  { key: "title", label: t("Book"), text: (r) => r.title, cell: (r) => <a class="strong one" href={`/app/library/books/${r.bookId}`}>{r.title}</a> },
  { key: "borrower", label: t("For"), text: (r) => r.borrowerName, cell: (r) => <Who name={r.borrowerName ?? "–"} href={borrowerHref(r)} /> },
  { key: "since", label: t("Since"), sort: "createdAt", text: (r) => r.createdAt, cell: (r) => <span class="nowrap">{date(r.createdAt)}</span>, hide: "sm" },
  { key: "position", label: t("In the queue"), num: true, text: (r) => (r.status === "WAITING" ? r.position : null),
    cell: (r) => (r.status === "WAITING" ? r.position : "–"), hide: "sm" },
  { key: "copy", label: t("Copy"), text: (r) => r.accessionNo, cell: (r) => r.accessionNo && <span class="num">{r.accessionNo}</span>, hide: "md" },
  { key: "until", label: t("Kept until"), text: (r) => r.holdUntil, cell: (r) => r.holdUntil && <span class="nowrap">{date(r.holdUntil)}</span>, hide: "sm" },
  { key: "status", label: t("Status"), text: (r) => textOf(r).text,
    cell: (r) => (textOf(r).tone ? <Badge tone={textOf(r).tone}>{textOf(r).text}</Badge> : <span class="faint">{textOf(r).text}</span>) },
]

export default function Reservations() {
  const writes = may("write", "library")
  const open = (r: Reservation) => r.status === "WAITING" || r.status === "READY"
  return (
    <>
      <Head title={t("Reservations")} sub={t("Reserve a book on its own page.")}><LinkButton href="/app/library/books" icon="search">{t("Find a book")}</LinkButton></Head>
      <LibraryTabs current="reservations" />
      <List path="/school-admin/library/reservation/list" name="reservations" columns={columns()} open={(r) => `/app/library/books/${r.bookId}`}
        filters={[{ name: "status", label: t("Status"), options: statuses() }]}
        rowActions={writes ? (r) => open(r) && <Button kind="plain" size="sm" onClick={() => { cancelReservation(r).then(changed, sayFault) }}
          aria-label={t("Cancel the reservation of {name}", { name: r.borrowerName ?? "" })}>{t("Cancel")}</Button> : undefined}
        empty={{ icon: "clock", title: t("Nobody waits for a book") }} />
    </>
  )
}
