import { get, post } from "../../api/client"
import { changed, useGet, useLoad } from "../../shell/load"
import { go, query } from "../../shell/router"
import { say } from "../../shell/toast"
import { Card, Ready } from "../../ui/basics"
import { Form, type Values } from "../../ui/form"
import { personField, type Person } from "../../ui/person"
import { fullName, money, today } from "../../words/format"
import { t } from "../../words/words"

/** One student by hand: a broken window, a trip, a lost book. */
export function ChargeOne() {
  const student = query.value.get("student")
  const heads = useGet("/school-admin/fee/head/list", { limit: 100 })
  const person = useLoad(`person ${student}`, (signal) => (student ? loadStudent(student, signal) : Promise.resolve(null)))
  return <Card><Ready of={person}>{(p) => <One key={p?.id} person={p}
    heads={heads.data?.items.filter((h) => !h.system).map((h) => ({ value: h.id, text: h.name })) ?? []} />}</Ready></Card>
}

/** A student as the person of a form. The statement has the name for those who may only read fees. */
export async function loadStudent(id: string, signal: AbortSignal): Promise<Person> {
  const { student: s } = await get("/school-admin/fee/report/{studentId}", undefined, { path: { studentId: id }, signal })
  return { kind: "student", id, name: fullName({ firstName: s.firstName ?? s.admissionNo, lastName: s.lastName }), note: [s.className, s.divisionName].filter(Boolean).join(" ") }
}

function One({ person, heads }: { person: Person | null; heads: { value: string; text: string }[] }) {
  async function submit(v: Values, key: string) {
    const { studentId, feeHeadId, name, ...rest } = v as { studentId: Person; feeHeadId?: string; name?: string; amount: number }
    return post("/school-admin/fee/charge/create", { ...rest, studentId: studentId.id,
      ...(feeHeadId === "new" ? { name: name ?? "" } : { feeHeadId: feeHeadId ?? null }) }, { key })
  }
  return (
    <Form button={t("Charge the student")} initial={{ studentId: person, dueDate: today() }} submit={submit}
      onDone={(r) => {
        const c = r as { id: string; studentId: string; title: string; amount: number }
        changed()
        say(t("{title}: {sum} charged.", { title: c.title, sum: money(c.amount) }),
          () => post("/school-admin/fee/charge/{id}/void", { reason: t("Entered by mistake") }, { path: { id: c.id } }))
        go(`/app/fees/students/${c.studentId}`)
      }}
      fields={[
        personField("studentId", t("Student"), ["student"]),
        { name: "feeHeadId", label: t("For what"), kind: "select", required: true, options: [...heads, { value: "new", text: t("something new…") }] },
        { name: "name", label: t("Name of the fee head"), required: true, hidden: (v) => v.feeHeadId !== "new" },
        { name: "amount", label: t("Amount"), kind: "money", required: true, min: 0.01 }, { name: "dueDate", label: t("Due on"), kind: "date" },
        { name: "note", label: t("Note for the family"), wide: true },
      ]} />
  )
}
