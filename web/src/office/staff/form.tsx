// The form of an employee, for a new one and for changes.
import { useRef } from "preact/hooks"
import { get, post, put, remove } from "../../api/client"
import type { Input, Row } from "../../api/contract"
import { may } from "../../api/session"
import { changed, useGet } from "../../shell/load"
import { go } from "../../shell/router"
import { say } from "../../shell/toast"
import type { FieldSpec, Values } from "../../ui/form"
import { RecordDialog } from "../../ui/record"
import { fullName, today } from "../../words/format"
import { t } from "../../words/words"
import { genders, statuses } from "./words"

export type Employee = Row<"/school-admin/employee/list">
type NewEmployee = Input<"/school-admin/employee/create", "post">
export type EmployeeChange = Input<"/school-admin/employee/{id}", "put">

/** The roles that staff can have. */
export function useStaffRoles() {
  const roles = useGet(may("read", "role") ? "/school-admin/role/list" : null, { limit: 100 })
  return (roles.data?.items ?? []).filter((r) => r.type !== "PARENT" && r.type !== "SUPER_ADMIN")
}

function useFields(fresh: boolean): FieldSpec[] {
  const roles = useStaffRoles()
  return [
    { name: "firstName", label: t("First name"), required: true }, { name: "lastName", label: t("Last name") },
    { name: "roleId", label: t("Role"), kind: "select", required: fresh && roles.length > 0, options: roles.map((r) => ({ value: r.id, text: r.name })),
      help: t("Decides what the person sees.") },
    { name: "employeeCode", label: t("Staff number"), ...(fresh && { help: t("Empty: the next number.") }) },
    { name: "phone", label: t("Phone"), kind: "phone", title: t("Sign-in"), placeholder: "+1 555 010 0000", help: t("Teachers and drivers sign in with it.") },
    { name: "email", label: t("E-mail"), kind: "email", help: t("Administrators sign in with it. They get a link to choose a password.") },
    { name: "designation", label: t("Position"), title: t("Work") }, { name: "department", label: t("Department") }, { name: "joinDate", label: t("Joined"), kind: "date" },
    { name: "qualification", label: t("Qualification") }, { name: "salary", label: t("Salary"), kind: "money", min: 0 }, { name: "licenseNo", label: t("Driving licence") },
    { name: "dateOfBirth", label: t("Date of birth"), kind: "date", title: t("Person"), max: today() }, { name: "gender", label: t("Gender"), kind: "select", options: genders() },
    ...(fresh ? [] : [{ name: "status", label: t("Status"), kind: "select" as const, required: true, options: statuses().filter((s) => s.value !== "RESIGNED") }]),
  ]
}

export function NewEmployee({ onClose }: { onClose: () => void }) {
  const fields = useFields(true)
  const added = useRef("")
  const save = async (v: Values, key: string) => {
    const given = Object.fromEntries(Object.entries(v).filter(([, x]) => x !== null && x !== ""))
    const made = await post("/school-admin/employee/create", given as NewEmployee, { key })
    added.current = made.id
    say(t("{name} is part of the staff.", { name: fullName(made) }),
      may("delete", "employee") ? async () => { await remove("/school-admin/employee/{id}", { path: { id: made.id } }); go("/app/staff") } : undefined)
  }
  return <RecordDialog title={t("New member of staff")} fields={fields} record={{ joinDate: today() }} save={save} button={t("Add to the staff")} wide
    onClose={() => { onClose(); if (added.current) go(`/app/staff/${added.current}`) }} />
}

export function EditEmployee({ employee: e, onClose }: { employee: Employee; onClose: () => void }) {
  const all = useFields(false)
  const fields = e.status === "RESIGNED" ? all.filter((f) => f.name !== "status") : all
  const path = { id: e.id }
  const save = async (v: Values, key: string) => {
    await put("/school-admin/employee/{id}", v as EmployeeChange, { path, key })
    const old = Object.fromEntries(Object.keys(v).filter((k) => k !== "version").map((k) => [k, (e as unknown as Values)[k] ?? null]))
    say(t("{name} is saved.", { name: fullName(e) }), async () => { await put("/school-admin/employee/{id}", old as EmployeeChange, { path }); changed() })
  }
  return <RecordDialog title={t("Edit {name}", { name: fullName(e) })} fields={fields} record={e as unknown as Values & { version: number }} save={save} onClose={onClose} wide
    latest={async () => (await get("/school-admin/employee/{id}", undefined, { path })) as unknown as Values & { version: number }} />
}
