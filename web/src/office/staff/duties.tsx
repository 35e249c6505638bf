// What depends on a member of staff, and handing it to a colleague, also when the person leaves.
import { useState } from "preact/hooks"
import { address, post, put, remove } from "../../api/client"
import type { Reply } from "../../api/contract"
import { changed, useGet } from "../../shell/load"
import { go } from "../../shell/router"
import { say } from "../../shell/toast"
import { Banner, Button, Card, Ready, State } from "../../ui/basics"
import { useEmployees } from "../../ui/choices"
import { Dialog } from "../../ui/dialog"
import { Form, type FieldSpec, type Values } from "../../ui/form"
import { date, fullName } from "../../words/format"
import { n, t } from "../../words/words"
import type { Employee } from "./form"

type Duty = Reply<"/school-admin/employee/{id}/duties", "get">["duties"][number]

const groups = (): [Duty["kind"], string][] => [
  ["ASSIGNMENT", t("Classes and subjects")], ["LESSON", t("Lessons")], ["BUS", t("Buses")], ["TRIP", t("Trips")], ["LOAN", t("Library books")], ["LEAVE", t("Leave to decide")],
]

function counted(d: Duty): string {
  if (d.kind === "LESSON") return n(d.count, "{n} lesson a week", "{n} lessons a week")
  if (d.kind === "TRIP") return n(d.count, "{n} trip", "{n} trips")
  return d.date ? (d.kind === "LOAN" ? t("back by {date}", { date: date(d.date) }) : date(d.date)) : ""
}

export function Duties({ employeeId, handOver }: { employeeId: string; handOver: () => void }) {
  const loaded = useGet("/school-admin/employee/{id}/duties", undefined, { id: employeeId })
  return (
    <Card title={t("Depends on this person")}
      action={!!loaded.data?.duties.some((d) => d.canHandOver) && <Button size="sm" icon="swap" onClick={handOver}>{t("Hand over")}</Button>} flush>
      <Ready of={loaded} rows={4}>{({ duties }) => duties.length === 0 ? <State icon="check" title={t("Nothing depends on this person")} /> : <Groups duties={duties} />}</Ready>
    </Card>
  )
}

function Groups({ duties }: { duties: Duty[] }) {
  return (
    <div class="scroll"><table>
      {groups().map(([kind, label]) => {
        const of = duties.filter((d) => d.kind === kind)
        if (of.length === 0) return null
        return <tbody key={kind}><tr class="part"><th scope="rowgroup" colSpan={2}>{label} <span class="faint">{of.length}</span></th></tr>
          {of.map((d) => <tr key={d.kind + d.id}><td>{d.name}</td><td class="muted num">{counted(d)}</td></tr>)}</tbody>
      })}
    </table></div>
  )
}

/** Leaving, archiving or only handing over: each can name the colleague who takes the duties. */
export function LeaveStaff({ employee: e, how, onClose }: { employee: Employee; how: "leave" | "archive" | "hand-over"; onClose: () => void }) {
  const name = fullName(e)
  const [wrong, setWrong] = useState(false)
  const [given, setGiven] = useState(false)
  const duties = useGet("/school-admin/employee/{id}/duties", undefined, { id: e.id })
  const others = useEmployees(e.type === "SCHOOL_ADMIN" ? {} : { type: e.type })
  const moving = duties.data?.duties.filter((d) => d.canHandOver).length ?? 0
  const path = { id: e.id }
  const fields: FieldSpec[] = [
    { name: "to", label: t("Colleague who takes the duties"), kind: "select", required: how === "hand-over", options: others.options.filter((o) => o.value !== e.id) },
    ...(how === "archive" ? [{ name: "name", label: t("To confirm, type {name}", { name }), required: true }] : []),
  ]
  const submit = async (v: Values, key: string) => {
    const handOverTo = (v.to as string | undefined) || undefined
    setGiven(!!handOverTo)
    if (how === "hand-over") return post("/school-admin/employee/{id}/hand-over", { toEmployeeId: handOverTo! }, { path, key })
    if (how === "leave") return put("/school-admin/employee/{id}", { status: "RESIGNED", ...(handOverTo && { handOverTo }), version: e.version }, { path, key })
    const typed = String(v.name ?? "").trim() === name
    setWrong(!typed)
    if (typed) await remove(address("/school-admin/employee/{id}", path, { handOverTo }) as "/school-admin/employee/{id}")
    return typed
  }
  const done = (ok: unknown) => {
    if (ok === false) return
    onClose()
    if (how === "archive") go("/app/staff")
    changed()
    if (how === "hand-over") say(t("The duties of {name} are handed over.", { name }))
    else if (how === "leave") say(t("{name} has left.", { name }), given ? undefined : () => put("/school-admin/employee/{id}", { status: "ACTIVE" }, { path }))
    else say(t("{name} is archived.", { name }))
  }
  const titles = { leave: t("{name} leaves the school", { name }), archive: t("Archive {name}", { name }), "hand-over": t("Hand over the duties of {name}", { name }) }
  const buttons = { leave: t("Record the leaving"), archive: t("Archive"), "hand-over": t("Hand over") }
  return (
    <Dialog title={titles[how]} onClose={onClose}>
      {moving > 0 ? <p>{n(moving, "{n} duty moves: classes, lessons, buses and trips, all at once.",
        "{n} duties move: classes, lessons, buses and trips, all at once.")}</p> : <p class="muted">{t("Nothing depends on this person.")}</p>}
      {how !== "hand-over" && moving > 0 && <Banner tone="warn" icon="info">{t("Without a colleague, the lessons need cover every day.")}</Banner>}
      {how === "archive" && <Banner tone="bad" icon="alert">{t("The account ends, and the person disappears from every list. Use this for a record made by mistake.")}</Banner>}
      <Form single fields={fields} button={buttons[how]} submit={submit} onDone={done} onCancel={onClose} />
      {wrong && <p class="error" role="alert">{t("That is not the name of the person.")}</p>}
    </Dialog>
  )
}

