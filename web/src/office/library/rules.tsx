import { put } from "../../api/client"
import type { Reply } from "../../api/contract"
import { may } from "../../api/session"
import { changed, useGet } from "../../shell/load"
import { say } from "../../shell/toast"
import { Card, Facts, Head, Ready } from "../../ui/basics"
import { Form, type FieldSpec } from "../../ui/form"
import { money } from "../../words/format"
import { t } from "../../words/words"
import { LibraryTabs } from "./tabs"

type Rules = Reply<"/school-admin/library/rules", "get">

const fields = (): FieldSpec[] => [
  { name: "studentLoans", label: t("Books a student may have"), kind: "number", required: true, min: 0 },
  { name: "studentDays", label: t("Days a student may keep them"), kind: "number", required: true, min: 1 },
  { name: "employeeLoans", label: t("Books an employee may have"), kind: "number", required: true, min: 0 },
  { name: "employeeDays", label: t("Days an employee may keep them"), kind: "number", required: true, min: 1 },
  { name: "maxRenewals", label: t("Times a loan may be renewed"), kind: "number", required: true, min: 0 },
  { name: "holdDays", label: t("Days a reserved book is kept"), kind: "number", required: true, min: 1 },
  { name: "finePerDay", label: t("Fine for each day late"), kind: "money", required: true, min: 0, help: t("0 means no fine.") },
  { name: "maxFine", label: t("Highest fine"), kind: "money", required: true, min: 0, help: t("0 means no limit.") },
  { name: "defaultPrice", label: t("Price of a lost book without one"), kind: "money", required: true, min: 0 },
  { name: "overdueBlocks", label: t("Who has an overdue book gets no other"), kind: "switch" },
]

export default function RulesPage() {
  const rules = useGet("/school-admin/library/rules")
  return (
    <>
      <Head title={t("Rules of the library")} sub={t("They count from the next loan, renewal or return on.")} />
      <LibraryTabs current="rules" />
      <Ready of={rules}>{(r) => (may("write", "library") ? <Edit key={r.version} rules={r} /> : <Look rules={r} />)}</Ready>
    </>
  )
}

function Edit({ rules: r }: { rules: Rules }) {
  const { version, updatedAt: _, ...before } = r
  return (
    <div class="measure"><Card><Form fields={fields()} initial={{ ...r }} button={t("Save the rules")}
      submit={(v, key) => put("/school-admin/library/rules", { ...v, version }, { key })}
      onDone={() => { changed(); say(t("The rules are saved."), () => put("/school-admin/library/rules", before)) }} /></Card></div>
  )
}

function Look({ rules: r }: { rules: Rules }) {
  const show = (f: FieldSpec) => { const v = (r as unknown as Record<string, number | boolean>)[f.name]!;
    return typeof v === "boolean" ? (v ? t("yes") : t("no")) : f.kind === "money" ? money(v) : String(v) }
  return <div class="measure"><Card><Facts items={fields().map((f) => [f.label, show(f)])} /></Card></div>
}
