// Who has read an announcement, and who has not.
import { may } from "../../api/session"
import { query, setQuery } from "../../shell/router"
import { useGet } from "../../shell/load"
import { Badge, Card, LinkButton, Ready, Segments, State, Who } from "../../ui/basics"
import { Button } from "../../ui/basics"
import { saveCSV } from "../../ui/csv"
import { get } from "../../api/client"
import type { Row } from "../../api/contract"
import { count, when } from "../../words/format"
import { t } from "../../words/words"

type Reader = Row<"/school-admin/announcement/{id}/reads">

const roles = () => ({ PARENT: t("parent"), TEACHER: t("teacher"), DRIVER: t("driver"), SCHOOL_ADMIN: t("office") })

export function Readers({ id }: { id: string }) {
  const status = (query.value.get("reads") ?? "") as "" | "READ" | "UNREAD"
  const page = Number(query.value.get("page") ?? 1)
  const loaded = useGet("/school-admin/announcement/{id}/reads", { limit: 50, page, ...(status && { status }) }, { id })
  const total = loaded.data?.total
  return (
    <Card title={t("Who has read it")} badge={total !== undefined && <Badge>{count(total)}</Badge>} flush
      action={<span class="row readerbar">
        <Segments label={t("Show")} value={status} onChange={(v) => setQuery({ reads: v, page: "" })}
          options={[{ value: "", text: t("All") }, { value: "READ", text: t("Have read it") }, { value: "UNREAD", text: t("Not yet read") }]} />
        <Button kind="plain" icon="save" aria-label={t("Save as CSV")} onClick={() => void save(id, status)} /></span>}>
      <Ready of={loaded}>{(d) => d.items.length === 0 ? <State icon="people" title={t("Nobody")} /> : (
        <>
          <div class="scroll"><table>
            <thead><tr><th scope="col">{t("Name")}</th><th scope="col" class="hide-sm">{t("Children")}</th><th scope="col">{t("Have read it")}</th>
              {may("write", "message") && <th scope="col"><span class="sr">{t("Actions")}</span></th>}</tr></thead>
            <tbody>{d.items.map((r) => (
              <tr key={r.userId}><td><Who name={r.name} note={roles()[r.role]} /></td><td class="hide-sm"><span class="one">{r.children.join(", ") || "–"}</span></td>
                <td class="nowrap">{r.readAt ? when(r.readAt) : <span class="faint">{t("not yet")}</span>}</td>
                {may("write", "message")
                  && <td class="act">{r.role !== "SCHOOL_ADMIN" && <LinkButton size="sm" kind="plain" icon="chat" href={`/app/messages?with=${r.userId}`}>{t("Write")}</LinkButton>}
                    </td>}</tr>
            ))}</tbody>
          </table></div>
          {d.totalPages > 1 && <div class="foot pad"><span>{t("Page {page} of {pages}", { page: d.page, pages: d.totalPages })}</span><span class="push" /><span class="group">
            <Button icon="left" aria-label={t("Previous page")} disabled={page <= 1} onClick={() => setQuery({ page: String(page - 1) })} />
            <Button icon="right" aria-label={t("Next page")} disabled={page >= d.totalPages} onClick={() => setQuery({ page: String(page + 1) })} /></span></div>}
        </>
      )}</Ready>
    </Card>
  )
}

function save(id: string, status: "" | "READ" | "UNREAD"): Promise<void> {
  return saveCSV<Reader>("readers", [
    { label: t("Name"), text: (r) => r.name }, { label: t("Role"), text: (r) => roles()[r.role] }, { label: t("Children"), text: (r) => r.children.join(", ") },
      { label: t("Have read it"), text: (r) => r.readAt },
  ], async () => {
    const rows: Reader[] = []
    for (let page = 1, pages = 1; page <= pages; page++) {
      const reply = await get("/school-admin/announcement/{id}/reads", { limit: 100, page, ...(status && { status }) }, { path: { id } })
      rows.push(...reply.items)
      pages = reply.totalPages
    }
    return rows
  })
}
