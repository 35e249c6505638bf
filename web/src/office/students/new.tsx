// Admission: a form that the keyboard fills in, with the guardians; then the profile opens.
import { useEffect, useRef } from "preact/hooks"
import { post, remove } from "../../api/client"
import type { Input, Reply } from "../../api/contract"
import { may } from "../../api/session"
import { useKept } from "../../shell/kept"
import { changed } from "../../shell/load"
import { go, query } from "../../shell/router"
import { say } from "../../shell/toast"
import { Button, Card, Head, State } from "../../ui/basics"
import { useClasses, useDivisions } from "../../ui/choices"
import { Form, type FieldSpec, type Values } from "../../ui/form"
import { fullName, today } from "../../words/format"
import { t } from "../../words/words"
import { contactFields, personFields, seats, uploadPhoto } from "./change"
import { relations } from "./words"

type NewStudent = Input<"/school-admin/student/create", "post">
type Created = Reply<"/school-admin/student/create", "post">

const most = 4 // guardians on the form; more can be added on the profile

export default function Admit() {
  const more = useRef(false)
  const [guardians, setGuardians] = useKept("guardians", 1, more)
  more.current = guardians > 1
  const classes = useClasses()
  const divisions = useDivisions()
  const chosen = query.value.get("classId") ?? "" // its class is shown once the classes are there
  const ready = !chosen || classes.data !== undefined
  useEffect(() => { requestAnimationFrame(() => document.querySelector<HTMLElement>("main form input")?.focus()) }, [ready])
  if (!may("write", "student")) return <State icon="lock" title={t("This page is not open to you")} />
  const fields: FieldSpec[] = [
    { ...personFields()[0]!, title: t("The child") }, ...personFields().slice(1),
    { name: "classId", label: t("Class"), kind: "select", options: classes.options, title: t("Place") },
    { name: "divisionId", label: t("Division"), kind: "select", hidden: (v) => !v.classId,
      options: (v) => divisions.items.filter((d) => d.classId === v.classId).map((d) => ({ value: d.id, text: seats(d) })) },
    { name: "admissionNo", label: t("Admission number"), help: t("Empty: the next number.") }, { name: "admissionDate", label: t("Admitted on"), kind: "date" },
    ...Array.from({ length: guardians }, (_, i) => guardianFields(i)).flat(),
    { ...contactFields()[0]!, title: t("More") }, ...contactFields().slice(1), { name: "photo", label: t("Photo"), kind: "file" },
  ]
  return (
    <>
      <Head title={t("Admit a student")} sub={t("Only the first name must be filled in. The rest can follow.")} />
      <div class="narrow"><Card>
        <Form key={String(ready)} fields={fields} button={t("Admit")}
          initial={{ admissionDate: today(), classId: chosen,
            ...Object.fromEntries(Array.from({ length: most }, (_, i) => [`guardians[${i}].relation`, i === 1 ? "FATHER" : i === 0 ? "MOTHER" : "GUARDIAN"])) }}
          submit={admit} onDone={(r) => welcome(r as Created)} onCancel={() => go("/app/students")}
          secondary={<>{guardians < most && <Button icon="plus" onClick={() => setGuardians(guardians + 1)}>{t("Another guardian")}</Button>}<span class="faint small hide-sm">
            <kbd>Ctrl</kbd> <kbd>Enter</kbd> {t("admits")}</span></>} />
      </Card></div>
    </>
  )
}

function guardianFields(i: number): FieldSpec[] {
  const name = (field: string) => `guardians[${i}].${field}`
  return [
    { name: name("name"), label: t("Name"), title: i === 0 ? t("Guardian, first to call") : t("Guardian {n}", { n: i + 1 }) },
    { name: name("relation"), label: t("Relation"), kind: "select", options: relations(), required: true },
    { name: name("phone"), label: t("Phone"), kind: "phone", placeholder: "+1 555 010 0000", help: t("With the country. A phone that the school knows links the family.") },
    { name: name("email"), label: t("E-mail"), kind: "email" },
  ]
}

async function admit(v: Values, key: string): Promise<Created> {
  const { photo, ...rest } = v
  const body: Values = {}
  const guardians: Values[] = []
  for (const [name, value] of Object.entries(rest)) {
    const at = /^guardians\[(\d)\]\.(\w+)$/.exec(name)
    if (value === null || value === "") continue
    if (at) guardians[Number(at[1])] = { ...guardians[Number(at[1])], [at[2]!]: value }
    else body[name] = value
  }
  const named = guardians.filter((g) => g.name || g.phone || g.email).map((g, i) => ({ isPrimary: i === 0, ...g }))
  if (photo instanceof File) body.photoFileId = await uploadPhoto(photo)
  return post("/school-admin/student/create", { ...body, guardians: named } as NewStudent, { key })
}

function welcome(s: Created): void {
  go(`/app/students/${s.id}`)
  changed()
  say(t("{name} is admitted as {no}.", { name: fullName(s), no: s.admissionNo }), may("delete", "student") ? async () => {
    await remove("/school-admin/student/{id}", { path: { id: s.id } })
    go("/app/students")
  } : undefined)
}
