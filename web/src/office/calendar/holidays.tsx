import { useState } from "preact/hooks"
import { get, post, put, remove } from "../../api/client"
import type { Row } from "../../api/contract"
import { loadAccount, may } from "../../api/session"
import { useKey } from "../../shell/keys"
import { changed } from "../../shell/load"
import { say, sayFault } from "../../shell/toast"
import { Button, Head, Tabs } from "../../ui/basics"
import { Menu } from "../../ui/dialog"
import type { FieldSpec, Values } from "../../ui/form"
import { List, type Column } from "../../ui/list"
import { RecordDialog } from "../../ui/record"
import { date, range, today } from "../../words/format"
import { n, t } from "../../words/words"
import { Year } from "./year"

type Holiday = Row<"/school-admin/holiday/list">
type NewHoliday = { date: string; endDate?: string | null; name: string }

export function CalendarTabs({ current }: { current: "holidays" | "years" }) {
  return <Tabs label={t("Calendar")} current={current} items={[{ key: "holidays", href: "/app/calendar", text: t("Holidays") },
    { key: "years", href: "/app/calendar/years", text: t("Academic years") }]} />
}

const length = (h: Holiday) => Math.round((Date.parse(h.endDate) - Date.parse(h.date)) / 86_400_000) + 1

const columns = (): Column<Holiday>[] => [
  { key: "name", label: t("Holiday"), sort: "name", text: (h) => h.name, cell: (h) => <b class="strongish">{h.name}</b> },
  { key: "date", label: t("Days"), sort: "date", text: (h) => h.date, cell: (h) => <span
    class={h.endDate < today() ? "faint nowrap" : "nowrap"}>{range(h.date, h.endDate)}</span> },
  { key: "end", label: t("Last day"), sort: "endDate", text: (h) => h.endDate, cell: (h) => date(h.endDate), off: true },
  { key: "length", label: t("Length"), num: true, text: length, cell: (h) => n(length(h), "{n} day", "{n} days"), hide: "sm" },
]

const fields = (): FieldSpec[] => [
  { name: "name", label: t("Name"), required: true, wide: true, placeholder: t("Winter holidays") },
  { name: "date", label: t("First day"), kind: "date", required: true }, { name: "endDate", label: t("Last day"), kind: "date", help: t("Without one, it is a single day.") },
]

export default function Holidays() {
  const [open, setOpen] = useState<Holiday | "new" | { date: string }>()
  const writes = may("write", "setting")
  useKey("n", t("New holiday"), () => { if (writes) setOpen("new") })
  const record = open && typeof open === "object" && "id" in open ? open : undefined
  const save = async (v: Values, key: string) => {
    const body = { ...v, endDate: v.endDate || v.date } as NewHoliday
    const made = await (record ? put("/school-admin/holiday/{id}", body, { path: { id: record.id }, key }) : post("/school-admin/holiday/create", body, { key }))
    await loadAccount()
    return made
  }
  const back = (made: Holiday) => (record
    ? put("/school-admin/holiday/{id}", { name: record.name, date: record.date, endDate: record.endDate, version: made.version }, { path: { id: record.id } })
    : remove("/school-admin/holiday/{id}", { path: { id: made.id } })).then(loadAccount)
  const drop = (h: Holiday) => {
    remove("/school-admin/holiday/{id}", { path: { id: h.id } }).then(async () => {
      await loadAccount()
      changed()
      say(t("{name} is deleted.", { name: h.name }), () => post("/school-admin/holiday/create", { name: h.name, date: h.date, endDate: h.endDate }).then(loadAccount))
    }, sayFault)
  }
  return (
    <>
      <Head title={t("Calendar")} sub={t("Days without school. They count in attendance, leave, the timetable and exams.")}>
        {writes && <Button kind="go" icon="plus" hint="N" onClick={() => setOpen("new")}>{t("New holiday")}</Button>}
      </Head>
      <CalendarTabs current="holidays" />
      <Year {...(writes && { onDay: (day: string) => setOpen({ date: day }), onHoliday: setOpen })} />
      <List path="/school-admin/holiday/list" name="holidays" search={t("Name of the holiday")} columns={columns()} open={(h) => { if (writes) setOpen(h) }}
        filters={[{ name: "from", label: t("From"), kind: "date" }, { name: "to", label: t("To"), kind: "date" }]}
        rowActions={(h) => <Menu size="sm" label={t("Actions for {name}", { name: h.name })} items={[
          { text: t("Change"), icon: "pen", hidden: !writes, run: () => setOpen(h) },
            { text: t("Delete"), icon: "x", danger: true, hidden: !may("delete", "setting"), run: () => drop(h) },
        ]} />}
        empty={{ icon: "cal", title: t("No holidays yet"), text: t("Enter the days without school, so that nobody has to mark them.") }} />
      {open && <RecordDialog title={record ? record.name : t("New holiday")} fields={fields()} record={(record ?? (open === "new" ? {} : open)) as Values} save={save}
        button={t("Save the holiday")}
        done={t("The holiday is saved.")} undo={(made) => back(made as Holiday)} onClose={() => setOpen(undefined)}
        {...(record && { latest: async () => ({ ...(await get("/school-admin/holiday/{id}", undefined, { path: { id: record.id } })) }) as Values })} />}
    </>
  )
}
