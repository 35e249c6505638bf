import { useRef, useState } from "preact/hooks"
import { post } from "../api/client"
import type { Input, Row } from "../api/contract"
import { changed } from "../shell/load"
import { useKey } from "../shell/keys"
import { go, query, setQuery } from "../shell/router"
import { Badge, Button, Head, Who } from "../ui/basics"
import { List, type Column } from "../ui/list"
import { RecordDialog } from "../ui/record"
import { detailFields } from "../ui/schoolfields"
import { count, when } from "../words/format"
import { t } from "../words/words"

type School = Row<"/super-admin/school/list">

const columns = (): Column<School>[] => [
  { key: "name", label: t("School"), sort: "name", text: (s) => s.name, cell: (s) => <Who name={s.name} href={`/app/platform/schools/${s.id}`} /> },
  { key: "code", label: t("Code"), sort: "code", text: (s) => s.code, cell: (s) => <span class="muted">{s.code}</span>, hide: "sm" },
  { key: "students", label: t("Students"), num: true, text: (s) => s.students, cell: (s) => count(s.students) },
  { key: "users", label: t("People"), num: true, text: (s) => s.users, cell: (s) => count(s.users), hide: "sm" },
  { key: "last", label: t("Last activity"), text: (s) => s.lastActivityAt, cell: (s) => <span class="muted">{when(s.lastActivityAt)}</span>, hide: "sm" },
  { key: "status", label: t("Status"), text: (s) => s.status, cell: (s) => (s.status === "ACTIVE" ? <span class="faint">{t("active")}</span> : <Badge tone="bad">{t("suspended")}</Badge>) },
]

export default function Schools() {
  const [adding, setAdding] = useState(query.value.has("new"))
  useKey("n", t("Add a school"), () => setAdding(true))
  return (
    <>
      <Head title={t("Schools")}><Button kind="go" icon="plus" hint="N" onClick={() => setAdding(true)}>{t("Add a school")}</Button></Head>
      <List path="/super-admin/school/list" name="schools" search={t("Name or code")} columns={columns()} open={(s) => `/app/platform/schools/${s.id}`}
        filters={[{ name: "status", label: t("Status"), options: [{ value: "ACTIVE", text: t("active") }, { value: "SUSPENDED", text: t("suspended") }] }]}
        empty={{ icon: "home", title: t("No schools yet"), action: <Button kind="go" onClick={() => setAdding(true)}>{t("Add a school")}</Button> }} />
      {adding && <AddSchool onClose={(id) => { setAdding(false); setQuery({ new: "" }); if (id) go(`/app/platform/schools/${id}`) }} />}
    </>
  )
}

function AddSchool({ onClose }: { onClose: (id?: string) => void }) {
  const made = useRef("")
  return (
    <RecordDialog title={t("Add a school")} wide button={t("Add and invite")} onClose={(saved) => onClose(saved ? made.current : undefined)} fields={[
      ...detailFields(),
      { name: "adminName", label: t("Administrator's name"), required: true }, { name: "adminEmail", label: t("Administrator's e-mail"), kind: "email", required: true, help: t("Gets a link to set a password.") },
    ]} save={async (v, key) => {
      const { adminName, adminEmail, ...details } = v
      const s = await post("/super-admin/school/create", { ...details, admin: { name: adminName, email: adminEmail } } as Input<"/super-admin/school/create", "post">, { key })
      made.current = s.id
      changed()
    }} done={t("The school is there, and its administrator is invited.")} />
  )
}
