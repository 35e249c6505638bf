// Reminding families: who gets it, by which channel, and what it costs, before it goes out.
import { useEffect, useState } from "preact/hooks"
import { post } from "../../api/client"
import type { Reply } from "../../api/contract"
import { asFault, useLoad } from "../../shell/load"
import { say } from "../../shell/toast"
import { Facts, Ready } from "../../ui/basics"
import { useClasses } from "../../ui/choices"
import { Dialog } from "../../ui/dialog"
import { Form, type FieldSpec, type Values } from "../../ui/form"
import { count, money } from "../../words/format"
import { n, t } from "../../words/words"

type Reach = Reply<"/school-admin/fee/reminder/preview", "post">

/** Reminds the given students; without them, a class or everybody who owes. */
export function ReminderDialog({ studentIds, onClose }: { studentIds?: string[] | undefined; onClose: (sent: boolean) => void }) {
  const classes = useClasses()
  const fields: FieldSpec[] = [
    ...(studentIds ? [] : [{ name: "classId", label: t("Class"), kind: "select", options: classes.options, help: t("Without one: the whole school.") } as FieldSpec]),
    { name: "minDue", label: t("Only from this amount"), kind: "money", min: 0 },
    { name: "overdueOnly", label: t("Only what is late"), kind: "switch", wide: true },
    { name: "message", label: t("Your words"), kind: "textarea", help: t("Without them, the message names the child and the amount.") },
  ]
  const [reach, setReach] = useState<Reach>()
  return (
    <Dialog title={studentIds ? n(studentIds.length, "Remind the family of {n} student", "Remind the families of {n} students") : t("Remind families of what is due")}
      onClose={() => onClose(false)} wide>
      <Form fields={fields} initial={{ overdueOnly: true }} button={reach ? n(reach.families, "Send to {n} family", "Send to {n} families") : t("Send")}
        onCancel={() => onClose(false)}
        submit={async (v, key) => post("/school-admin/fee/reminder/send", bodyOf(v, studentIds), { key })}
        onDone={(r) => { say(n((r as Reach).families, "{n} family is reminded.", "{n} families are reminded.")); onClose(true) }}>
        {(v) => <Preview body={bodyOf(v, studentIds)} tell={setReach} />}
      </Form>
    </Dialog>
  )
}

function bodyOf(v: Values, studentIds: string[] | undefined) {
  return {
    ...(studentIds ? { studentIds } : v.classId ? { classId: String(v.classId) } : { all: true }),
    ...(v.minDue ? { minDue: Number(v.minDue) } : {}), overdueOnly: !!v.overdueOnly, ...(v.message ? { message: String(v.message) } : {}),
  }
}

function Preview({ body, tell }: { body: ReturnType<typeof bodyOf>; tell: (r: Reach | undefined) => void }) {
  const wanted = JSON.stringify({ ...body, message: undefined })
  const [asked, setAsked] = useState(wanted)
  useEffect(() => { const timer = setTimeout(() => setAsked(wanted), 250); return () => clearTimeout(timer) }, [wanted])
  const reach = useLoad(`reminder ${asked}`, () => post("/school-admin/fee/reminder/preview", JSON.parse(asked) as typeof body).catch((e: unknown) => { throw asFault(e) }))
  useEffect(() => tell(reach.data), [reach.data])
  return (
    <div class="well" role="status"><Ready of={reach} rows={3}>{(r) => (
      <>
        <b>{r.students === 0 ? t("Nobody would get it.") : n(r.families, "{n} family gets it.", "{n} families get it.")}</b>
        <Facts items={[
          [t("In the app"), count(r.push)], [t("By SMS"), r.smsCost === null ? count(r.sms) : t("{n}, costs {sum}", { n: count(r.sms), sum: money(r.smsCost) })],
          [t("By e-mail"), count(r.email)],
          ...(r.alreadyReminded > 0 ? [[t("Reminded today already, left out"), count(r.alreadyReminded)] as [string, string]] : []),
        ]} />
        {r.smsCost === null && r.sms > 0 && <a href="/app/settings">{t("Say what an SMS costs")}</a>}
      </>
    )}</Ready></div>
  )
}
