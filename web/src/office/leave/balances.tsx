import { useState } from "preact/hooks"
import { put } from "../../api/client"
import type { Row } from "../../api/contract"
import { may } from "../../api/session"
import { changed, useGet } from "../../shell/load"
import { say } from "../../shell/toast"
import { Button, Head, LinkButton, Ready, Who } from "../../ui/basics"
import { useEmployees, yearOptions } from "../../ui/choices"
import { Dialog } from "../../ui/dialog"
import { Form, type Values } from "../../ui/form"
import { List, type Column } from "../../ui/list"
import { t } from "../../words/words"
import { kinds, type Leave } from "./words"

type Balance = Row<"/school-admin/leave/balance">
type Kind = Leave["type"]

const title = (s: string) => s.slice(0, 1).toUpperCase() + s.slice(1)
const of = (b: Balance, type: Kind) => b.balances.find((x) => x.type === type)

const columns = (): Column<Balance>[] => [
  { key: "name", label: t("Name"), sort: "firstName", text: (b) => b.name, cell: (b) => <Who name={b.name} href={`/app/staff/${b.employeeId}`} /> },
  ...kinds().map((k): Column<Balance> => ({
    key: k.value, label: title(k.text), num: true, text: (b) => of(b, k.value)?.taken,
    cell: (b) => <Taken balance={of(b, k.value)} />,
  })),
]

function Taken({ balance: b }: { balance: Balance["balances"][number] | undefined }) {
  if (!b) return <>–</>
  const short = b.left !== null && b.left <= 0
  return (
    <span class="nowrap">
      {b.entitled === null ? (b.taken || "–") : t("{part} of {whole}", { part: b.taken, whole: b.entitled })}
      {b.left !== null && <span class={short ? "bad" : "muted"}> · {t("{n} left", { n: b.left })}</span>}
      {b.pending > 0 && <span class="warn"> · {t("{n} to decide", { n: b.pending })}</span>}
    </span>
  )
}

export default function Balances() {
  const [open, setOpen] = useState<Balance | "all">()
  const employees = useEmployees()
  const writes = may("write", "leave")
  return (
    <>
      <Head title={t("Leave balances")} sub={t("School days of approved leave, by kind.")}>
        <LinkButton href="/app/leave" icon="door">{t("Leave")}</LinkButton>
        {writes && <Button icon="pen" onClick={() => setOpen("all")}>{t("Days a year for all")}</Button>}
      </Head>
      <List path="/school-admin/leave/balance" name="leave-balances" columns={columns()} rowId={(b) => b.employeeId} open={(b) => { if (writes) setOpen(b) }}
        filters={[{ name: "academicYearId", label: t("Year"), options: yearOptions() }, { name: "employeeId", label: t("Employee"), options: employees.options }]}
        rowActions={(b) => writes && <Button size="sm" kind="plain" onClick={() => setOpen(b)}>{t("Days a year")}</Button>}
        empty={{ icon: "list", title: t("No employees yet") }} />
      {open && <Entitlements who={open} onClose={() => setOpen(undefined)} />}
    </>
  )
}

function Entitlements({ who, onClose }: { who: Balance | "all"; onClose: () => void }) {
  const employeeId = who === "all" ? undefined : who.employeeId
  const loaded = useGet("/school-admin/leave/entitlements", employeeId ? { employeeId } : {})
  return (
    <Dialog title={who === "all" ? t("Days a year for all") : t("Days a year of {name}", { name: who.name })} onClose={onClose}>
      <p class="muted">{who === "all" ? t("Without a number there is no limit.") : t("Own numbers replace those for all. Empty means as for all.")}</p>
      <Ready of={loaded} rows={3}>{(e) => {
        const shown = e.entitlements.filter((x) => !employeeId || x.isOwn)
        const body = (days: (type: Kind) => number | null) => ({ ...(employeeId && { employeeId }), entitlements: kinds().map((k) => ({ type: k.value, days: days(k.value) })) })
        const before = body((type) => shown.find((x) => x.type === type)?.days ?? null)
        const number = (v: unknown) => (v === null || v === undefined || v === "" ? null : Number(v))
        return (
          <Form single fields={kinds().map((k) => ({ name: k.value, label: title(k.text), kind: "number" as const, min: 0, help: general(e.entitlements, k.value, employeeId) }))}
            initial={Object.fromEntries(shown.map((x) => [x.type, x.days]))} button={t("Save the days")} onCancel={onClose}
            submit={(v: Values, key) => put("/school-admin/leave/entitlements", body((type) => number(v[type])), { key })}
            onDone={() => { changed(); say(t("The days a year are saved."), () => put("/school-admin/leave/entitlements", before)); onClose() }} />
        )
      }}</Ready>
    </Dialog>
  )
}

function general(all: { type: Kind; days: number | null; isOwn: boolean }[], type: Kind, employeeId: string | undefined): string {
  const x = all.find((e) => e.type === type)
  if (!employeeId || !x || x.isOwn) return ""
  return x.days === null ? t("For all: no limit.") : t("For all: {n} days.", { n: x.days })
}
