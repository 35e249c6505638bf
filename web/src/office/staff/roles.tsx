// Roles: who may do what, as a grid, with the difference to another role.
import { useState } from "preact/hooks"
import { get, post, put, remove } from "../../api/client"
import type { Row } from "../../api/contract"
import { may } from "../../api/session"
import { changed, useGet } from "../../shell/load"
import { useKey } from "../../shell/keys"
import { query, setQuery } from "../../shell/router"
import { say, sayFault } from "../../shell/toast"
import { Button, Head, Ready, State } from "../../ui/basics"
import type { FieldSpec, Values } from "../../ui/form"
import { RecordDialog } from "../../ui/record"
import { t } from "../../words/words"
import { StaffTabs } from "./list"
import { Matrix } from "./matrix"

export type Role = Row<"/school-admin/role/list">
type Type = "TEACHER" | "PARENT" | "DRIVER" | "SCHOOL_ADMIN"

export const typeNames = (): Record<Role["type"],
  string> => ({ TEACHER: t("teacher"), PARENT: t("parent"), DRIVER: t("driver"), SCHOOL_ADMIN: t("administrator"), SUPER_ADMIN: t("platform") })

export default function Roles() {
  const loaded = useGet("/school-admin/role/list", { limit: 100, sort: "createdAt" })
  const [adding, setAdding] = useState(false)
  const writes = may("write", "role")
  useKey("n", t("New role"), () => { if (writes) setAdding(true) })
  return (
    <>
      <Head title={t("Roles")} sub={t("A role says what its people see and change. It takes effect at once, also where they are signed in.")}>
        {writes && <Button icon="plus" kind="go" hint="N" onClick={() => setAdding(true)}>{t("New role")}</Button>}</Head>
      <StaffTabs current="roles" />
      <Ready of={loaded}>{({ items }) => <Both roles={items} />}</Ready>
      {adding && loaded.data && <NewRole roles={loaded.data.items} onClose={() => setAdding(false)} />}
    </>
  )
}

function Both({ roles }: { roles: Role[] }) {
  const order: Role["type"][] = ["SCHOOL_ADMIN", "TEACHER", "DRIVER", "PARENT"]
  const sorted = [...roles].sort((a, b) => order.indexOf(a.type) - order.indexOf(b.type) || Number(b.isSystem) - Number(a.isSystem) || a.name.localeCompare(b.name))
  const chosen = sorted.find((r) => r.id === query.value.get("role")) ?? sorted[0]
  const [renaming, setRenaming] = useState(false)
  if (!chosen) return <State icon="badge" title={t("No roles")} />
  return (
    <div class="roles">
      <ul class="rolelist" aria-label={t("Roles")}>{sorted.map((r) => (
        <li key={r.id}><button type="button" aria-pressed={r === chosen} onClick={() => setQuery({ role: r.id })}><b><bdi>{r.name}</bdi></b><span>
          {r.isSystem ? t("comes with Homeroom") : t("like {type}", { type: typeNames()[r.type] })}</span></button></li>
      ))}</ul>
      <Matrix key={chosen.id} role={chosen} roles={sorted} rename={() => setRenaming(true)} drop={() => void drop(chosen)} />
      {renaming && <RecordDialog title={t("Rename {name}", { name: chosen.name })} fields={nameFields(chosen.isSystem)}
        record={{ name: chosen.name, type: chosen.type, version: chosen.version }} onClose={() => setRenaming(false)}
        latest={async () => (await get("/school-admin/role/{id}", undefined, { path: { id: chosen.id } })) as unknown as Values & { version: number }}
        save={async (v, key) => {
          await put("/school-admin/role/{id}", v, { path: { id: chosen.id }, key })
          say(t("The role is renamed."), () => put("/school-admin/role/{id}", { name: chosen.name }, { path: { id: chosen.id } }))
        }} />}
    </div>
  )
}

const nameFields = (fixed: boolean): FieldSpec[] => [
  { name: "name", label: t("Name"), required: true, wide: true },
  ...(fixed ? [] : [{ name: "type", label: t("Kind"), kind: "select" as const, required: true, help: t("Decides which app the person uses. It stays once somebody has the role."),
    options: (["TEACHER", "SCHOOL_ADMIN", "DRIVER", "PARENT"] as const).map((value) => ({ value, text: typeNames()[value] })) }]),
]

function NewRole({ roles, onClose }: { roles: Role[]; onClose: () => void }) {
  const fields: FieldSpec[] = [...nameFields(false),
    { name: "from", label: t("Begin with the permissions of"), kind: "select",
      options: (v) => roles.filter((r) => !v.type || r.type === v.type).map((r) => ({ value: r.id, text: r.name })) }]
  const save = async (v: Values, key: string) => {
    const made = await make(String(v.name), v.type as Type, v.from ? await rightsOf(String(v.from)) : [], key)
    setQuery({ role: made.id })
    say(t("The role {name} is made.", { name: made.name }), () => remove("/school-admin/role/{id}", { path: { id: made.id } }))
  }
  return <RecordDialog title={t("New role")} fields={fields} record={{ type: "TEACHER" }} button={t("Make the role")} save={save} onClose={onClose} />
}

type Rights = { moduleId: string; canRead: boolean; canWrite: boolean; canDelete: boolean }[]

async function rightsOf(id: string): Promise<Rights> {
  return (await get("/school-admin/role/{id}/permissions", undefined,
    { path: { id } })).permissions.map(({ moduleId, canRead, canWrite, canDelete }) => ({ moduleId, canRead, canWrite, canDelete }))
}

async function make(name: string, type: Type, permissions: Rights, key?: string): Promise<Role> {
  const made = await post("/school-admin/role/create", { name, type }, key ? { key } : {})
  if (permissions.length) await put("/school-admin/role/{id}/permissions", { permissions }, { path: { id: made.id } })
  return made
}

async function drop(role: Role): Promise<void> {
  try {
    const rights = await rightsOf(role.id)
    await remove("/school-admin/role/{id}", { path: { id: role.id } })
    changed()
    say(t("The role {name} is deleted.", { name: role.name }), () => make(role.name, role.type as Type, rights))
  } catch (e) {
    sayFault(e)
  }
}
