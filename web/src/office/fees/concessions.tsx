import { useState } from "preact/hooks"
import { post } from "../../api/client"
import type { Row } from "../../api/contract"
import { may } from "../../api/session"
import { useGet } from "../../shell/load"
import { useKey } from "../../shell/keys"
import { query } from "../../shell/router"
import { say } from "../../shell/toast"
import { Badge, Button, Head, Who } from "../../ui/basics"
import { yearOptions, currentYear } from "../../ui/choices"
import type { Values } from "../../ui/form"
import { List, type Column } from "../../ui/list"
import { personField, type Person } from "../../ui/person"
import { RecordDialog } from "../../ui/record"
import { date, due, money } from "../../words/format"
import { t } from "../../words/words"
import { ReasonDialog } from "./reason"
import { FeeTabs } from "./tabs"

type Concession = Row<"/school-admin/fee/concession/list">
const revoke = (id: string, reason: string, key?: string) => post("/school-admin/fee/concession/{id}/revoke", { reason }, { path: { id }, ...(key && { key }) })

/** "10 % of Tuition", "$200.00". */
export function concessionText(c: Pick<Concession, "percent" | "amount" | "feeHead">): string {
  const what = c.percent !== null ? `${c.percent} %` : money(c.amount ?? 0)
  return c.feeHead ? t("{what} of {head}", { what, head: c.feeHead }) : what
}

const columns = (): Column<Concession>[] => [
  { key: "student", label: t("Student"), text: (c) => c.studentName,
    cell: (c) => <Who name={c.studentName ?? "–"} href={`/app/fees/students/${c.studentId}`} note={c.className} /> },
  { key: "what", label: t("Concession"), text: concessionText, cell: (c) => <span class="nowrap">{concessionText(c)}</span> },
  { key: "reason", label: t("Reason"), text: (c) => c.reason, cell: (c) => c.reason && <span class="one">{c.reason}</span>, hide: "md" },
  { key: "since", label: t("Since"), sort: "createdAt", text: (c) => c.createdAt, cell: (c) => <span class="muted nowrap">{date(c.createdAt)}</span>, hide: "sm" },
  { key: "status", label: t("Status"), text: (c) => (c.status === "REVOKED" ? t("revoked") : t("valid")),
    cell: (c) => (c.status === "REVOKED" ? <Badge>{t("revoked")}</Badge> : "–"), hide: "sm" },
  { key: "given", label: t("Given so far"), num: true, text: (c) => c.given, cell: (c) => due(c.given) },
]

export default function Concessions() {
  const writes = may("write", "fee")
  const heads = useGet("/school-admin/fee/head/list", { limit: 100 })
  const headOptions = heads.data?.items.map((h) => ({ value: h.id, text: h.name })) ?? []
  const [granting, setGranting] = useState(query.value.get("new") === "1")
  const [revoking, setRevoking] = useState<Concession>()
  const studentId = query.value.get("studentId")
  useKey("n", t("Grant a concession"), () => { if (writes) setGranting(true) })
  return (
    <>
      <Head title={t("Concessions")} sub={t("Siblings, scholarships, hardship: less to pay, with the reason.")}>
        {writes && <Button kind="go" icon="plus" hint="N" onClick={() => setGranting(true)}>{t("Grant a concession")}</Button>}</Head>
      <FeeTabs current="concessions" />
      <List path="/school-admin/fee/concession/list" name="concessions" columns={columns()} fixed={studentId ? { studentId } : {}}
        filters={[{ name: "status", label: t("Status"), options: [{ value: "ACTIVE", text: t("valid") }, { value: "REVOKED", text: t("revoked") }] },
          { name: "feeHeadId", label: t("Fee head"), options: headOptions }]}
        rowActions={writes ? (c) => c.status === "ACTIVE" && <Button kind="plain" size="sm" onClick={() => setRevoking(c)}
          aria-label={t("Revoke the concession of {name}", { name: c.studentName ?? "" })}>{t("Revoke")}</Button> : undefined}
        empty={{ icon: "heart", title: t("No concessions yet") }} />
      {granting && <GrantDialog heads={headOptions} onClose={() => setGranting(false)} />}
      {revoking && <ReasonDialog title={t("Revoke the concession of {name}", { name: revoking.studentName ?? "" })} button={t("Revoke the concession")}
        help={t("It takes back what it gave: {sum} is due again.", { sum: money(revoking.given) })}
        run={async (reason, key) => { await revoke(revoking.id, reason, key); say(t("The concession is revoked.")) }} onClose={() => setRevoking(undefined)} />}
    </>
  )
}

export function GrantDialog({ person, heads, onClose }: { person?: Person; heads: { value: string; text: string }[]; onClose: () => void }) {
  async function save(v: Values, key: string) {
    const { studentId, kind, value, ...rest } = v as { studentId: Person; kind: "percent" | "amount"; value: number; feeHeadId?: string; academicYearId?: string; reason?: string }
    const c = await post("/school-admin/fee/concession/grant", { ...rest, studentId: studentId.id, [kind]: value }, { key })
    say(t("Concession of {what} granted.", { what: concessionText(c) }), () => revoke(c.id, t("Entered by mistake")))
    return c
  }
  return (
    <RecordDialog title={t("Grant a concession")} button={t("Grant the concession")} record={{ studentId: person, kind: "percent", academicYearId: currentYear() }}
      save={save} onClose={onClose} fields={[
      personField("studentId", t("Student"), ["student"]),
      { name: "kind", label: t("As"), kind: "select", required: true,
        options: [{ value: "percent", text: t("percent of each charge") }, { value: "amount", text: t("an amount, until it is used up") }] },
      { name: "value", label: t("How much"), kind: "money", required: true, min: 0.01 },
      { name: "feeHeadId", label: t("Only for"), kind: "select", options: heads, help: t("Without one: all but fines.") },
      { name: "academicYearId", label: t("Year"), kind: "select", options: yearOptions() },
      { name: "reason", label: t("Reason"), wide: true },
    ]} />
  )
}
