// One announcement; the teacher's own can be changed and shows who has read it.
import { useEffect, useState } from "preact/hooks"
import { put, remove } from "../api/client"
import type { Schema } from "../api/contract"
import { may, me } from "../api/session"
import { Screen } from "../pocket/screen"
import { changed, useGet } from "../shell/load"
import { go } from "../shell/router"
import { say, sayFault } from "../shell/toast"
import { Badge, Button, Card, Icon, Ready } from "../ui/basics"
import { Dialog } from "../ui/dialog"
import { Files } from "../ui/files"
import { RecordDialog } from "../ui/record"
import { get } from "../api/client"
import { when } from "../words/format"
import { n, t } from "../words/words"
import { divisionName, useDivisions } from "./classes"

type Announcement = Schema["ReceivedAnnouncement"]

export default function One({ params }: { params: { id?: string } }) {
  const id = params.id!
  const loaded = useGet("/teacher/announcement/{id}", undefined, { id })
  const classes = useDivisions()
  const [doing, setDoing] = useState<"edit" | "delete">()
  const a = loaded.data
  const own = a?.createdBy === me.value!.user.id
  const names = a && [...a.classIds.map((classId) => divisionName(classes.data, { classId })), ...(classes.data?.items ?? []).flatMap((c) => c.divisions.filter((d) => a.divisionIds.includes(d.id)).map((d) => `${c.name} ${d.name}`))]
  return (
    <Screen title={a ? a.title : t("Loading")} sub={a && <>{own ? t("You") : <bdi>{a.authorName}</bdi>} · {when(a.publishAt)}</>} back="/app/news">
      <Ready of={loaded}>{(x) => (
        <>
          {(x.urgent || x.status !== "PUBLISHED") && <p class="row">{x.urgent && <Badge tone="bad">{t("Urgent")}</Badge>}{x.status === "SCHEDULED" && <Badge tone="info">{t("scheduled")}</Badge>}{x.status === "EXPIRED" && <Badge>{t("no longer shown")}</Badge>}</p>}
          {x.body && <p class="prose"><bdi>{x.body}</bdi></p>}
          <Files files={x.attachmentFiles} />
          {!!names?.length && <p class="small muted">{t("For {names}", { names: names.join(", ") })}</p>}
          {own && <Readers id={id} />}
          {own && may("write", "announcement") && (
            <div class="pair"><Button icon="pen" onClick={() => setDoing("edit")}>{t("Change")}</Button>
              {may("delete", "announcement") && <Button kind="danger" icon="x" onClick={() => setDoing("delete")}>{t("Delete")}</Button>}</div>
          )}
        </>
      )}</Ready>
      {a && doing === "edit" && <Edit of={a} onClose={() => { setDoing(undefined); loaded.reload() }} />}
      {a && doing === "delete" && <Delete of={a} onClose={() => setDoing(undefined)} />}
    </Screen>
  )
}

function Edit({ of: a, onClose }: { of: Announcement; onClose: () => void }) {
  return (
    <RecordDialog title={t("Change announcement")} record={{ title: a.title, body: a.body, isPinned: a.isPinned, version: a.version }}
      fields={[{ name: "title", label: t("Title"), required: true, wide: true }, { name: "body", label: t("Text"), kind: "textarea" }, { name: "isPinned", label: t("Keep it on top of the list"), kind: "switch" }]}
      save={(v) => put("/teacher/announcement/{id}", v as never, { path: { id: a.id } })} latest={async () => ({ ...(await get("/teacher/announcement/{id}", undefined, { path: { id: a.id } })) })}
      done={t("The announcement is changed.")} onClose={onClose}
      undo={async () => {
        const now = await get("/teacher/announcement/{id}", undefined, { path: { id: a.id } })
        return put("/teacher/announcement/{id}", { title: a.title, body: a.body ?? "", isPinned: a.isPinned, version: now.version }, { path: { id: a.id } })
      }} />
  )
}

function Delete({ of: a, onClose }: { of: Announcement; onClose: () => void }) {
  async function run() {
    try {
      await remove("/teacher/announcement/{id}", { path: { id: a.id } })
      say(t("The announcement is deleted."))
      changed()
      go("/app/news")
    } catch (e) {
      sayFault(e)
    }
  }
  return (
    <Dialog title={t("Delete announcement")} onClose={onClose} footer={<><Button onClick={onClose}>{t("Keep it")}</Button><Button kind="danger go" onClick={() => void run()}>{t("Delete announcement")}</Button></>}>
      <p>{a.status === "SCHEDULED" ? t("It is not sent then.") : t("Its readers no longer see it. Nothing brings it back.")}</p>
    </Dialog>
  )
}

function Readers({ id }: { id: string }) {
  const unread = useGet("/teacher/announcement/{id}/reads", { status: "UNREAD", limit: 100 }, { id })
  const read = useGet("/teacher/announcement/{id}/reads", { status: "READ", limit: 1 }, { id })
  const [open, setOpen] = useState(false)
  useEffect(() => { if (!unread.data?.total) setOpen(false) }, [unread.data?.total])
  if (!unread.data || !read.data) return null
  return (
    <Card title={t("{done} of {n} have read it", { done: read.data.total, n: read.data.total + unread.data.total })} action={unread.data.total > 0 && <Button size="sm" aria-expanded={open} onClick={() => setOpen(!open)}>{n(unread.data.total, "{n} has not", "{n} have not")}</Button>} flush>
      {open && unread.data.items.map((r) => <div class="line" key={r.userId}><Icon name="person" size="md" /><span class="grow"><b><bdi>{r.name}</bdi></b>{r.children.length > 0 && <span><bdi>{r.children.join(", ")}</bdi></span>}</span></div>)}
    </Card>
  )
}
