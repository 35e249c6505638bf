import { useState } from "preact/hooks"
import { get, post, put, remove } from "../../api/client"
import type { Row } from "../../api/contract"
import { loadAccount, may } from "../../api/session"
import { useKey } from "../../shell/keys"
import { changed } from "../../shell/load"
import { say, sayFault } from "../../shell/toast"
import { Badge, Button, Head } from "../../ui/basics"
import { Menu } from "../../ui/dialog"
import { currentYear } from "../../ui/choices"
import type { FieldSpec, Values } from "../../ui/form"
import { List, type Column } from "../../ui/list"
import { RecordDialog } from "../../ui/record"
import { date } from "../../words/format"
import { t } from "../../words/words"
import { CalendarTabs } from "./holidays"

type AcademicYear = Row<"/school-admin/academic-year/list">
type NewYear = { name: string; startDate: string; endDate: string }

const columns = (): Column<AcademicYear>[] => [
  { key: "name", label: t("Year"), sort: "name", text: (y) => y.name, cell: (y) => <span class="row"><b class="strongish">{y.name}</b>{y.isCurrent && <Badge
    tone="good">{t("current")}</Badge>}</span> },
  { key: "start", label: t("First day"), sort: "startDate", text: (y) => y.startDate, cell: (y) => date(y.startDate) },
  { key: "end", label: t("Last day"), sort: "endDate", text: (y) => y.endDate, cell: (y) => date(y.endDate) },
]

const fields = (): FieldSpec[] => [
  { name: "name", label: t("Name"), required: true, wide: true, placeholder: "2027/28" },
  { name: "startDate", label: t("First day"), kind: "date", required: true }, { name: "endDate", label: t("Last day"), kind: "date", required: true },
]

const activate = (id: string) => post("/school-admin/academic-year/{id}/activate", {} as never, { path: { id } }).then(loadAccount)

export default function Years() {
  const [open, setOpen] = useState<AcademicYear | "new">()
  const writes = may("write", "setting")
  useKey("n", t("New academic year"), () => { if (writes) setOpen("new") })
  const record = open === "new" ? undefined : open
  const save = async (v: Values, key: string) => {
    const body = v as NewYear
    const made = await (record ? put("/school-admin/academic-year/{id}", body, { path: { id: record.id }, key }) : post("/school-admin/academic-year/create", body, { key }))
    await loadAccount()
    return made
  }
  const back = (made: AcademicYear) => (record
    ? put("/school-admin/academic-year/{id}", { name: record.name, startDate: record.startDate, endDate: record.endDate, version: made.version }, { path: { id: record.id } })
    : remove("/school-admin/academic-year/{id}", { path: { id: made.id } })).then(loadAccount)
  const start = (y: AcademicYear) => {
    const before = currentYear()
    activate(y.id).then(() => { changed(); say(t("{name} is now the current year.", { name: y.name }), before ? () => activate(before) : undefined) }, sayFault)
  }
  const drop = (y: AcademicYear) => {
    remove("/school-admin/academic-year/{id}", { path: { id: y.id } }).then(async () => {
      await loadAccount()
      changed()
      say(t("{name} is deleted.", { name: y.name }), () => post("/school-admin/academic-year/create",
        { name: y.name, startDate: y.startDate, endDate: y.endDate }).then(loadAccount))
    }, sayFault)
  }
  return (
    <>
      <Head title={t("Calendar")} sub={t("Classes, fees, exams and the timetable belong to a year. The current one is what everybody sees.")}>
        {writes && <Button kind="go" icon="plus" hint="N" onClick={() => setOpen("new")}>{t("New academic year")}</Button>}
      </Head>
      <CalendarTabs current="years" />
      <List path="/school-admin/academic-year/list" name="academic-years" search={t("Name of the year")} columns={columns()} open={(y) => { if (writes) setOpen(y) }}
        rowActions={(y) => (
          <>
            {writes && !y.isCurrent && <Button size="sm" onClick={() => start(y)}>{t("Make it the current year")}</Button>}
            <Menu size="sm" label={t("Actions for {name}", { name: y.name })} items={[
              { text: t("Change"), icon: "pen", hidden: !writes, run: () => setOpen(y) },
                { text: t("Delete"), icon: "x", danger: true, hidden: y.isCurrent || !may("delete", "setting"), run: () => drop(y) },
            ]} />
          </>
        )}
        empty={{ icon: "cal", title: t("No academic year yet"), text: t("Everything else begins with it.") }} />
      {open && <RecordDialog title={record ? record.name : t("New academic year")} fields={fields()} record={(record ?? {}) as Values} save={save} button={t("Save the year")}
        done={t("The year is saved.")} undo={(made) => back(made as AcademicYear)} onClose={() => setOpen(undefined)}
        {...(record && { latest: async () => ({ ...(await get("/school-admin/academic-year/{id}", undefined, { path: { id: record.id } })) }) as Values })} />}
    </>
  )
}
