import { useState } from "preact/hooks"
import { address, download } from "../../api/client"
import { may } from "../../api/session"
import { useKey } from "../../shell/keys"
import { query } from "../../shell/router"
import { sayFault } from "../../shell/toast"
import { Badge, Button, Head, LinkButton, Tabs, Who } from "../../ui/basics"
import { saveBlob } from "../../ui/csv"
import { Menu } from "../../ui/dialog"
import { List, type Column } from "../../ui/list"
import { date, fullName, money } from "../../words/format"
import { t } from "../../words/words"
import { NewEmployee, useStaffRoles, type Employee } from "./form"
import { statuses, tones, types } from "./words"

const led = (e: Employee) => e.classTeacherOf.map((c) => `${c.className} ${c.divisionName ?? ""}`.trim()).join(", ")

const columns = (): Column<Employee>[] => [
  { key: "name", label: t("Name"), sort: "firstName", text: fullName, cell: (e) => <Who name={fullName(e)} href={`/app/staff/${e.id}`} /> },
  { key: "role", label: t("Role"), text: (e) => e.roleName, cell: (e) => e.roleName },
  { key: "position", label: t("Position"), text: (e) => e.designation, cell: (e) => e.designation && <span class="one">{e.designation}</span>, hide: "md" },
  { key: "subjects", label: t("Teaches"), text: (e) => e.subjects.map((s) => s.name).join(", "), cell: (e) => e.subjects.length > 0 && <span class="one">
    {e.subjects.map((s) => s.name).join(", ")}</span>, hide: "md" },
  { key: "leads", label: t("Class teacher of"), text: led, cell: (e) => led(e) || "–", hide: "sm" },
  { key: "phone", label: t("Phone"), text: (e) => e.phone, cell: (e) => e.phone && <a class="nowrap" href={`tel:${e.phone}`}>{e.phone}</a>, hide: "sm" },
  { key: "email", label: t("E-mail"), text: (e) => e.email, cell: (e) => e.email && <a class="one" href={`mailto:${e.email}`}>{e.email}</a>, off: true },
  { key: "code", label: t("Staff no."), sort: "employeeCode", text: (e) => e.employeeCode, cell: (e) => <span class="muted">{e.employeeCode}</span>, hide: "md" },
  { key: "joined", label: t("Joined"), text: (e) => e.joinDate, cell: (e) => e.joinDate && date(e.joinDate), off: true },
  { key: "salary", label: t("Salary"), num: true, text: (e) => e.salary, cell: (e) => e.salary !== null && money(e.salary), off: true },
  { key: "status", label: t("Status"), text: (e) => e.status,
    cell: (e) => (e.status === "ACTIVE" ? <span class="faint">{t("working")}</span> : <Badge tone={tones[e.status]}>
      {statuses().find((s) => s.value === e.status)?.text}</Badge>), hide: "sm" },
]

/** The pages about staff. */
export function StaffTabs({ current }: { current: "staff" | "roles" }) {
  return <Tabs label={t("Staff and roles")} current={current} items={[
    { key: "staff", text: t("Staff"), href: "/app/staff" }, ...(may("read", "role") ? [{ key: "roles", text: t("Roles"), href: "/app/staff/roles" }] : []),
  ]} />
}

export default function Staff() {
  const [adding, setAdding] = useState(false)
  const roles = useStaffRoles()
  const writes = may("write", "employee")
  useKey("n", t("Add to the staff"), () => { if (writes) setAdding(true) })
  const save = () => download(address("/school-admin/employee/export", {},
    Object.fromEntries(["roleId", "type", "status", "search"].map((k) => [k, query.value.get(k)])))).then((f) => saveBlob(f.blob, f.name), sayFault)
  return (
    <>
      <Head title={t("Staff")}>
        <Menu label={t("More about staff")}
          items={[{ text: t("All columns as CSV, to import again"), icon: "save", run: () => void save() },
            { text: t("Sign-ins"), icon: "lock", href: "/app/audit/sign-ins", hidden: !may("read", "report") }]} />
        {writes && <><LinkButton href="/app/import/employees" icon="load">{t("Import")}</LinkButton><Button icon="plus" kind="go" hint="N" onClick={() => setAdding(true)}>
          {t("Add to the staff")}</Button></>}
      </Head>
      <StaffTabs current="staff" />
      <List path="/school-admin/employee/list" name="staff" search={t("Name, phone or staff number")} columns={columns()} open={(e) => `/app/staff/${e.id}`}
        filters={[{ name: "type", label: t("Kind"), options: types() }, { name: "roleId", label: t("Role"), options: roles.map((r) => ({ value: r.id, text: r.name })) },
          { name: "status", label: t("Status"), options: statuses() }]}
        empty={{ icon: "badge", title: t("No staff yet"), text: t("Add the first person, or import a list."), action: writes && <Button kind="go"
          onClick={() => setAdding(true)}>{t("Add to the staff")}</Button> }} />
      {adding && <NewEmployee onClose={() => setAdding(false)} />}
    </>
  )
}
