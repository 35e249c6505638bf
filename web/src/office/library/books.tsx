import { useRef, useState } from "preact/hooks"
import { post, remove } from "../../api/client"
import type { Row } from "../../api/contract"
import { may } from "../../api/session"
import { useGet } from "../../shell/load"
import { useKey } from "../../shell/keys"
import { go, query } from "../../shell/router"
import { say } from "../../shell/toast"
import { Badge, Button, Head, LinkButton } from "../../ui/basics"
import type { FieldSpec, Values } from "../../ui/form"
import { List, type Column } from "../../ui/list"
import { RecordDialog } from "../../ui/record"
import { due } from "../../words/format"
import { n, t } from "../../words/words"
import { LibraryTabs } from "./tabs"

type Book = Row<"/school-admin/library/book/list">

const lendable = (b: Book) => b.copies.filter((c) => c.status !== "LOST" && c.status !== "WITHDRAWN").length

const columns = (): Column<Book>[] => [
  { key: "title", label: t("Title"), sort: "title", text: (b) => b.title, cell: (b) => <a class="strong one" href={`/app/library/books/${b.id}`}>{b.title}</a> },
  { key: "author", label: t("Author"), sort: "author", text: (b) => b.author, cell: (b) => b.author && <bdi class="one">{b.author}</bdi>, hide: "sm" },
  { key: "category", label: t("Category"), text: (b) => b.category, cell: (b) => b.category, hide: "md" },
  { key: "shelf", label: t("Shelf"), text: (b) => b.shelf, cell: (b) => b.shelf, hide: "sm" },
  { key: "isbn", label: "ISBN", text: (b) => b.isbn, cell: (b) => b.isbn && <span class="num muted">{b.isbn}</span>, hide: "md" },
  { key: "price", label: t("Price"), num: true, text: (b) => b.price, cell: (b) => due(b.price), off: true },
  { key: "waiting", label: t("Waiting"), num: true, text: (b) => b.waiting, cell: (b) => (b.waiting > 0 ? <Badge tone="info">{b.waiting}</Badge> : "–"), hide: "sm" },
  { key: "available", label: t("On the shelf"), num: true, text: (b) => b.availableCopies,
    cell: (b) => <span class={b.availableCopies === 0 ? "bad nowrap" : "nowrap"}>{t("{n} of {all}", { n: b.availableCopies, all: lendable(b) })}</span> },
]

/** What is known about a title. */
export const bookFields = (): FieldSpec[] => [
  { name: "title", label: t("Title"), required: true, wide: true }, { name: "author", label: t("Author") },
  { name: "isbn", label: "ISBN", help: t("10 or 13 digits, as on the back of the book.") },
  { name: "publisher", label: t("Publisher") }, { name: "category", label: t("Category") }, { name: "shelf", label: t("Shelf") },
  { name: "price", label: t("Price"), kind: "money", min: 0, help: t("What a lost copy costs.") },
]

export default function Books() {
  const writes = may("write", "library")
  const [adding, setAdding] = useState(query.value.get("new") === "1")
  const some = useGet("/school-admin/library/book/list", { limit: 100 })
  const categories = [...new Set(some.data?.items.map((b) => b.category).filter((c) => c !== null) ?? [])].sort()
  useKey("n", t("Add a book"), () => { if (writes) setAdding(true) })
  return (
    <>
      <Head title={t("Catalogue")}>{writes && <><LinkButton href="/app/import/books" icon="load">{t("Import")}</LinkButton>
        <Button kind="go" icon="plus" hint="N" onClick={() => setAdding(true)}>{t("Add a book")}</Button></>}</Head>
      <LibraryTabs current="books" />
      <List path="/school-admin/library/book/list" name="books" search={t("Title, author, ISBN or copy no.")} columns={columns()} open={(b) => `/app/library/books/${b.id}`}
        filters={[{ name: "category", label: t("Category"), options: categories.map((c) => ({ value: c, text: c })) },
          { name: "available", label: t("On the shelf"), options: [{ value: "true", text: t("yes") }, { value: "false", text: t("no") }] }]}
        empty={{ icon: "book", title: t("No books yet"), text: t("Add the first one, or import a list."),
          action: writes && <LinkButton kind="go" href="/app/import/books">{t("Import a list")}</LinkButton> }} />
      {adding && <NewBook onClose={() => setAdding(false)} />}
    </>
  )
}

function NewBook({ onClose }: { onClose: () => void }) {
  const made = useRef("")
  async function save(v: Values, key: string) {
    const { numbers, count, ...rest } = v as { numbers?: string; count?: number; title: string }
    const book = await post("/school-admin/library/book/create", { ...clean(rest), title: rest.title, copies: copiesOf(numbers, count) }, { key })
    say(n(book.copies.length, "{title} is in the catalogue with {n} copy.", "{title} is in the catalogue with {n} copies.", { title: book.title }),
      () => remove("/school-admin/library/book/{id}", { path: { id: book.id } }))
    made.current = book.id
    return book
  }
  return <RecordDialog title={t("Add a book")} button={t("Add the book")} record={{ count: 1 }} fields={[...bookFields(), ...copyFields()]} save={save} wide
    onClose={(saved) => { onClose(); if (saved) go(`/app/library/books/${made.current}`) }} />
}

export const copyFields = (): FieldSpec[] => [
  { name: "count", label: t("Copies"), kind: "number", min: 1, max: 200, required: true, hidden: (v) => !!v.numbers },
  { name: "numbers", label: t("Numbers on the labels"), help: t("One per copy, with a space between them. Without them, the next free numbers are given.") },
]

/** One entry per copy; an empty one gets the next number. */
export function copiesOf(numbers: string | null | undefined, count: number | undefined): { accessionNo?: string }[] {
  const given = numbers?.split(/[\s,;]+/).filter(Boolean) ?? []
  return given.length > 0 ? given.map((accessionNo) => ({ accessionNo })) : Array.from({ length: Math.max(1, Number(count ?? 1)) }, () => ({}))
}

/** Leaves out what was not typed. */
function clean(v: Values): Values { return Object.fromEntries(Object.entries(v).filter(([, x]) => x !== null && x !== "")) }
