import { useState } from "preact/hooks"
import type { Row } from "../../api/contract"
import { may } from "../../api/session"
import { useGet } from "../../shell/load"
import { say } from "../../shell/toast"
import { Badge, Head, Tabs, Who } from "../../ui/basics"
import { List, type Column } from "../../ui/list"
import { fullName } from "../../words/format"
import { t } from "../../words/words"
import { Merge } from "./merge"

export type Guardian = Row<"/school-admin/guardian/list">

const columns = (): Column<Guardian>[] => [
  { key: "name", label: t("Name"), sort: "name", text: (g) => g.name, cell: (g) => <Who name={g.name} href={`/app/guardians/${g.id}`} /> },
  { key: "children", label: t("Children"), text: (g) => g.children.map(fullName).join(", "), cell: (g) => <span class="row wrap">
    {g.children.map((c, i) => <span key={c.studentId}><a href={`/app/students/${c.studentId}`}><bdi>{fullName(c)}</bdi></a>{i < g.children.length - 1 && ","}</span>)}</span> },
  { key: "phone", label: t("Phone"), text: (g) => g.phone, cell: (g) => g.phone && <a class="nowrap" href={`tel:${g.phone}`}>{g.phone}</a> },
  { key: "email", label: t("E-mail"), text: (g) => g.email, cell: (g) => g.email && <a class="one" href={`mailto:${g.email}`}>{g.email}</a>, hide: "md" },
  { key: "address", label: t("Address"), text: (g) => g.address, cell: (g) => g.address && <span class="one">{g.address}</span>, off: true },
  { key: "app", label: t("App"), text: (g) => (g.userId ? t("yes") : t("no")),
    cell: (g) => (g.userId ? <span class="faint">{t("has an account")}</span> : <Badge tone="warn">{t("no account")}</Badge>), hide: "sm" },
]

/** The two pages about guardians. */
export function GuardianTabs({ current }: { current: "all" | "changes" }) {
  const waiting = useGet("/school-admin/guardian/change/list", { status: "PENDING", limit: 1 })
  return <Tabs label={t("Guardians")} current={current}
    items={[{ key: "all", text: t("All guardians"), href: "/app/guardians" },
      { key: "changes", text: t("Proposed changes"), href: "/app/guardians/changes", ...(waiting.data && { count: waiting.data.total }) }]} />
}

export default function Guardians() {
  const [merging, setMerging] = useState<{ two: Guardian[]; clear: () => void }>()
  const start = (rows: Guardian[], clear: () => void) => { if (rows.length === 2) setMerging({ two: rows, clear }); else say(t("Choose the two records of the same person.")) }
  return (
    <>
      <Head title={t("Guardians")} sub={t("They are added with their child, on the profile or by import.")} />
      <GuardianTabs current="all" />
      <List path="/school-admin/guardian/list" name="guardians" search={t("Name, phone or e-mail")} columns={columns()} open={(g) => `/app/guardians/${g.id}`}
        bulk={[{ icon: "swap", text: (rows) => (rows.length === 2 ? t("Merge these two") : t("Merge: choose two")), hidden: !may("write", "student"), run: start }]}
        empty={{ icon: "heart", title: t("No guardians yet"), text: t("They appear here when a student with a guardian is admitted.") }} />
      {merging && <Merge two={merging.two} onClose={(merged) => { setMerging(undefined); if (merged) merging.clear() }} />}
    </>
  )
}
