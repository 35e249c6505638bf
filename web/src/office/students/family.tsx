// Guardians, brothers and sisters of a student: call, add, change rights, remove.
import { useState } from "preact/hooks"
import { post, put, remove } from "../../api/client"
import { may } from "../../api/session"
import type { Row } from "../../api/contract"
import { changed } from "../../shell/load"
import { say, sayFault } from "../../shell/toast"
import { Avatar, Badge, Button, Card, Icon } from "../../ui/basics"
import { Menu } from "../../ui/dialog"
import type { FieldSpec, Values } from "../../ui/form"
import { RecordDialog } from "../../ui/record"
import { fullName } from "../../words/format"
import { t } from "../../words/words"
import type { Link, Student } from "./sections"
import { named, relations } from "./words"

type Guardian = Row<"/school-admin/guardian/list">
type NewGuardian = Parameters<typeof post<"/school-admin/student/{id}/guardians">>[1]

const rights = (): FieldSpec[] => [
  { name: "relation", label: t("Relation"), kind: "select", options: relations(), required: true },
  { name: "isPrimary", label: t("First to call"), kind: "switch" },
  { name: "canViewData", label: t("Sees marks, attendance and fees"), kind: "switch" },
  { name: "canPickUp", label: t("May collect the child"), kind: "switch" },
]

const fieldsOfNew = (): FieldSpec[] => [
  { name: "name", label: t("Name"), required: true },
  { name: "phone", label: t("Phone"), kind: "phone", help: t("A phone that the school knows links the person who has it."), placeholder: "+1 555 010 0000" },
  { name: "email", label: t("E-mail"), kind: "email" }, ...rights(),
]

/** Children of the same guardians. */
export function siblingsOf(guardians: Guardian[], studentId: string): Guardian["children"] {
  const found = new Map(guardians.flatMap((g) => g.children).map((c) => [c.studentId, c]))
  found.delete(studentId)
  return [...found.values()]
}

export function Family({ student, guardians }: { student: Student; guardians: Guardian[] | undefined }) {
  const [adding, setAdding] = useState(false)
  const [editing, setEditing] = useState<Link>()
  const writes = may("write", "student")
  const siblings = siblingsOf(guardians ?? [], student.id)
  return (
    <Card title={t("Family")} action={writes && <Button kind="plain" size="sm" icon="plus" onClick={() => setAdding(true)}>{t("Add a guardian")}</Button>} flush>
      <ul class="list family">
        {student.guardians.map((g) => <GuardianLine key={g.id} student={student} link={g} app={!!guardians?.find((x) => x.id === g.id)?.userId} edit={() => setEditing(g)} />)}
        {student.guardians.length === 0 && <li class="muted">{t("No guardian yet. Nobody is told when the child is absent.")}</li>}
        {siblings.map((c) => (
          <li key={c.studentId}><Avatar name={fullName(c)} size="md" />
            <div class="grow"><a href={`/app/students/${c.studentId}`}><bdi>{fullName(c)}</bdi></a><p>
              {[t("Brother or sister"), c.className && `${c.className} ${c.divisionName ?? ""}`].filter(Boolean).join(", ")}</p></div></li>
        ))}
      </ul>
      {adding && <RecordDialog title={t("Add a guardian")} fields={fieldsOfNew()} record={{ relation: "MOTHER", canViewData: true, canPickUp: true }} button={t("Add the guardian")}
        save={(v, key) => add(student, v, key)} onClose={() => setAdding(false)} />}
      {editing && <RecordDialog title={editing.name} fields={rights()} record={{ ...editing, version: student.version }} save={(v, key) => change(student, editing, v, key)}
        onClose={() => setEditing(undefined)} />}
    </Card>
  )
}

function GuardianLine({ student, link: g, app, edit }: { student: Student; link: Link; app: boolean; edit: () => void }) {
  const facts = [named(relations(), g.relation), g.isPrimary && t("first to call"), app && t("uses the app"), !g.canPickUp && t("may not collect"),
    !g.canViewData && t("sees no data")]
  return (
    <li><Avatar name={g.name} size="md" />
      <div class="grow"><a href={`/app/guardians/${g.id}`}><bdi>{g.name}</bdi></a><p>{facts.filter(Boolean).join(", ")}</p>
        {!g.canPickUp && <Badge tone="warn">{t("Do not hand over")}</Badge>}</div>
      {g.phone && <a class="btn icon" href={`tel:${g.phone}`} aria-label={t("Call {name}", { name: g.name })}><Icon name="phone" /></a>}
      <Menu label={t("More about {name}", { name: g.name })} items={[
        { text: g.phone ?? t("No phone"), icon: "phone", href: g.phone ? `tel:${g.phone}` : `/app/guardians/${g.id}` },
        { text: t("Write"), icon: "chat", href: `/app/messages?to=${student.id}`, hidden: !may("write", "message") || !app },
        { text: t("Relation and rights"), icon: "pen", run: edit, hidden: !may("write", "student") },
        { text: t("Take away from this child"), icon: "x", danger: true, run: () => void unlink(student, g), hidden: !may("delete", "student") },
      ]} />
    </li>
  )
}

async function add(student: Student, v: Values, key: string): Promise<void> {
  const before = student.guardians.map((g) => g.id)
  const after = await post("/school-admin/student/{id}/guardians", v as NewGuardian, { path: { id: student.id }, key })
  const fresh = after.guardians.find((g) => !before.includes(g.id))
  say(t("{name} is a guardian of {child}.", { name: String(v.name), child: student.firstName }),
    fresh && (() => remove("/school-admin/student/{id}/guardians/{guardianId}", { path: { id: student.id, guardianId: fresh.id } })))
}

/** Changes the relation and rights of one guardian; the others are sent as they are, because a list replaces them all. */
async function change(student: Student, link: Link, v: Values, key: string): Promise<void> {
  const all = (one: Values) => student.guardians.map((g) => ({ ...linkOf(g), ...(g.id === link.id ? one : one.isPrimary ? { isPrimary: false } : {}) }))
  const saved = await put("/school-admin/student/{id}", { guardians: all({ ...v, version: undefined }), version: v.version as number }, { path: { id: student.id }, key })
  say(t("The rights of {name} are saved.", { name: link.name }),
    () => put("/school-admin/student/{id}", { guardians: student.guardians.map(linkOf), version: saved.version }, { path: { id: student.id } }))
}

function linkOf(g: Link) { return { id: g.id, relation: g.relation, isPrimary: g.isPrimary, canViewData: g.canViewData, canPickUp: g.canPickUp } }

async function unlink(student: Student, g: Link): Promise<void> {
  try {
    await remove("/school-admin/student/{id}/guardians/{guardianId}", { path: { id: student.id, guardianId: g.id } })
    changed()
    say(t("{name} is no guardian of {child} any more.", { name: g.name, child: student.firstName }), () => post("/school-admin/student/{id}/guardians", {
      name: g.name, relation: g.relation, isPrimary: g.isPrimary, canViewData: g.canViewData, canPickUp: g.canPickUp, ...(g.phone && { phone: g.phone }),
        ...(g.email && { email: g.email }),
    }, { path: { id: student.id } }))
  } catch (e) {
    sayFault(e)
  }
}
