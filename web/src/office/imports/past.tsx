// Imports that were done, and the way back.
import { useState } from "preact/hooks"
import { changed, useLoad } from "../../shell/load"
import { say, sayFault } from "../../shell/toast"
import { Badge, Button, Card, Ready } from "../../ui/basics"
import { count, when } from "../../words/format"
import { n, t } from "../../words/words"
import type { Past as PastOf, PastImport } from "./kinds"

/** The last imports of a kind. */
export function Past({ kind, past }: { kind: string; past: PastOf }) {
  const loaded = useLoad(`imports:${kind}`, past.list)
  return (
    <Ready of={loaded} rows={3}>{(all) => all.total > 0 && (
      <Card title={t("Earlier imports")} flush><div class="scroll" role="region" aria-label={t("Earlier imports")} tabIndex={0}><table>
        <thead><tr><th scope="col">{t("When")}</th><th scope="col" class="hide-sm">{t("File")}</th><th scope="col" class="hide-sm">{t("Who")}</th><th scope="col"
          class="num">{t("New")}</th><th scope="col">{t("State")}</th><th scope="col"><span class="sr">{t("Actions")}</span></th></tr></thead>
        <tbody>{all.items.map((i) => <Line key={i.id} of={i} past={past} />)}</tbody>
      </table></div></Card>
    )}</Ready>
  )
}

function Line({ of: i, past }: { of: PastImport; past: PastOf }) {
  const undone = i.status === "UNDONE"
  return (
    <tr><th scope="row" class="nowrap">{when(i.createdAt)}</th>
      <td class="hide-sm"><span class="one">{i.file ?? "–"}</span></td><td class="hide-sm"><bdi>{i.userName ?? "–"}</bdi></td>
      <td class="num">{count(i.created)}</td>
      <td>{undone
        ? <Badge tone="warn">{t("undone")}</Badge> : i.updated > 0 ? <Badge>{n(i.updated, "{n} changed", "{n} changed")}</Badge> : <Badge tone="good">{t("imported")}</Badge>}</td>
      <td class="act">{!undone && i.updated === 0 && <UndoImport past={past} id={i.id} about={when(i.createdAt)} />}</td></tr>
  )
}

/** Takes an import back, or says what hangs on it. */
export function UndoImport({ past, id, about, onDone }: { past: PastOf; id: string; about?: string; onDone?: () => void }) {
  const [busy, setBusy] = useState(false)
  async function undo() {
    setBusy(true)
    try {
      await past.undo(id)
      say(t("The import is undone."))
      onDone?.()
      changed()
    } catch (e) { sayFault(e) } finally { setBusy(false) }
  }
  const named = about ? { size: "sm" as const, "aria-label": t("Undo the import of {time}", { time: about }) } : {}
  return <Button icon="back" busy={busy} onClick={() => void undo()} {...named}>{t("Undo the import")}</Button>
}
