import { useState } from "preact/hooks"
import { post, remove } from "../../api/client"
import type { Row } from "../../api/contract"
import { may } from "../../api/session"
import { useKey } from "../../shell/keys"
import { changed } from "../../shell/load"
import { query } from "../../shell/router"
import { say, sayFault } from "../../shell/toast"
import { Badge, Button, Head, LinkButton } from "../../ui/basics"
import { useClasses, useDivisions, useEmployees, useSubjects } from "../../ui/choices"
import { Dialog } from "../../ui/dialog"
import { Form, type FieldSpec, type Values } from "../../ui/form"
import { List, type Column } from "../../ui/list"
import { date, shortDay, today } from "../../words/format"
import { t } from "../../words/words"

type Override = Row<"/school-admin/timetable/overrides">

const columns = (): Column<Override>[] => [
  { key: "date", label: t("Day"), sort: "date", text: (o) => o.date, cell: (o) => <span class="nowrap">{shortDay(o.date)} {date(o.date)}</span> },
  { key: "period", label: t("Period"), num: true, text: (o) => o.periodNo, cell: (o) => <>{o.periodNo}{o.startTime && <span
    class="faint hide-sm"> {o.startTime.slice(0, 5)}</span>}</> },
  { key: "division", label: t("Division"), text: (o) => `${o.className} ${o.divisionName}`, cell: (o) => <span class="nowrap">{o.className} {o.divisionName}</span> },
  { key: "change", label: t("Change"), text: (o) => said(o), cell: (o) => (o.cancelled ? <Badge tone="bad">{t("cancelled")}</Badge> : said(o)) },
  { key: "regular", label: t("Instead of"), text: (o) => o.regularTeacherName, cell: (o) => o.regularTeacherName && <bdi
    class="one muted">{o.regularTeacherName}</bdi>, hide: "md" },
  { key: "note", label: t("Note"), text: (o) => o.note, cell: (o) => o.note && <span class="one">{o.note}</span>, hide: "md" },
]

function said(o: Override): string {
  return o.cancelled ? t("cancelled") : [o.teacherName, o.subjectName, o.room].filter(Boolean).join(", ")
}

const again = (o: Override) => post("/school-admin/timetable/override", {
  date: o.date, classId: o.classId, divisionId: o.divisionId, periodNo: o.periodNo, cancelled: o.cancelled,
  ...(!o.cancelled && { teacherId: o.teacherId, subjectId: o.subjectId, room: o.room }), ...(o.note && { note: o.note }),
})

export default function Changes() {
  const [creating, setCreating] = useState(false)
  const classes = useClasses()
  const divisions = useDivisions(query.value.get("classId"))
  const teachers = useEmployees({ type: "TEACHER" })
  const writes = may("write", "timetable")
  useKey("n", t("Change a single lesson"), () => { if (writes) setCreating(true) })
  const drop = (o: Override) => {
    remove("/school-admin/timetable/override/{id}", { path: { id: o.id } }).then(() => { changed(); say(t("The lesson is as in the week again."), () => again(o)) }, sayFault)
  }
  return (
    <>
      <Head title={t("Single days")} sub={t("Lessons that are different on one day: another teacher, subject or room, or cancelled.")}>
        <LinkButton href="/app/timetable" icon="cal">{t("Week")}</LinkButton><LinkButton href="/app/timetable/cover" icon="swap">{t("Cover")}</LinkButton>
        {writes && <Button kind="go" icon="plus" hint="N" onClick={() => setCreating(true)}>{t("Change a single lesson")}</Button>}
      </Head>
      <List path="/school-admin/timetable/overrides" name="timetable-changes" columns={columns()}
        filters={[
          { name: "from", label: t("From"), kind: "date" }, { name: "to", label: t("To"), kind: "date" }, { name: "teacherId", label: t("Teacher"), options: teachers.options },
          { name: "classId", label: t("Class"), options: classes.options }, { name: "divisionId", label: t("Division"), options: divisions.options },
        ]}
        rowActions={(o) => may("delete", "timetable") && <Button size="sm" kind="plain" onClick={() => drop(o)}>{t("As in the week")}</Button>}
        empty={{ icon: "cal", title: t("No changes of single days"), text: t("Substitutes and cancelled lessons are listed here.") }} />
      {creating && <ChangeDialog onClose={() => setCreating(false)} />}
    </>
  )
}

function ChangeDialog({ onClose }: { onClose: () => void }) {
  const divisions = useDivisions()
  const teachers = useEmployees({ type: "TEACHER" })
  const subjects = useSubjects()
  const cancelled = (v: Values) => !!v.cancelled
  const fields: FieldSpec[] = [
    { name: "date", label: t("Day"), kind: "date", required: true }, { name: "divisionId", label: t("Division"), kind: "select", required: true, options: divisions.options },
    { name: "periodNo", label: t("Period"), kind: "number", required: true, min: 1 }, { name: "cancelled", label: t("The lesson is cancelled"), kind: "switch" },
    { name: "teacherId", label: t("Teacher"), kind: "select", options: teachers.options, hidden: cancelled },
      { name: "subjectId", label: t("Subject"), kind: "select", options: subjects.options, hidden: cancelled },
    { name: "room", label: t("Room"), hidden: cancelled }, { name: "note", label: t("Note") },
  ]
  const submit = (v: Values, key: string) => {
    const classId = divisions.items.find((d) => d.id === v.divisionId)?.classId ?? ""
    const filled = Object.fromEntries(Object.entries(v).filter(([, x]) => x !== null && x !== "" && x !== false))
    return post("/school-admin/timetable/override", { ...filled, classId } as Parameters<typeof post<"/school-admin/timetable/override">>[1] & object, { key })
  }
  return (
    <Dialog title={t("Change a single lesson")} onClose={onClose} wide>
      <Form fields={fields} initial={{ date: today() }} button={t("Save the change")} submit={submit} onCancel={onClose}
        onDone={(o) => { changed(); say(t("The change is saved."), () => remove("/school-admin/timetable/override/{id}", { path: { id: (o as Override).id } })); onClose() }} />
    </Dialog>
  )
}
