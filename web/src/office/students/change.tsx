// What the office does with one student: edit, move, photo, leave, archive, erase, export.
import { useState } from "preact/hooks"
import { get, post, put, remove, upload } from "../../api/client"
import type { Input } from "../../api/contract"
import { changed } from "../../shell/load"
import { go } from "../../shell/router"
import { say, sayFault } from "../../shell/toast"
import { Banner } from "../../ui/basics"
import { useClasses, useDivisions } from "../../ui/choices"
import { saveBlob } from "../../ui/csv"
import { Dialog } from "../../ui/dialog"
import { Form, type FieldSpec, type Values } from "../../ui/form"
import { RecordDialog } from "../../ui/record"
import { fullName, today } from "../../words/format"
import { t } from "../../words/words"
import type { Student } from "./sections"
import { bloodGroups, genders, statuses } from "./words"

export type StudentChange = Input<"/school-admin/student/{id}", "put">
interface Props { student: Student; onClose: () => void }

/** The fields of a person that admission and edit share. */
export const personFields = (): FieldSpec[] => [
  { name: "firstName", label: t("First name"), required: true }, { name: "lastName", label: t("Last name") },
  { name: "dateOfBirth", label: t("Date of birth"), kind: "date", max: today() }, { name: "gender", label: t("Gender"), kind: "select", options: genders() },
]
export const contactFields = (): FieldSpec[] => [
  { name: "address", label: t("Address"), kind: "textarea" },
  { name: "phone", label: t("Phone of the child"), kind: "phone" }, { name: "email", label: t("E-mail of the child"), kind: "email" },
  { name: "bloodGroup", label: t("Blood group"), kind: "select", options: bloodGroups },
  { name: "medicalNotes", label: t("Health notes"), kind: "textarea", help: t("Seen by the office, the class teacher and the parents.") },
  { name: "rideNotes", label: t("Notes for the ride"), kind: "textarea", help: t("Seen by the driver on the day of the trip, too: allergies, seizures, who waits at the stop.") },
]

/** Saves, and offers to put the old values back. */
export async function saveStudent(student: Student, v: Values, key: string, text: string): Promise<void> {
  await put("/school-admin/student/{id}", v as StudentChange, { path: { id: student.id }, key })
  const old = Object.fromEntries(Object.keys(v).filter((k) => k !== "version").map((k) => [k, (student as unknown as Values)[k] ?? null]))
  say(text, () => put("/school-admin/student/{id}", old as StudentChange, { path: { id: student.id } }))
}

export function EditStudent({ student, onClose }: Props) {
  const first = student.emergencyContacts[0]
  const fields: FieldSpec[] = [
    ...personFields(), { name: "admissionNo", label: t("Admission number"), required: true }, { name: "admissionDate", label: t("Admitted on"), kind: "date" },
    { name: "rollNo", label: t("Roll number"), kind: "number", min: 0 }, ...contactFields(),
    { name: "contactName", label: t("Emergency contact"), title: t("In an emergency, besides the guardians") }, { name: "contactPhone", label: t("Phone"), kind: "phone" },
    { name: "contactRelation", label: t("Relation") },
  ]
  const whole = ({ contactName, contactPhone, contactRelation, ...v }: Values) => ({
    ...v, emergencyContacts: [...(contactName || contactPhone ? [{ name: contactName ?? null, phone: contactPhone ?? null, relation: contactRelation ?? null }] : []),
      ...student.emergencyContacts.slice(1)],
  })
  const record = (s: Student) => ({ ...s, contactName: s.emergencyContacts[0]?.name, contactPhone: s.emergencyContacts[0]?.phone,
    contactRelation: s.emergencyContacts[0]?.relation }) as Values & { version: number }
  const before: Values = { contactName: first?.name ?? null, contactPhone: first?.phone ?? null, contactRelation: first?.relation ?? null }
  return (
    <RecordDialog title={t("Edit {name}", { name: fullName(student) })} fields={fields} record={record(student)} wide
      save={(v, key) => saveStudent(student, whole({ ...before, ...v }), key, t("{name} is saved.", { name: fullName(student) }))}
      latest={async () => record(await get("/school-admin/student/{id}", undefined, { path: { id: student.id } }))} onClose={onClose} />
  )
}

export function MoveStudent({ student, onClose }: Props) {
  const classes = useClasses()
  const divisions = useDivisions()
  const fields: FieldSpec[] = [
    { name: "classId", label: t("Class"), kind: "select", options: classes.options, required: true },
    { name: "divisionId", label: t("Division"), kind: "select",
      options: (v) => divisions.items.filter((d) => d.classId === v.classId).map((d) => ({ value: d.id, text: seats(d) })) },
    { name: "rollNo", label: t("Roll number"), kind: "number", min: 1, help: t("Empty: none until the division is numbered anew.") },
  ]
  return (
    <RecordDialog title={t("Move {name}", { name: fullName(student) })} fields={fields}
      record={{ classId: student.classId, divisionId: student.divisionId, version: student.version }} button={t("Move")}
      save={async (v, key) => {
        const fits = divisions.items.some((d) => d.id === v.divisionId && d.classId === v.classId)
        const rollNo = v.rollNo ?? (v.divisionId === student.divisionId ? student.rollNo : null)
        await saveStudent(student, { ...v, divisionId: fits ? v.divisionId : null, rollNo }, key, t("{name} is moved.", { name: fullName(student) }))
      }} onClose={onClose} />
  )
}

/** "A, 14 of 20 seats". */
export function seats(d: { name: string; students: number; capacity: number | null }): string {
  return d.capacity === null ? t("{name}, {n} students", { name: d.name, n: d.students }) : t("{name}, {n} of {capacity} seats",
    { name: d.name, n: d.students, capacity: d.capacity })
}

export function LeaveSchool({ student, onClose }: Props) {
  const fields: FieldSpec[] = [
    { name: "status", label: t("How"), kind: "select", required: true, options: statuses().filter((s) => s.value !== "ACTIVE") },
    { name: "leavingDate", label: t("Last day"), kind: "date", required: true }, { name: "leavingReason", label: t("Reason"), kind: "textarea" },
  ]
  return (
    <RecordDialog title={t("{name} leaves the school", { name: fullName(student) })} fields={fields}
      record={{ status: "LEFT", leavingDate: today(), version: student.version }} button={t("Record the leaving")}
      save={async (v, key) => {
        await put("/school-admin/student/{id}", v as StudentChange, { path: { id: student.id }, key })
        say(t("{name} has left the school.", { name: fullName(student) }), () => comeBack(student))
      }} onClose={onClose} />
  )
}

export async function comeBack(student: Student): Promise<void> {
  await put("/school-admin/student/{id}", { status: "ACTIVE", leavingDate: null, leavingReason: null }, { path: { id: student.id } })
}

export async function setPhoto(student: Student, file: File): Promise<void> {
  try {
    const photoFileId = await uploadPhoto(file)
    await put("/school-admin/student/{id}", { photoFileId }, { path: { id: student.id } })
    changed()
    say(t("The photo is saved."), () => put("/school-admin/student/{id}", { photoFileId: null }, { path: { id: student.id } }))
  } catch (e) {
    sayFault(e)
  }
}

const photos = new WeakMap<File, string>() // uploaded once, also if the form is sent again

export async function uploadPhoto(file: File): Promise<string> {
  const id = photos.get(file) ?? await sendPhoto(file)
  photos.set(file, id)
  return id
}

async function sendPhoto(file: File): Promise<string> {
  const form = new FormData()
  form.append("purpose", "STUDENT_PHOTO")
  form.append("file", file)
  return ((await upload("/school-admin/file/upload", form)) as { id: string }).id
}

export async function exportData(student: Student): Promise<void> {
  try {
    const data = await get("/school-admin/student/{id}/data-export", undefined, { path: { id: student.id } })
    saveBlob(new Blob([JSON.stringify(data, null, 2)], { type: "application/json" }), `${student.admissionNo}.json`)
  } catch (e) {
    sayFault(e)
  }
}

/** What nothing brings back: the person types the name. */
export function GoneForGood({ student, erase, onClose }: Props & { erase: boolean }) {
  const name = fullName(student)
  const [wrong, setWrong] = useState(false)
  const submit = async (v: Values, key: string) => {
    const typed = String(v.name ?? "").trim() === name
    setWrong(!typed)
    if (!typed) return false
    if (erase) await post("/school-admin/student/{id}/erase", { confirm: student.admissionNo }, { path: { id: student.id }, key })
    else await remove("/school-admin/student/{id}", { path: { id: student.id } })
    return true
  }
  const done = (gone: unknown) => {
    if (!gone) return
    go("/app/students")
    changed()
    say(erase ? t("The personal data of the student is erased.") : t("{name} is archived.", { name }))
  }
  return (
    <Dialog title={erase ? t("Erase the data of {name}", { name }) : t("Archive {name}", { name })} onClose={onClose}>
      <Banner tone="bad" icon="alert">{erase
        ? t("Name, contacts, photo, health notes, messages and leave are erased, also of guardians without another child. Marks and amounts stay without a name. Nothing brings it back.")
        : t("The student disappears from every list; the data is kept. Use this for a record made by mistake. A child who leaves is recorded as leaving.")}</Banner>
      <Form single fields={[{ name: "name", label: t("To confirm, type {name}", { name }), required: true }]} button={erase ? t("Erase for good") : t("Archive")}
        submit={submit} onDone={done} onCancel={onClose} />
      {wrong && <p class="error" role="alert">{t("That is not the name of the student.")}</p>}
    </Dialog>
  )
}
