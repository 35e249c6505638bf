import { useState } from "preact/hooks"
import { post } from "../../api/client"
import { may } from "../../api/session"
import { useKey } from "../../shell/keys"
import { changed } from "../../shell/load"
import { query } from "../../shell/router"
import { say, sayFault } from "../../shell/toast"
import { Button, Head, LinkButton, Who } from "../../ui/basics"
import { useClasses, useDivisions } from "../../ui/choices"
import { List, type Column } from "../../ui/list"
import { when } from "../../words/format"
import { n, t } from "../../words/words"
import { EnterLeave, findable } from "./enter"
import { LeaveDialog } from "./one"
import { datesOf, daysOf, kindOf, kinds, nameOf, StateBadge, states, type Leave } from "./words"

const columns = (): Column<Leave>[] => [
  { key: "name", label: t("Name"), text: nameOf,
    cell: (l) => <Who name={nameOf(l)} href={l.studentId ? `/app/students/${l.studentId}` : `/app/staff/${l.employeeId}`}
      note={l.className ? `${l.className} ${l.divisionName ?? ""}` : t("staff")} /> },
  { key: "dates", label: t("Days"), sort: "fromDate", text: datesOf, cell: (l) => <span class="nowrap">{datesOf(l)}</span> },
  { key: "length", label: t("Length"), text: daysOf, cell: (l) => <span class="muted nowrap">{daysOf(l)}</span>, hide: "sm" },
  { key: "type", label: t("Kind"), text: kindOf, cell: kindOf, hide: "md" },
  { key: "reason", label: t("Reason"), rest: true, text: (l) => l.reason, cell: (l) => l.reason && <span class="one">{l.reason}</span>, hide: "md" },
  { key: "applied", label: t("Applied"), sort: "createdAt", text: (l) => l.createdAt, cell: (l) => <span class="nowrap muted">{when(l.createdAt)}</span>, hide: "md" },
  { key: "status", label: t("Status"), text: (l) => states().find((s) => s.value === l.status)?.text, cell: (l) => <StateBadge leave={l} /> },
]

/** Approves or rejects leave. */
async function decide(l: Leave, approve: boolean, decisionNote?: string): Promise<void> {
  const body = decisionNote ? { decisionNote } : {}
  const o = { path: { id: l.id }, key: crypto.randomUUID() }
  await (approve ? post("/school-admin/leave/{id}/approve", body, o) : post("/school-admin/leave/{id}/reject", body, o))
}

/** Takes the decision back: the leave waits again. */
export function reopen(l: Leave): Promise<unknown> { return post("/school-admin/leave/{id}/reopen", {} as never, { path: { id: l.id } }) }

/** Decides, and offers the way back. */
export async function decideNow(l: Leave, approve: boolean, note?: string): Promise<boolean> {
  const text = approve ? t("The leave of {name} is approved.", { name: nameOf(l) }) : t("The leave of {name} is rejected.", { name: nameOf(l) })
  try {
    await decide(l, approve, note)
    changed()
    say(text, () => reopen(l))
    return true
  } catch (e) {
    sayFault(e)
    return false
  }
}

const open = (rows: Leave[]) => rows.filter((l) => l.status === "PENDING")

async function decideAll(rows: Leave[], approve: boolean): Promise<void> {
  const done: Leave[] = []
  try {
    for (const l of open(rows)) { await decide(l, approve); done.push(l) }
  } catch (e) { sayFault(e) }
  changed()
  if (done.length === 0) return
  const text = approve ? n(done.length, "{n} leave is approved.", "{n} leaves are approved.") : n(done.length, "{n} leave is rejected.", "{n} leaves are rejected.")
  say(text, async () => { for (const l of done) await reopen(l) })
}

export default function LeaveList() {
  const [creating, setCreating] = useState(false)
  const [shown, show] = useState<Leave>()
  const classes = useClasses()
  const divisions = useDivisions(query.value.get("classId"))
  const writes = may("write", "leave")
  const enters = writes && findable().length > 0
  useKey("n", t("Enter leave"), () => { if (enters) setCreating(true) })
  return (
    <>
      <Head title={t("Leave")}>
        <LinkButton href="/app/leave?status=PENDING" icon="clock">{t("To decide")}</LinkButton>
        <LinkButton href="/app/leave/balances" icon="list">{t("Balances")}</LinkButton>
        {enters && <Button kind="go" icon="plus" hint="N" onClick={() => setCreating(true)}>{t("Enter leave")}</Button>}
      </Head>
      <List path="/school-admin/leave/list" name="leave" columns={columns()} open={(l) => show(l)}
        filters={[
          { name: "status", label: t("Status"), options: states() }, { name: "type", label: t("Kind"), options: kinds() },
          { name: "applicantType", label: t("Who"), options: [{ value: "STUDENT", text: t("students") }, { value: "EMPLOYEE", text: t("staff") }] },
          { name: "classId", label: t("Class"), options: classes.options }, { name: "divisionId", label: t("Division"), options: divisions.options },
          { name: "from", label: t("From"), kind: "date" }, { name: "to", label: t("To"), kind: "date" },
        ]}
        bulk={[
          { icon: "check", text: (rows) => n(open(rows).length, "Approve {n}", "Approve {n}"), hidden: !writes,
            run: (rows, clear) => { void decideAll(rows, true).then(clear) } },
          { icon: "flag", text: (rows) => n(open(rows).length, "Reject {n}", "Reject {n}"), hidden: !writes,
            run: (rows, clear) => { void decideAll(rows, false).then(clear) } },
        ]}
        rowActions={(l) => (
          <>
            {writes && l.status === "PENDING" && <>
              <Button size="sm" icon="check" onClick={() => void decideNow(l, true)}>{t("Approve")}</Button>
              <Button size="sm" onClick={() => void decideNow(l, false)}>{t("Reject")}</Button>
            </>}
            <Button size="sm" kind="plain" icon="right" aria-label={t("Open the leave of {name}", { name: nameOf(l) })} onClick={() => show(l)} />
          </>
        )}
        empty={{ icon: "door", title: t("No leave yet"), text: t("Applications of parents and staff are listed here.") }} />
      {shown && <LeaveDialog id={shown.id} onClose={() => show(undefined)} />}
      {creating && <EnterLeave onClose={() => setCreating(false)} />}
    </>
  )
}
