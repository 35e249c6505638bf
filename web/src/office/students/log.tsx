// Who saw a student's record, and who changed it: newest first, as sentences.
import type { ComponentChildren } from "preact"
import type { Row } from "../../api/contract"
import { useGet } from "../../shell/load"
import { Card, Icon, Ready } from "../../ui/basics"
import { Did } from "../../ui/changes"
import type { IconName } from "../../ui/icons"
import { when } from "../../words/format"
import { t } from "../../words/words"

type Change = Row<"/school-admin/audit/list">
type Sight = Row<"/school-admin/audit/reads">
interface Line { id: string; at: string; icon: IconName; who: string; text: ComponentChildren; times?: number }

function linesOf(changes: Change[], sights: Sight[]): Line[] {
  const seen: Line[] = []
  for (const s of sights) { // several looks of one person in a row are one line
    const last = seen.at(-1)
    if (last && last.who === (s.userName ?? "") && last.at.slice(0, 10) === s.at.slice(0, 10)) last.times = (last.times ?? 1) + 1
    else seen.push({ id: s.id, at: s.at, icon: "eye", who: s.userName ?? t("Someone"), text: t("looked at the record.") })
  }
  const made = changes.map((c): Line => ({ id: c.id, at: c.at, icon: "pen", who: c.userName ?? t("The system"), text: <Did entry={c} /> }))
  return [...seen, ...made].sort((a, b) => b.at.localeCompare(a.at))
}

export function Lines({ items }: { items: Line[] }) {
  if (items.length === 0) return <p class="muted">{t("Nothing yet.")}</p>
  return (
    <ol class="time">{items.map((l) => (
      <li key={l.id}><span class="disc"><Icon name={l.icon} size="xs" /></span>
        <p><b><bdi>{l.who}</bdi></b> {l.text} {l.times && l.times > 1 && <span class="faint">{t("{n} times", { n: l.times })} </span>}<time>{when(l.at)}</time></p></li>
    ))}</ol>
  )
}

/** The log of a student; of another record (kind of entity) only changes are kept. */
export function useLog(id: string, reads: boolean, limit: number) {
  const changes = useGet("/school-admin/audit/list", { entityId: id, limit })
  const sights = useGet(reads ? "/school-admin/audit/reads" : null, { recordId: id, limit })
  const ready = changes.data && (!reads || sights.data)
  return { data: ready ? linesOf(changes.data!.items, sights.data?.items ?? []) : undefined, fault: changes.fault ?? sights.fault, reload: changes.reload }
}

export function LogCard({ id, reads = false, limit = 6, all }: { id: string; reads?: boolean; limit?: number; all?: string }) {
  const log = useLog(id, reads, all ? limit : 50)
  return (
    <Card title={reads ? t("Who saw and changed") : t("Changes")} action={all && <a href={all}>{t("All")}</a>}>
      <Ready of={log} rows={3}>{(lines) => <Lines items={all ? lines.slice(0, limit) : lines} />}</Ready>
    </Card>
  )
}
