import type { Row } from "../../api/contract"
import { Head } from "../../ui/basics"
import { List } from "../../ui/list"
import { when } from "../../words/format"
import { t } from "../../words/words"
import { AuditTabs } from "./log"

/** The page of a record that someone saw. */
function link(r: Row<"/school-admin/audit/reads">) {
  const places: Record<string, [string, string]> = { student: [`/app/students/${r.recordId}`, t("a student")], guardian: [`/app/guardians?open=${r.recordId}`, t("a guardian")], employee: [`/app/staff/${r.recordId}`, t("an employee")] }
  const place = places[r.entity]
  return place ? <a href={place[0]}>{place[1]}</a> : r.entity
}

export default function Reads() {
  return (
    <>
      <Head title={t("Who saw whom")} sub={t("Every look at one person's record.")} />
      <AuditTabs current="reads" />
      <List path="/school-admin/audit/reads" name="reads" columns={[
        { key: "who", label: t("Who"), text: (r) => r.userName, cell: (r) => r.userName ?? t("A former account") },
        { key: "what", label: t("Saw"), text: (r) => r.entity, cell: link },
        { key: "ip", label: t("Address"), text: (r) => r.ip, cell: (r) => <span class="muted">{r.ip}</span>, hide: "sm" },
        { key: "at", label: t("When"), text: (r) => r.at, cell: (r) => <time class="muted nowrap">{when(r.at)}</time> },
      ]} filters={[{ name: "from", label: t("From"), kind: "date" }, { name: "to", label: t("Until"), kind: "date" }]} empty={{ icon: "eye", title: t("Nobody has looked yet") }} />
    </>
  )
}
