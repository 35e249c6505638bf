import { useState } from "preact/hooks"
import { put } from "../../api/client"
import type { Schema } from "../../api/contract"
import { may } from "../../api/session"
import { changed } from "../../shell/load"
import { say, sayFault } from "../../shell/toast"
import { Badge, Button, Card, State, type Tone } from "../../ui/basics"
import { Menu } from "../../ui/dialog"
import { RecordDialog } from "../../ui/record"
import { date } from "../../words/format"
import { t } from "../../words/words"

type Copy = Schema["BookCopy"]
type Book = Schema["Book"]

const words = (): Record<Copy["status"], { text: string; tone: Tone }> => ({
  AVAILABLE: { text: t("on the shelf"), tone: "good" }, HELD: { text: t("kept for someone"), tone: "info" }, ISSUED: { text: t("lent"), tone: "" },
  LOST: { text: t("lost"), tone: "bad" }, WITHDRAWN: { text: t("withdrawn"), tone: "" },
})

type Settable = "AVAILABLE" | "LOST" | "WITHDRAWN"

export function CopiesCard({ book, onAdd }: { book: Book; onAdd: (() => void) | undefined }) {
  const [naming, setNaming] = useState<Copy>()
  const change = (c: Copy, status: Settable) => put("/school-admin/library/copy/{id}", { status }, { path: { id: c.id } })
  async function set(c: Copy, status: Settable) {
    try {
      await change(c, status)
      changed()
      const before: Settable | null = c.status === "AVAILABLE" || c.status === "LOST" || c.status === "WITHDRAWN" ? c.status : null
      const back = before === null || (status === "WITHDRAWN" && before === "LOST") ? undefined : () => change(c, before)
      say(t("Copy {no} is {status}.", { no: c.accessionNo, status: words()[status].text }), back)
    } catch (e) { sayFault(e) }
  }
  return (
    <Card title={t("Copies")} action={onAdd && <Button size="sm" icon="plus" onClick={onAdd}>{t("Add copies")}</Button>} flush>
      {book.copies.length === 0 ? <State icon="book" title={t("No copies yet")} /> : (
        <div class="scroll" tabIndex={0}><table>
          <thead><tr><th scope="col">{t("Number")}</th><th scope="col">{t("Status")}</th><th scope="col">{t("Due on")}</th>
            <th scope="col"><span class="sr">{t("Actions")}</span></th></tr></thead>
          <tbody>{book.copies.map((c) => (
            <tr key={c.id}><td><span class="num strong">{c.accessionNo}</span></td><td><Badge tone={words()[c.status].tone}>{words()[c.status].text}</Badge></td>
              <td class="nowrap">{date(c.dueDate)}</td>
              <td class="act">{may("write", "library") && <Menu size="sm" label={t("More for copy {no}", { no: c.accessionNo })} items={[
                { text: t("New number"), icon: "pen", run: () => setNaming(c) },
                { text: t("Found again"), icon: "check", hidden: c.status !== "LOST" && c.status !== "WITHDRAWN", run: () => void set(c, "AVAILABLE") },
                { text: t("Lost from the shelf"), icon: "alert", hidden: c.status !== "AVAILABLE" && c.status !== "HELD", run: () => void set(c, "LOST") },
                { text: t("Withdraw"), icon: "x", hidden: c.status === "ISSUED" || c.status === "WITHDRAWN", run: () => void set(c, "WITHDRAWN") },
              ]} />}</td></tr>
          ))}</tbody>
        </table></div>
      )}
      {naming && <RecordDialog title={t("New number of copy {no}", { no: naming.accessionNo })} record={{ accessionNo: naming.accessionNo }}
        fields={[{ name: "accessionNo", label: t("Number"), required: true, wide: true }]} onClose={() => setNaming(undefined)}
        save={async (v, key) => {
          const path = { id: naming.id }
          const saved = await put("/school-admin/library/copy/{id}", { accessionNo: String(v.accessionNo) }, { path, key })
          say(t("The copy has the number {no} now.", { no: saved.accessionNo }), () => put("/school-admin/library/copy/{id}", { accessionNo: naming.accessionNo }, { path }))
          return saved
        }} />}
    </Card>
  )
}
