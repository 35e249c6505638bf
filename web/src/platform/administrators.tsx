import { useState } from "preact/hooks"
import { get, post, put, remove } from "../api/client"
import type { Input, Row } from "../api/contract"
import { changed, useGet } from "../shell/load"
import { useKey } from "../shell/keys"
import { query, setQuery } from "../shell/router"
import { say, sayFault } from "../shell/toast"
import { Badge, Button, Head, Who } from "../ui/basics"
import { Menu } from "../ui/dialog"
import { List, type Column } from "../ui/list"
import { RecordDialog } from "../ui/record"
import { when } from "../words/format"
import { t } from "../words/words"

type Admin = Row<"/super-admin/admin/list">

const columns = (): Column<Admin>[] => [
  { key: "name", label: t("Name"), sort: "name", text: (a) => a.name, cell: (a) => <Who name={a.name} /> },
  { key: "school", label: t("School"), text: (a) => a.schoolName, cell: (a) => a.schoolName },
  { key: "email", label: t("E-mail"), text: (a) => a.email, cell: (a) => a.email && <a href={`mailto:${a.email}`}>{a.email}</a>, hide: "sm" },
  { key: "phone", label: t("Phone"), text: (a) => a.phone, cell: (a) => a.phone, hide: "md" },
  { key: "seen", label: t("Last seen"), text: (a) => a.lastSeenAt, cell: (a) => <span class="muted">{when(a.lastSeenAt)}</span>, hide: "sm" },
  { key: "status", label: t("Status"), text: (a) => a.status, cell: (a) => (a.status === "DISABLED" ? <Badge tone="bad">{t("disabled")}</Badge> : a.hasPassword ? <span class="faint">{t("active")}</span> : <Badge>{t("invited")}</Badge>) },
]

export default function Administrators() {
  const schools = useGet("/super-admin/school/list", { limit: 100 })
  const [editing, setEditing] = useState<Admin | "new" | undefined>(query.value.has("new") ? "new" : undefined)
  useKey("n", t("Add an administrator"), () => setEditing("new"))
  const options = (schools.data?.items ?? []).map((s) => ({ value: s.id, text: s.name }))
  return (
    <>
      <Head title={t("Administrators")}><Button kind="go" icon="plus" hint="N" onClick={() => setEditing("new")}>{t("Add an administrator")}</Button></Head>
      <List path="/super-admin/admin/list" name="administrators" search={t("Name, e-mail or phone")} columns={columns()} open={(a) => setEditing(a)}
        filters={[{ name: "schoolId", label: t("School"), options }, { name: "status", label: t("Status"), options: [{ value: "ACTIVE", text: t("active") }, { value: "DISABLED", text: t("disabled") }] }]}
        rowActions={(a) => <Menu size="sm" label={t("Actions for {name}", { name: a.name })} items={[
          { text: t("Edit"), icon: "pen", run: () => setEditing(a) },
          { text: a.status === "ACTIVE" ? t("Disable") : t("Enable"), icon: "lock", run: () => setStatus(a) },
          { text: t("Take the second step away"), icon: "off", run: () => dropFactor(a) },
          { text: t("Delete"), icon: "x", danger: true, run: () => drop(a) },
        ]} />}
        empty={{ icon: "badge", title: t("No administrators yet") }} />
      {editing && <Edit admin={editing === "new" ? undefined : editing} schools={options} onClose={() => { setEditing(undefined); setQuery({ new: "" }) }} />}
    </>
  )
}

function Edit({ admin, schools, onClose }: { admin: Admin | undefined; schools: { value: string; text: string }[]; onClose: () => void }) {
  const fields = [
    { name: "name", label: t("Name"), required: true }, { name: "email", label: t("E-mail"), kind: "email" as const, required: true },
    { name: "phone", label: t("Phone"), kind: "phone" as const, help: t("With the country: +1 555 …") },
  ]
  if (!admin) {
    return <RecordDialog title={t("Add an administrator")} button={t("Add and invite")} done={t("A link to set a password is on its way.")} onClose={onClose} record={{ schoolId: query.value.get("schoolId") ?? undefined }}
      fields={[{ name: "schoolId", label: t("School"), kind: "select", required: true, options: schools }, ...fields]} save={(v, key) => post("/super-admin/admin/create", v as Input<"/super-admin/admin/create", "post">, { key })} />
  }
  const path = { id: admin.id }
  return <RecordDialog title={t("Edit {name}", { name: admin.name })} record={admin} fields={fields} done={t("Saved.")} onClose={onClose}
    latest={() => get("/super-admin/admin/{id}", undefined, { path })} save={(v, key) => put("/super-admin/admin/{id}", v as Input<"/super-admin/admin/{id}", "put">, { path, key })} />
}

async function setStatus(a: Admin): Promise<void> {
  const to = (status: Admin["status"]) => put("/super-admin/admin/{id}", { status }, { path: { id: a.id } })
  try {
    await to(a.status === "ACTIVE" ? "DISABLED" : "ACTIVE")
    changed()
    say(a.status === "ACTIVE" ? t("{name} can no longer sign in.", { name: a.name }) : t("{name} can sign in again.", { name: a.name }), () => to(a.status))
  } catch (e) { sayFault(e) }
}

async function dropFactor(a: Admin): Promise<void> {
  try {
    await remove("/super-admin/admin/{id}/second-factor", { path: { id: a.id } })
    say(t("{name} signs in without the second step until it is set up again.", { name: a.name }))
  } catch (e) { sayFault(e) }
}

async function drop(a: Admin): Promise<void> {
  try {
    await remove("/super-admin/admin/{id}", { path: { id: a.id } })
    changed()
    say(t("{name} is deleted.", { name: a.name }))
  } catch (e) { sayFault(e) }
}
