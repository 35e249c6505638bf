import type { Row } from "../../api/contract"
import { may } from "../../api/session"
import { query } from "../../shell/router"
import { Badge, Head, Icon, LinkButton, Who } from "../../ui/basics"
import { useClasses, useDivisions } from "../../ui/choices"
import { List, type Column } from "../../ui/list"
import { date, fullName, longDate, today } from "../../words/format"
import { n, t } from "../../words/words"

type Absentee = Row<"/school-admin/attendance/absentees">

const columns = (): Column<Absentee>[] => [
  { key: "name", label: t("Name"), sort: "firstName", text: fullName, cell: (a) => <Who name={fullName(a)} href={`/app/students/${a.studentId}`} /> },
  { key: "class", label: t("Class"), text: (a) => `${a.className} ${a.divisionName ?? ""}`,
    cell: (a) => a.classId && a.divisionId ? <a class="quiet nowrap" href={`/app/attendance/${a.classId}/${a.divisionId}`}>{a.className} {a.divisionName}</a> : a.className },
  { key: "days", label: t("Days in a row"), sort: "consecutiveDays", num: true, text: (a) => a.consecutiveDays,
    cell: (a) => (a.consecutiveDays > 2 ? <Badge tone="bad">{n(a.consecutiveDays, "{n} day", "{n} days")}</Badge> : n(a.consecutiveDays, "{n} day", "{n} days")) },
  { key: "since", label: t("Since"), text: (a) => a.since, cell: (a) => date(a.since), hide: "sm" },
  { key: "guardian", label: t("Guardian"), text: (a) => a.guardianName, cell: (a) => a.guardianName && <bdi class="one">{a.guardianName}</bdi>, hide: "md" },
  { key: "phone", label: t("Phone"), text: (a) => a.guardianPhone, hide: "sm",
    cell: (a) => a.guardianPhone && <a class="nowrap" href={`tel:${a.guardianPhone}`}>{a.guardianPhone}</a> },
]

export default function Absentees() {
  const classes = useClasses()
  const divisions = useDivisions(query.value.get("classId"))
  const day = query.value.get("date") ?? today()
  const rows = [2, 3, 5, 10].map((x) => ({ value: String(x), text: n(x, "{n} day or more", "{n} days or more") }))
  return (
    <>
      <Head title={t("Who is absent")} sub={longDate(day)}><LinkButton href="/app/attendance" icon="tick">{t("The school’s day")}</LinkButton></Head>
      <List path="/school-admin/attendance/absentees" name="absentees" columns={columns()} rowId={(a) => a.studentId} open={(a) => `/app/students/${a.studentId}`}
        filters={[
          { name: "date", label: t("Day"), kind: "date" }, { name: "consecutiveDays", label: t("In a row"), options: rows },
          { name: "classId", label: t("Class"), options: classes.options }, { name: "divisionId", label: t("Division"), options: divisions.options },
        ]}
        rowActions={(a) => (
          <>
            {a.guardianPhone && <a class="btn plain icon" href={`tel:${a.guardianPhone}`} aria-label={t("Call {name}", { name: a.guardianName ?? a.guardianPhone })}><Icon
              name="phone" /></a>}
            {may("write", "message") && <a class="btn plain icon" href={`/app/messages?to=${a.studentId}`} aria-label={t("Write to the family of {name}",
              { name: fullName(a) })}><Icon name="chat" /></a>}
          </>
        )}
        empty={{ icon: "check", title: t("Nobody is absent"), text: t("Children who are absent the whole day are listed here, as soon as they are marked.") }} />
    </>
  )
}
