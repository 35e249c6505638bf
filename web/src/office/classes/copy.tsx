// The classes of one year for another. What is there already is kept.
import { post } from "../../api/client"
import { school } from "../../api/session"
import { say } from "../../shell/toast"
import { Banner } from "../../ui/basics"
import { yearOptions } from "../../ui/choices"
import { Dialog } from "../../ui/dialog"
import type { FieldSpec, Values } from "../../ui/form"
import { RecordDialog } from "../../ui/record"
import { n, t } from "../../words/words"

export function CopyClasses({ from, onClose }: { from: string; onClose: () => void }) {
  const years = yearOptions()
  const start = school.value?.academicYears.find((y) => y.id === from)?.startDate ?? ""
  const next = school.value?.academicYears.filter((y) => y.startDate > start).sort((a, b) => a.startDate.localeCompare(b.startDate))[0]
  if (years.length < 2) {
    return <Dialog title={t("Copy to another year")} onClose={onClose}><Banner tone="warn" icon="cal">{t("There is only one academic year.")} <a href="/app/calendar/years">
      {t("Make the next year")}</a></Banner></Dialog>
  }
  const fields: FieldSpec[] = [
    { name: "fromAcademicYearId", label: t("From"), kind: "select", required: true, options: years },
    { name: "toAcademicYearId", label: t("To|place"), kind: "select", required: true, options: years },
    { name: "assignments", label: t("Also who teaches what"), kind: "switch" }, { name: "timetable", label: t("Also the timetable"), kind: "switch" },
    { name: "electives", label: t("Also which subjects are electives"), kind: "switch" }, { name: "feeStructures", label: t("Also the fee structures"), kind: "switch" },
  ]
  const save = async (v: Values, key: string) => {
    const r = await post("/school-admin/class/copy", v as { toAcademicYearId: string }, { key })
    const parts = [n(r.classes, "{n} class", "{n} classes"), n(r.divisions, "{n} division", "{n} divisions"),
      r.assignments && n(r.assignments, "{n} assignment", "{n} assignments"), r.timetables && n(r.timetables, "{n} timetable", "{n} timetables"),
      r.electives && n(r.electives, "{n} elective", "{n} electives"), r.feeStructures && n(r.feeStructures, "{n} fee structure", "{n} fee structures")]
    say(t("Copied: {what}.", { what: parts.filter(Boolean).join(", ") }))
  }
  return <RecordDialog title={t("Copy to another year")} fields={fields}
    record={{ fromAcademicYearId: from, toAcademicYearId: next?.id ?? "", assignments: true, electives: true }} button={t("Copy the classes")} save={save} onClose={onClose} wide />
}
