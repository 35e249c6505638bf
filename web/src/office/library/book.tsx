import { useState } from "preact/hooks"
import { get, post, put, remove } from "../../api/client"
import type { Schema } from "../../api/contract"
import { may } from "../../api/session"
import { changed, useGet } from "../../shell/load"
import { useKey } from "../../shell/keys"
import { go } from "../../shell/router"
import { say, sayFault } from "../../shell/toast"
import { Button, Card, Facts, Head, Ready, State, Who } from "../../ui/basics"
import { Dialog, Menu } from "../../ui/dialog"
import { Form, type Values } from "../../ui/form"
import { RecordDialog } from "../../ui/record"
import { date, money } from "../../words/format"
import { n, t } from "../../words/words"
import { bookFields, copiesOf, copyFields } from "./books"
import { CopiesCard } from "./copies"
import { borrowerHref } from "./lend"
import { LoanStatus } from "./loans"
import { ReserveDialog, cancelReservation } from "./reserve"
import { LibraryTabs } from "./tabs"

type Book = Schema["Book"]

export default function BookPage({ params }: { params: Record<string, string> }) {
  const id = params.id!
  const loaded = useGet("/school-admin/library/book/{id}", undefined, { id })
  return <Ready of={loaded}>{(b) => <Shown book={b} />}</Ready>
}

function Shown({ book: b }: { book: Book }) {
  const writes = may("write", "library")
  const [dialog, setDialog] = useState<"edit" | "copies" | "delete" | "reserve">()
  const close = () => setDialog(undefined)
  useKey("e", t("Edit the book"), () => { if (writes) setDialog("edit") })
  return (
    <>
      <Head title={<bdi>{b.title}</bdi>} sub={[b.author, b.availableCopies > 0 ? n(b.availableCopies, "{n} copy is on the shelf.", "{n} copies are on the shelf.")
        : t("No copy is on the shelf.")].filter(Boolean).join(". ")}>
        {writes && <><Menu label={t("More")} text={t("More")}
          items={[{ text: t("Add copies"), icon: "plus", run: () => setDialog("copies") },
            { text: t("Delete the book"), icon: "x", danger: true, hidden: !may("delete", "library"), run: () => setDialog("delete") }]} />
          <Button icon="pen" hint="E" onClick={() => setDialog("edit")}>{t("Edit")}</Button>
          <Button kind="go" icon="clock" onClick={() => setDialog("reserve")}>{t("Reserve")}</Button></>}
      </Head>
      <LibraryTabs current="books" />
      <div class="cols">
        <div class="stack far"><CopiesCard book={b} onAdd={writes ? () => setDialog("copies") : undefined} /><LoansCard bookId={b.id} /></div>
        <div class="stack far">
          <Card title={t("About the book")}><Facts items={[[t("Author"), b.author], ["ISBN", b.isbn], [t("Publisher"), b.publisher], [t("Category"), b.category],
            [t("Shelf"), b.shelf], [t("Price"), b.price > 0 && money(b.price)], [t("In the catalogue since"), date(b.createdAt)]]} /></Card>
          <QueueCard bookId={b.id} />
        </div>
      </div>
      {dialog === "edit" && <EditBook book={b} onClose={close} />}
      {dialog === "copies" && <AddCopies book={b} onClose={close} />}
      {dialog === "delete" && <DeleteBook book={b} onClose={close} />}
      {dialog === "reserve" && <ReserveDialog book={b} onClose={close} />}
    </>
  )
}

function EditBook({ book: b, onClose }: { book: Book; onClose: () => void }) {
  const path = { id: b.id }
  const { title, author, isbn, publisher, category, shelf, price } = b
  const save = async (v: Values, key: string) => {
    const saved = await put("/school-admin/library/book/{id}", v, { path, key })
    say(t("{name} is saved.", { name: saved.title }), () => put("/school-admin/library/book/{id}", { title, author, isbn, publisher, category, shelf, price }, { path }))
    return saved
  }
  return <RecordDialog title={t("Edit {name}", { name: b.title })} fields={bookFields()} record={{ ...b }} save={save}
    latest={async () => ({ ...(await get("/school-admin/library/book/{id}", undefined, { path })) })} onClose={onClose} />
}

function AddCopies({ book: b, onClose }: { book: Book; onClose: () => void }) {
  return (
    <RecordDialog title={t("Add copies of {title}", { title: b.title })} button={t("Add the copies")} record={{ count: 1 }} fields={copyFields()} onClose={onClose}
      save={async (v, key) => {
        const copies = copiesOf(v.numbers as string, v.count as number)
        const saved = await post("/school-admin/library/book/{id}/copies", { copies }, { path: { id: b.id }, key })
        say(n(copies.length, "{n} copy is added.", "{n} copies are added."))
        return saved
      }} />
  )
}

/** A book that was lent before is archived, and nothing brings it back: the title must be typed. */
function DeleteBook({ book: b, onClose }: { book: Book; onClose: () => void }) {
  return (
    <Dialog title={t("Delete {title}", { title: b.title })} onClose={onClose}>
      <p>{t("The book leaves the catalogue with its copies. Its loans stay in the records. Nothing brings it back.")}</p>
      <Form single button={t("Delete the book")} onCancel={onClose} fields={[{ name: "title", label: t("Type the title to go on: {title}", { title: b.title }), required: true }]}
        submit={async (v) => {
          if (String(v.title).trim().toLowerCase() !== b.title.trim().toLowerCase()) throw new Error(t("That is another title."))
          await remove("/school-admin/library/book/{id}", { path: { id: b.id } })
        }}
        onDone={() => { say(t("{name} is deleted.", { name: b.title })); go("/app/library/books") }} />
    </Dialog>
  )
}

function LoansCard({ bookId }: { bookId: string }) {
  const loans = useGet("/school-admin/library/loan/list", { bookId, limit: 20, sort: "createdAt", order: "desc" })
  return (
    <Card title={t("Loans")} flush><Ready of={loans} rows={3}>{(d) => (d.items.length === 0 ? <State icon="book" title={t("Never lent yet")} /> : (
      <div class="scroll" tabIndex={0}><table>
        <thead><tr><th scope="col">{t("Borrower")}</th><th scope="col" class="hide-sm">{t("Copy")}</th><th scope="col" class="hide-sm">{t("Lent on")}</th>
          <th scope="col">{t("Due on")}</th><th scope="col">{t("Status")}</th></tr></thead>
        <tbody>{d.items.map((l) => <tr key={l.id}><td><Who name={l.borrowerName ?? "–"} href={borrowerHref(l)} /></td>
          <td class="hide-sm"><span class="num muted">{l.accessionNo}</span></td><td class="nowrap hide-sm">{date(l.issueDate)}</td>
          <td class="nowrap">{date(l.dueDate)}</td><td><LoanStatus loan={l} /></td></tr>)}</tbody>
      </table></div>
    ))}</Ready></Card>
  )
}

function QueueCard({ bookId }: { bookId: string }) {
  const queue = useGet("/school-admin/library/reservation/list", { bookId, limit: 50, sort: "createdAt", order: "asc" })
  const waiting = queue.data?.items.filter((r) => r.status === "WAITING" || r.status === "READY") ?? []
  const cancel = (r: (typeof waiting)[number]) => { cancelReservation(r).then(changed, sayFault) }
  return (
    <Card title={t("Waiting for it")} flush>{waiting.length === 0 ? <State icon="clock" title={t("Nobody waits")} /> : (
      <ul class="list">{waiting.map((r) => <li key={r.id}><div class="grow"><Who name={r.borrowerName ?? "–"} href={borrowerHref(r)} />
        <p>{r.status === "READY" ? t("kept until {date}", { date: date(r.holdUntil) }) : t("no. {n} in the queue", { n: r.position })}</p></div>
        {may("write", "library") && <Button kind="plain" size="sm" onClick={() => cancel(r)}
          aria-label={t("Cancel the reservation of {name}", { name: r.borrowerName ?? "" })}>{t("Cancel")}</Button>}</li>)}</ul>
    )}</Card>
  )
}
