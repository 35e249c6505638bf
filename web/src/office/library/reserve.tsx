import { post } from "../../api/client"
import type { Schema } from "../../api/contract"
import { say } from "../../shell/toast"
import type { Values } from "../../ui/form"
import { personField, type Person } from "../../ui/person"
import { RecordDialog } from "../../ui/record"
import { t } from "../../words/words"
import { borrowerOf, personOf } from "./lend"

const create = (bookId: string, p: Pick<Person, "kind" | "id">, key?: string) => post("/school-admin/library/reservation/create", { bookId, ...borrowerOf(p) }, key ? { key } : {})
const cancel = (id: string) => post("/school-admin/library/reservation/{id}/cancel", undefined, { path: { id } })

/** Cancels a reservation. Undo reserves again, at the end of the queue. */
export async function cancelReservation(r: Schema["Reservation"]): Promise<void> {
  await cancel(r.id)
  say(t("{name} no longer waits for {title}.", { name: r.borrowerName ?? "–", title: r.title }), () => create(r.bookId, personOf(r)))
}

export function ReserveDialog({ book, onClose }: { book: { id: string; title: string }; onClose: () => void }) {
  async function save(v: Values, key: string) {
    const person = v.studentId as Person
    const r = await create(book.id, person, key)
    say(t("{title} is reserved for {name}.", { title: r.title, name: person.name }), () => cancel(r.id))
    return r
  }
  return <RecordDialog title={t("Reserve {title}", { title: book.title })} button={t("Reserve the book")}
    fields={[personField("studentId", t("For"), ["student", "employee"])]} save={save} onClose={onClose} />
}
