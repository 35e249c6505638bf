import { useState } from "preact/hooks"
import { get, post, put, remove, upload } from "../api/client"
import type { Input, Reply } from "../api/contract"
import { changed, useGet } from "../shell/load"
import { go } from "../shell/router"
import { say, sayFault } from "../shell/toast"
import { Badge, Button, Card, Facts, Head, Ready, Who } from "../ui/basics"
import { Dialog, Menu } from "../ui/dialog"
import { Form } from "../ui/form"
import { RecordDialog } from "../ui/record"
import { detailFields, messageFields, placeFields, ruleFields, weekend } from "../ui/schoolfields"
import { when } from "../words/format"
import { t } from "../words/words"

type School = Reply<"/super-admin/school/{id}", "get">
type Change = Input<"/super-admin/school/{id}", "put">

export default function SchoolPage({ params }: { params: Record<string, string> }) {
  const id = params.id!
  const loaded = useGet("/super-admin/school/{id}", undefined, { id })
  const [open, setOpen] = useState<"details" | "rules" | "delete" | "logo">()
  return (
    <Ready of={loaded}>{(s) => (
      <>
        <Head title={<><bdi>{s.name}</bdi> {s.status === "SUSPENDED" && <Badge tone="bad">{t("suspended")}</Badge>}</>} sub={s.code}>
          <Button icon="pen" onClick={() => setOpen("details")}>{t("Edit")}</Button>
          {s.status === "ACTIVE" ? <Button icon="lock" onClick={() => suspend(s)}>{t("Suspend")}</Button> : <Button kind="go" onClick={() => resume(s)}>{t("Resume")}</Button>}
          <Menu label={t("More")} items={[
            { text: t("Rules and messages"), icon: "gear", run: () => setOpen("rules") }, { text: t("Change logo"), icon: "pic", run: () => setOpen("logo") },
            { text: t("Delete the school"), icon: "x", danger: true, run: () => setOpen("delete") },
          ]} />
        </Head>
        <div class="cols">
          <Administrators schoolId={s.id} />
          <Card title={t("Details")}><Facts items={[
            [t("Phone"), s.phone], [t("E-mail"), s.email], [t("Address"), s.address], [t("Time zone"), s.timezone], [t("Currency"), s.currency], [t("Language"), s.locale],
            [t("Since"), when(s.createdAt)],
          ]} /></Card>
        </div>
        {open === "details" && <Edit school={s} title={t("Edit {name}", { name: s.name })} fields="details" onClose={() => setOpen(undefined)} />}
        {open === "rules" && <Edit school={s} title={t("Rules and messages")} fields="rules" onClose={() => setOpen(undefined)} />}
        {open === "logo" && <Logo school={s} onClose={() => setOpen(undefined)} />}
        {open === "delete" && <Delete school={s} onClose={() => setOpen(undefined)} />}
      </>
    )}</Ready>
  )
}

async function suspend(s: School): Promise<void> {
  try {
    await post("/super-admin/school/{id}/suspend", {} as never, { path: { id: s.id } })
    changed()
    say(t("{name} is suspended. Nobody of it can sign in.", { name: s.name }), () => post("/super-admin/school/{id}/resume", {} as never, { path: { id: s.id } }))
  } catch (e) { sayFault(e) }
}

async function resume(s: School): Promise<void> {
  try {
    await post("/super-admin/school/{id}/resume", {} as never, { path: { id: s.id } })
    changed()
    say(t("{name} is active again.", { name: s.name }), () => post("/super-admin/school/{id}/suspend", {} as never, { path: { id: s.id } }))
  } catch (e) { sayFault(e) }
}

function Edit({ school, title, fields, onClose }: { school: School; title: string; fields: "details" | "rules"; onClose: () => void }) {
  const path = { id: school.id }
  return (
    <RecordDialog title={title} wide record={weekend.toForm(school)} onClose={onClose} done={t("Saved.")}
      fields={fields === "details" ? [...detailFields(), ...placeFields(), { name: "brandColor", label: t("Colour"), kind: "color" }] : [...ruleFields(), ...messageFields()]}
      latest={async () => weekend.toForm(await get("/super-admin/school/{id}", undefined, { path }))}
      save={(v, key) => fields === "details"
        ? put("/super-admin/school/{id}", v as Change, { path, key })
        : put("/super-admin/school/{id}/settings", weekend.fromForm(v) as Input<"/super-admin/school/{id}/settings", "put">, { path, key })} />
  )
}

function Logo({ school, onClose }: { school: School; onClose: () => void }) {
  return (
    <RecordDialog title={t("Change logo")} onClose={onClose} done={t("The logo is changed.")} fields={[{ name: "file", label: t("Picture"), kind: "file", required: true }]}
      save={async (v) => {
        const form = new FormData()
        form.set("file", v.file as File)
        form.set("schoolId", school.id)
        form.set("purpose", "LOGO")
        const file = (await upload("/super-admin/file/upload", form)) as { id: string }
        await put("/super-admin/school/{id}", { logoFileId: file.id, version: school.version } as Change, { path: { id: school.id } })
      }} />
  )
}

function Delete({ school, onClose }: { school: School; onClose: () => void }) {
  return (
    <Dialog title={t("Delete {name}", { name: school.name })} onClose={onClose}>
      <p>{t("All its students, marks and books of account are gone for good. Make a backup before.")}</p>
      <Form single button={t("Delete for good")} onCancel={onClose} fields={[{ name: "confirm", label: t("Type the school's code, {code}", { code: school.code }), required: true }]}
        submit={(v) => remove("/super-admin/school/{id}", { path: { id: school.id }, query: { confirm: v.confirm } })}
        onDone={() => { changed(); say(t("{name} is deleted.", { name: school.name })); go("/app/platform/schools") }} />
    </Dialog>
  )
}

function Administrators({ schoolId }: { schoolId: string }) {
  const admins = useGet("/super-admin/admin/list", { schoolId, limit: 50 })
  return (
    <Card title={t("Administrators")} action={<a href={`/app/platform/administrators?schoolId=${schoolId}&new=yes`}>{t("Add")}</a>} flush>
      <Ready of={admins}>{(a) => (
        <ul class="list">{a.items.map((x) => <li key={x.id}><div class="grow"><Who name={x.name} note={x.email} /></div><span class="muted small">{x.status === "ACTIVE" ? when(x.lastSeenAt) : t("disabled")}</span></li>)}</ul>
      )}</Ready>
    </Card>
  )
}
