import type { Row } from "../../api/contract"
import { may } from "../../api/session"
import { go, query } from "../../shell/router"
import { useKey } from "../../shell/keys"
import { Badge, Button, Head, LinkButton, Who } from "../../ui/basics"
import { useClasses, useDivisions, yearOptions } from "../../ui/choices"
import { List, type Column } from "../../ui/list"
import { date, fullName } from "../../words/format"
import { t } from "../../words/words"

type Student = Row<"/school-admin/student/list">

export const statuses = () => [
  { value: "ACTIVE", text: t("attending") }, { value: "TRANSFERRED", text: t("transferred") },
  { value: "GRADUATED", text: t("graduated") }, { value: "LEFT", text: t("left") },
]

const columns = (): Column<Student>[] => [
  { key: "name", label: t("Name"), sort: "firstName", text: fullName, cell: (s) => <Who name={fullName(s)} photo={s.photoThumbnailUrl} href={`/app/students/${s.id}`} /> },
  { key: "admissionNo", label: t("Admission"), sort: "admissionNo", text: (s) => s.admissionNo, cell: (s) => <span class="muted">{s.admissionNo}</span>, hide: "sm" },
  { key: "class", label: t("Class"), text: (s) => [s.className, s.divisionName].filter(Boolean).join(" "), cell: (s) => s.className && <span class="nowrap">{s.className} {s.divisionName}</span> },
  { key: "rollNo", label: t("Roll"), sort: "rollNo", num: true, text: (s) => s.rollNo, cell: (s) => s.rollNo, hide: "sm" },
  { key: "guardian", label: t("Guardian"), text: (s) => s.guardians[0]?.name, cell: (s) => s.guardians[0] && <bdi class="one">{s.guardians[0].name}</bdi>, hide: "md" },
  { key: "phone", label: t("Phone"), text: (s) => s.guardians[0]?.phone, cell: (s) => s.guardians[0]?.phone && <a class="nowrap" href={`tel:${s.guardians[0].phone}`}>{s.guardians[0].phone}</a>, hide: "md" },
  { key: "born", label: t("Born"), text: (s) => s.dateOfBirth, cell: (s) => s.dateOfBirth && date(s.dateOfBirth), off: true },
  { key: "status", label: t("Status"), text: (s) => s.status, cell: (s) => (s.status === "ACTIVE" ? <span class="faint">{t("attending")}</span> : <Badge>{statuses().find((x) => x.value === s.status)?.text}</Badge>), hide: "sm" },
]

export default function Students() {
  const classes = useClasses()
  const divisions = useDivisions(query.value.get("classId"))
  const writes = may("write", "student")
  useKey("n", t("Admit a student"), () => { if (writes) go("/app/students/new") })
  return (
    <>
      <Head title={t("Students")}>
        {writes && <><LinkButton href="/app/import/students" icon="load">{t("Import")}</LinkButton><LinkButton href="/app/students/new" icon="plus" kind="go" hint="N">{t("Admit a student")}</LinkButton></>}
      </Head>
      <List path="/school-admin/student/list" name="students" search={t("Name, admission no. or phone")} columns={columns()} open={(s) => `/app/students/${s.id}`}
        filters={[
          { name: "classId", label: t("Class"), options: classes.options }, { name: "divisionId", label: t("Division"), options: divisions.options },
          { name: "status", label: t("Status"), options: statuses() }, { name: "academicYearId", label: t("Year"), options: yearOptions() },
        ]}
        bulk={[
          { icon: "chat", text: () => t("Write"), hidden: !may("write", "message"), run: (rows) => go(`/app/messages?to=${rows.map((r) => r.id).join(",")}`) },
          { icon: "swap", text: () => t("Move"), hidden: !writes, run: (rows) => go(`/app/students/move?ids=${rows.map((r) => r.id).join(",")}`) },
        ]}
        empty={{ icon: "people", title: t("No students yet"), text: t("Admit the first one, or import a list."), action: writes && <Button kind="go" onClick={() => go("/app/import/students")}>{t("Import a list")}</Button> }} />
    </>
  )
}
