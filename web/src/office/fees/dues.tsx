import { useState } from "preact/hooks"
import { address } from "../../api/client"
import { may } from "../../api/session"
import { query, setQuery, go } from "../../shell/router"
import { useKey } from "../../shell/keys"
import { Badge, Button, Head, LinkButton, Who } from "../../ui/basics"
import { useClasses, useDivisions } from "../../ui/choices"
import { saveFile } from "../../ui/csv"
import { List, type Column } from "../../ui/list"
import { date, due, fullName, money } from "../../words/format"
import { n, t } from "../../words/words"
import { sum } from "./amount"
import { daysLate, type Debt } from "./debts"
import { ReminderDialog } from "./reminder"
import { FeeTabs } from "./tabs"

const nameOf = (d: Debt) => (d.firstName ? fullName({ firstName: d.firstName, lastName: d.lastName }) : d.admissionNo)

const columns = (): Column<Debt>[] => [
  { key: "name", label: t("Student"), sort: "firstName", text: nameOf, cell: (d) => <Who name={nameOf(d)} href={`/app/fees/students/${d.studentId}`} /> },
  { key: "class", label: t("Class"), text: (d) => [d.className, d.divisionName].filter(Boolean).join(" "),
    cell: (d) => d.className && <span class="nowrap">{d.className} {d.divisionName}</span>, hide: "sm" },
  { key: "guardian", label: t("Guardian"), text: (d) => d.guardianName, cell: (d) => d.guardianName && <bdi class="one">{d.guardianName}</bdi>, hide: "md" },
  { key: "phone", label: t("Phone"), text: (d) => d.guardianPhone,
    cell: (d) => d.guardianPhone && <a class="nowrap" href={`tel:${d.guardianPhone}`}>{d.guardianPhone}</a>, hide: "md" },
  { key: "oldest", label: t("Oldest"), text: (d) => d.oldestDueDate,
    cell: (d) => d.oldestDueDate && <span class="nowrap">{date(d.oldestDueDate)} {d.overdue > 0
      && <Badge tone={daysLate(d) > 30 ? "bad" : "warn"}>{n(daysLate(d), "{n} day late", "{n} days late")}</Badge>}</span>, hide: "sm" },
  { key: "overdue", label: t("Overdue"), num: true, text: (d) => d.overdue, cell: (d) => (d.overdue > 0 ? <span class="bad">{money(d.overdue)}</span> : "–") },
  { key: "due", label: t("To pay"), sort: "due", num: true, text: (d) => d.due, cell: (d) => due(d.due) },
  { key: "reminded", label: t("Reminded"), text: (d) => d.remindedOn, cell: (d) => d.remindedOn && <span class="muted nowrap">{date(d.remindedOn)}</span>, hide: "md" },
]

export default function Dues() {
  const classes = useClasses()
  const divisions = useDivisions(query.value.get("classId"))
  const writes = may("write", "fee")
  const [picked, setPicked] = useState<{ ids: string[]; clear: () => void }>()
  const asking = query.value.get("remind") === "1"
  useKey("m", t("Remind families"), () => { if (writes) setQuery({ remind: "1" }) })
  const filters = Object.fromEntries(["classId", "divisionId", "overdue", "search"].map((k) => [k, query.value.get(k) ?? ""]))
  return (
    <>
      <Head title={t("Dues")} sub={t("Who owes what, and since when.")}>
        {writes && <><Button icon="horn" hint="M" onClick={() => setQuery({ remind: "1" })}>{t("Remind families")}</Button>
          <LinkButton href="/app/fees/counter" icon="coin" kind="go">{t("Take a payment")}</LinkButton></>}
      </Head>
      <FeeTabs current="dues" />
      <List path="/school-admin/fee/report/dues" name="dues" search={t("Name, admission no. or phone")} columns={columns()} rowId={(d) => d.studentId}
        open={(d) => `/app/fees/counter?student=${d.studentId}`}
        csv={() => saveFile(address("/school-admin/fee/report/dues/export", {}, filters))}
        filters={[{ name: "classId", label: t("Class"), options: classes.options }, { name: "divisionId", label: t("Division"), options: divisions.options },
          { name: "overdue", label: t("Overdue"), options: [{ value: "true", text: t("only what is late") }] }]}
        bulk={[{ icon: "horn", text: (rows) => n(rows.length, "Remind {n} family", "Remind {n} families"), hidden: !writes,
          run: (rows, clear) => setPicked({ ids: rows.map((r) => r.studentId), clear }) }]}
        rowActions={writes ? (d) => <Button size="sm" onClick={() => go(`/app/fees/counter?student=${d.studentId}`)}
          aria-label={t("Pay for {name}", { name: nameOf(d) })}>{t("Pay")}</Button> : undefined}
        note={(_, rows) => <span>{t("{sum} on this page", { sum: money(sum(rows.map((r) => r.due))) })}</span>}
        empty={{ icon: "check", title: t("Nobody owes anything") }} />
      {asking && <ReminderDialog onClose={() => setQuery({ remind: "" })} />}
      {picked && <ReminderDialog studentIds={picked.ids} onClose={(sent) => { if (sent) picked.clear(); setPicked(undefined) }} />}
    </>
  )
}
