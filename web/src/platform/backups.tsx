import { useEffect, useState } from "preact/hooks"
import { post } from "../api/client"
import type { Row } from "../api/contract"
import { changed, useGet } from "../shell/load"
import { useKey } from "../shell/keys"
import { say, sayFault } from "../shell/toast"
import { Badge, Banner, Button, Head, type Tone } from "../ui/basics"
import { List, type Column } from "../ui/list"
import { bytes, when } from "../words/format"
import { t } from "../words/words"
import { engine } from "./system"

type Backup = Row<"/super-admin/backup/list">

const states = (): Record<Backup["state"], [string, Tone]> => ({ RUNNING: [t("is being made"), "info"], DONE: [t("complete"), "good"], FAILED: [t("failed"), "bad"] })

const reasons = (): Record<NonNullable<Backup["failure"]>, string> => ({
  NO_PG_DUMP: t("The program pg_dump is not installed on this node. Install the PostgreSQL client programs, at least as new as the server."),
  NOT_RESTORABLE: t("It could not be restored for a test. The log of the node says why."),
  NO_SPACE: t("There is no space left on the disk."), NOT_WRITABLE: t("The directory for backups can't be written."),
  INTERRUPTED: t("The node stopped before the backup was complete."), OTHER: t("The log of the node says why."),
})

const columns = (): Column<Backup>[] => [
  { key: "at", label: t("When"), sort: "createdAt", text: (b) => b.createdAt, cell: (b) => <span class="strong nowrap">{when(b.createdAt)}</span> },
  { key: "state", label: t("State"), text: (b) => states()[b.state][0],
    cell: (b) => (
      <span class="stack tight">
        <span><Badge tone={states()[b.state][1]}>{states()[b.state][0]}</Badge></span>
        {b.checkedAt && <span class="small muted">{t("restored for a test {when}", { when: when(b.checkedAt) })}</span>}
        {b.failure && <span class="small muted">{reasons()[b.failure]}</span>}
      </span>
    ) },
  { key: "size", label: t("Size"), num: true, text: (b) => b.size, cell: (b) => (b.size === null ? null : bytes(b.size)) },
  { key: "engine", label: t("Database"), text: (b) => b.engine, cell: (b) => engine(b.engine), hide: "sm" },
  { key: "node", label: t("Node"), text: (b) => b.node, cell: (b) => <span class="muted">{b.node}</span>, hide: "md" },
  { key: "who", label: t("Who"), text: (b) => b.createdByName,
    cell: (b) => (b.createdBy === null ? <span class="muted">{t("on schedule")}</span> : b.createdByName && <bdi>{b.createdByName}</bdi>), hide: "sm" },
]

const pause = 2_000 // between looks while a backup is being made

export default function Backups() {
  const newest = useGet("/super-admin/backup/list", { limit: 1 })
  const [busy, setBusy] = useState(false)
  const running = newest.data?.items[0]?.state === "RUNNING"
  useEffect(() => {
    if (!running) return
    const timer = setTimeout(changed, pause)
    return () => clearTimeout(timer)
  }, [newest.data])
  const run = async () => {
    if (busy || running) return
    setBusy(true)
    try {
      await post("/super-admin/backup/create", undefined, { key: crypto.randomUUID() })
      changed()
      say(t("The backup is being made."))
    } catch (e) { sayFault(e) }
    setBusy(false)
  }
  useKey("n", t("Back up now"), () => void run())
  return (
    <>
      <Head title={t("Backups")} sub={t("The database, the keys and the uploaded files of the machine, in one file.")}>
        <Button kind="go" icon="disk" hint="N" busy={busy} disabled={running} onClick={run}>{running ? t("A backup is being made …") : t("Back up now")}</Button>
      </Head>
      <Banner icon="lock">
        {t("A backup holds everything about everybody, and the keys. Keep it as safe as the database. Restoring is a command on the server: homeroom restore FILE.")}
      </Banner>
      <List path="/super-admin/backup/list" name="backups" columns={columns()}
        rowActions={(b) => b.state === "DONE" && (b.downloadable
          ? <Button size="sm" icon="save" aria-label={t("Download the backup of {when}", { when: when(b.createdAt) })} onClick={() => void fetchFile(b)}>{t("Download")}</Button>
          : <span class="small muted">{t("on another node")}</span>)}
        empty={{ icon: "disk", title: t("There is no backup yet."), text: t("Make one now, and test restoring it before you need it.") }} />
    </>
  )
}

/** Downloads through the browser itself: a backup may be larger than the memory. */
async function fetchFile(b: Backup): Promise<void> {
  try {
    const link = document.createElement("a")
    link.href = (await post("/super-admin/backup/{id}/link", undefined, { path: { id: b.id } })).url
    link.download = ""
    link.click()
    say(t("The download has begun."))
  } catch (e) { sayFault(e) }
}
