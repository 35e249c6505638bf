import { useEffect, useState } from "preact/hooks"
import { get, now, post, put, remove } from "../../api/client"
import { may } from "../../api/session"
import { changed, useGet } from "../../shell/load"
import { useKey } from "../../shell/keys"
import { go } from "../../shell/router"
import { say, sayFault } from "../../shell/toast"
import { Badge, Banner, Button, Card, Facts, Figures, Head, Ready } from "../../ui/basics"
import { useClasses, useDivisions } from "../../ui/choices"
import { Menu } from "../../ui/dialog"
import { Files } from "../../ui/files"
import { RecordDialog } from "../../ui/record"
import { TypeName } from "../../ui/typename"
import { count, localOf, percent, when } from "../../words/format"
import { n, t } from "../../words/words"
import { bodyOf, useFields } from "./fields"
import { Readers } from "./readers"
import { forWhom, statuses, type Announcement } from "./words"

const path = (a: { id: string }) => ({ path: { id: a.id } })

export default function OneAnnouncement({ params }: { params: Record<string, string> }) {
  const loaded = useGet("/school-admin/announcement/{id}", undefined, { id: params.id! })
  return <Ready of={loaded}>{(a) => <Shown a={a} reload={loaded.reload} />}</Ready>
}

function Shown({ a, reload }: { a: Announcement; reload: () => void }) {
  const [open, setOpen] = useState<"edit" | "delete">()
  const classes = useClasses()
  const divisions = useDivisions()
  const writes = may("write", "announcement")
  const deletes = may("delete", "announcement")
  const waiting = a.status === "SCHEDULED"
  const status = statuses().find((s) => s.value === a.status)!
  useKey("e", t("Change"), () => { if (writes) setOpen("edit") })
  useEffect(() => { // it goes out while one looks at it
    const left = Date.parse(a.publishAt) - Date.now()
    if (!waiting || left > 120_000) return
    const timer = setTimeout(reload, Math.max(3_000, left + 2_000))
    return () => clearTimeout(timer)
  }, [a])
  return (
    <>
      <Head title={<bdi>{a.title}</bdi>}
        sub={<>{forWhom(a, classes.options, divisions.options)} · {waiting ? t("goes out {time}", { time: when(a.publishAt) }) : when(a.publishAt)}
          {a.authorName && <> · <bdi>{a.authorName}</bdi></>}</>}>
        {waiting && deletes && <Button icon="back" onClick={() => callBack(a, () => setOpen("delete"))}>{t("Call it back")}</Button>}
        {a.status === "PUBLISHED" && writes && <Button icon="back" onClick={() => void withdraw(a)}>{t("Withdraw")}</Button>}
        {a.status === "EXPIRED" && writes && <Button icon="eye" onClick={() => void until(a, null, t("Shown again."))}>{t("Show again")}</Button>}
        {writes && <Button icon="pen" hint="E" onClick={() => setOpen("edit")}>{t("Change")}</Button>}
        <Menu label={t("More")} items={[
          { text: a.isPinned ? t("Take it from the top") : t("Keep it on top"), icon: "flag", hidden: !writes, run: () => void pin(a) },
          { text: t("Delete for good"), icon: "x", danger: true, hidden: !deletes, run: () => setOpen("delete") },
        ]} />
      </Head>
      {waiting && <Banner tone="info" icon="clock">{t("Nobody has been told yet. It goes out {time}.", { time: when(a.publishAt) })}</Banner>}
      {!waiting && <Figures label={t("Reading")} items={[
        { label: t("Have read it"), value: count(a.readCount), small: t("of {n}", { n: count(a.audienceCount) }), note: percent(a.readCount, a.audienceCount) },
        { label: t("Not yet read"), value: count(Math.max(0, a.audienceCount - a.readCount)) },
      ]} />}
      <div class="cols">
        <div class="stack far">
          <Card title={t("Text")} badge={<>{a.urgent && <Badge tone="bad">{t("urgent")}</Badge>}{a.isPinned && <Badge>{t("On top")}</Badge>}</>}>
            <div class="stack loose"><p class="pre prose">{a.body || "–"}</p><Files files={a.attachmentFiles} /></div>
          </Card>
          {!waiting && <Readers id={a.id} />}
        </div>
        <Card title={t("Details")}>
          <Facts items={[
            [t("Status"), <Badge key="s" tone={status.tone}>{status.text}</Badge>], [t("For whom"), forWhom(a, classes.options, divisions.options)],
            [t("Sent"), a.publishedAt && when(a.publishedAt)], [t("Shown until"), a.expiresAt && when(a.expiresAt)],
              [t("Files"), a.attachmentFiles.length ? n(a.attachmentFiles.length, "{n} file", "{n} files") : ""],
            [t("Last changed"), a.version > 1 && when(a.updatedAt)],
          ]} />
        </Card>
      </div>
      {open === "edit" && <Edit a={a} onClose={() => setOpen(undefined)} />}
      {open === "delete" && <TypeName title={t("Delete this announcement for good?")} name={a.title} button={t("Delete for good")} onClose={() => setOpen(undefined)}
        text={t("Readers no longer find it, and its files are deleted. Nothing brings it back; withdrawing does.")}
        run={async () => { await remove("/school-admin/announcement/{id}", path(a)); changed(); say(t("Deleted.")); go("/app/announcements") }} />}
    </>
  )
}

function Edit({ a, onClose }: { a: Announcement; onClose: () => void }) {
  const told = a.publishedAt !== null
  const fields = useFields(told)
  const asForm = (x: Announcement) => ({ ...x, files: x.attachmentFiles, when: "later", publishAt: localOf(x.publishAt), expiresAt: localOf(x.expiresAt) })
  return <RecordDialog title={t("Change the announcement")} fields={fields} record={asForm(a)}
    latest={async () => asForm(await get("/school-admin/announcement/{id}", undefined, path(a)))}
    save={(v) => put("/school-admin/announcement/{id}", { ...bodyOf(v, told), version: v.version as number }, path(a))}
      done={told ? t("Changed. Nobody is told again.") : t("Changed.")} onClose={onClose} wide />
}

/** Takes it out of the lists of readers; its link still works. */
async function withdraw(a: Announcement): Promise<void> {
  await until(a, now().toISOString(), t("Withdrawn. Readers no longer see it in their lists."), true)
}

async function until(a: Announcement, expiresAt: string | null, text: string, undo = false): Promise<void> {
  try {
    await put("/school-admin/announcement/{id}", { expiresAt, version: a.version }, path(a))
    changed()
    say(text, undo ? () => put("/school-admin/announcement/{id}", { expiresAt: a.expiresAt }, path(a)) : undefined)
  } catch (e) {
    sayFault(e)
  }
}

async function pin(a: Announcement): Promise<void> {
  try {
    await put("/school-admin/announcement/{id}", { isPinned: !a.isPinned, version: a.version }, path(a))
    changed()
    say(a.isPinned ? t("Taken from the top.") : t("It stays on top of the list."), () => put("/school-admin/announcement/{id}", { isPinned: a.isPinned }, path(a)))
  } catch (e) {
    sayFault(e)
  }
}

/** Deletes it before anyone was told. Its files would go with it, so with files the person confirms instead. */
async function callBack(a: Announcement, confirm: () => void): Promise<void> {
  if (a.attachmentFiles.length) return confirm()
  try {
    await remove("/school-admin/announcement/{id}", path(a))
    changed()
    const { title, audience, classIds, divisionIds, publishAt, expiresAt, isPinned, urgent } = a
    say(t("Called back. Nobody was told."),
      () => post("/school-admin/announcement/create", { title, body: a.body ?? "", audience, classIds, divisionIds, publishAt, expiresAt, isPinned, urgent }))
    go("/app/announcements")
  } catch (e) {
    sayFault(e)
  }
}
