import { address, download } from "../../api/client"
import type { Row } from "../../api/contract"
import { may } from "../../api/session"
import { go, query } from "../../shell/router"
import { sayFault } from "../../shell/toast"
import { useKey } from "../../shell/keys"
import { Badge, Button, Head, LinkButton, Who } from "../../ui/basics"
import { useClasses, useDivisions, yearOptions } from "../../ui/choices"
import { saveBlob } from "../../ui/csv"
import { Menu } from "../../ui/dialog"
import { List, type Column } from "../../ui/list"
import { date, fullName } from "../../words/format"
import { t } from "../../words/words"
import { choose } from "./chosen"
import { statuses } from "./words"

type Student = Row<"/school-admin/student/list">

const columns = (): Column<Student>[] => [
  { key: "name", label: t("Name"), sort: "firstName", text: fullName, cell: (s) => <Who name={fullName(s)} photo={s.photoThumbnailUrl} href={`/app/students/${s.id}`} /> },
  { key: "admissionNo", label: t("Admission"), sort: "admissionNo", text: (s) => s.admissionNo, cell: (s) => <span class="muted">{s.admissionNo}</span>, hide: "sm" },
  { key: "class", label: t("Class"), text: (s) => [s.className, s.divisionName].filter(Boolean).join(" "), cell: (s) => s.className && <span class="nowrap">
    {s.className} {s.divisionName}</span> },
  { key: "rollNo", label: t("Roll"), sort: "rollNo", num: true, text: (s) => s.rollNo, cell: (s) => s.rollNo, hide: "sm" },
  { key: "guardian", label: t("Guardian"), text: (s) => s.guardians[0]?.name, cell: (s) => s.guardians[0] && <bdi class="one">{s.guardians[0].name}</bdi>, hide: "md" },
  { key: "phone", label: t("Phone"), text: (s) => s.guardians[0]?.phone, cell: (s) => s.guardians[0]?.phone && <a class="nowrap" href={`tel:${s.guardians[0].phone}`}>
    {s.guardians[0].phone}</a>, hide: "md" },
  { key: "born", label: t("Born"), text: (s) => s.dateOfBirth, cell: (s) => s.dateOfBirth && date(s.dateOfBirth), off: true },
  { key: "status", label: t("Status"), text: (s) => s.status,
    cell: (s) => (s.status === "ACTIVE" ? <span class="faint">{t("attending")}</span> : <Badge>{statuses().find((x) => x.value === s.status)?.text}</Badge>), hide: "sm" },
]

async function exportAll(): Promise<void> {
  try {
    const asked = Object.fromEntries(["classId", "divisionId", "status", "academicYearId", "search"].map((name) => [name, query.value.get(name)]))
    const file = await download(address("/school-admin/student/export", {}, asked))
    saveBlob(file.blob, file.name)
  } catch (e) {
    sayFault(e)
  }
}

export default function Students() {
  const classes = useClasses()
  const divisions = useDivisions(query.value.get("classId"))
  const writes = may("write", "student")
  useKey("n", t("Admit a student"), () => { if (writes) go("/app/students/new") })
  return (
    <>
      <Head title={t("Students")}>
        <Menu label={t("More about students")} items={[
          { text: t("All columns as CSV, to import again"), icon: "save", run: () => void exportAll() },
          { text: t("Number a division anew"), icon: "list", href: "/app/students/move", hidden: !writes },
          { text: t("Promote a class"), icon: "up", href: "/app/students/promote", hidden: !writes },
        ]} />
        {writes && <><LinkButton href="/app/import/students" icon="load">{t("Import")}</LinkButton><LinkButton href="/app/students/new" icon="plus" kind="go" hint="N">
          {t("Admit a student")}</LinkButton></>}
      </Head>
      <List path="/school-admin/student/list" name="students" search={t("Name, admission no. or phone")} columns={columns()} open={(s) => `/app/students/${s.id}`}
        filters={[
          { name: "classId", label: t("Class"), options: classes.options }, { name: "divisionId", label: t("Division"), options: divisions.options },
          { name: "status", label: t("Status"), options: statuses() }, { name: "academicYearId", label: t("Year"), options: yearOptions() },
        ]}
        bulk={[
          { icon: "chat", text: () => t("Write"), hidden: !may("write", "message"), run: (rows) => go(`/app/messages?to=${rows.map((r) => r.id).join(",")}`) },
          { icon: "swap", text: () => t("Move"), hidden: !writes, run: (rows) => { choose(rows); go(`/app/students/move?ids=${rows.map((r) => r.id).join(",")}`) } },
        ]}
        empty={{ icon: "people", title: t("No students yet"), text: t("Admit the first one, or import a list."), action: writes && <Button kind="go"
          onClick={() => go("/app/import/students")}>{t("Import a list")}</Button> }} />
    </>
  )
}
