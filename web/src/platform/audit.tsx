import { useGet } from "../shell/load"
import { Head } from "../ui/basics"
import { Changes } from "../ui/changes"
import { List } from "../ui/list"
import { when } from "../words/format"
import { t } from "../words/words"

export default function Audit() {
  const schools = useGet("/super-admin/school/list", { limit: 100 })
  return (
    <>
      <Head title={t("Audit log")} sub={t("Who changed what, in every school.")} />
      <List path="/super-admin/audit/list" name="audit" columns={[
        { key: "what", label: t("What happened"), text: (e) => `${e.userName ?? ""} ${e.action} ${e.entity}`, cell: (e) => <Changes entry={e} /> },
        { key: "school", label: t("School"), text: (e) => e.schoolName, cell: (e) => <span class="muted">{e.schoolName}</span>, hide: "sm" },
        { key: "at", label: t("When"), text: (e) => e.at, cell: (e) => <time class="muted nowrap">{when(e.at)}</time> },
      ]} filters={[
        { name: "schoolId", label: t("School"), options: (schools.data?.items ?? []).map((s) => ({ value: s.id, text: s.name })) },
        { name: "from", label: t("From"), kind: "date" }, { name: "to", label: t("Until"), kind: "date" },
      ]} empty={{ icon: "list", title: t("Nothing has been changed yet") }} />
    </>
  )
}
