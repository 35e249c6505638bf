// Leave that the office enters for a child or an employee; it is approved at once.
import { useRef, useState } from "preact/hooks"
import { post } from "../../api/client"
import { may } from "../../api/session"
import { changed, useGet } from "../../shell/load"
import { say } from "../../shell/toast"
import { Avatar, Button, Segments } from "../../ui/basics"
import { useEmployees } from "../../ui/choices"
import { Dialog } from "../../ui/dialog"
import { Form, type FieldSpec, type Values } from "../../ui/form"
import { fullName, today } from "../../words/format"
import { t } from "../../words/words"
import { kinds, nameOf, type Leave } from "./words"

interface Person { id: string; name: string; note: string }
type NewLeave = Parameters<typeof post<"/school-admin/leave/create">>[1] & object

const fields = (): FieldSpec[] => [
  { name: "type", label: t("Kind"), kind: "select", required: true, options: kinds() },
  { name: "half", label: t("Half day"), kind: "select", options: [{ value: "FIRST", text: t("first half") },
    { value: "SECOND", text: t("second half") }], hidden: (v) => !!v.toDate && v.toDate !== v.fromDate },
  { name: "fromDate", label: t("First day"), kind: "date", required: true }, { name: "toDate", label: t("Last day"), kind: "date", help: t("Without one, it is a single day.") },
  { name: "reason", label: t("Reason"), kind: "textarea" },
]

/** Whose leave this person can enter: of those whom the role may find. */
export function findable(): { value: "STUDENT" | "EMPLOYEE"; text: string }[] {
  return [...(may("read", "student") ? [{ value: "STUDENT" as const, text: t("A child") }] : []),
    ...(may("read", "employee") ? [{ value: "EMPLOYEE" as const, text: t("An employee") }] : [])]
}

export function EnterLeave({ onClose }: { onClose: () => void }) {
  const [who, setWho] = useState(findable()[0]!.value)
  const [person, setPerson] = useState<Person>()
  const typed = useRef<Values>({ fromDate: today(), type: "SICK" }) // stays when it is for someone else
  const submit = (v: Values, key: string) => {
    const filled = Object.fromEntries(Object.entries(v).filter(([, x]) => x !== null && x !== ""))
    return post("/school-admin/leave/create", { ...filled, ...(who === "STUDENT" ? { studentId: person!.id } : { employeeId: person!.id }) } as NewLeave, { key })
  }
  const done = (l: Leave) => {
    changed()
    say(t("The leave of {name} is entered.", { name: nameOf(l) }), () => post("/school-admin/leave/{id}/cancel", {} as never, { path: { id: l.id } }))
    onClose()
  }
  return (
    <Dialog title={t("Enter leave")} onClose={onClose} wide>
      <p class="muted">{t("It is approved at once, and the family or the employee is told.")}</p>
      <Segments label={t("Who")} value={who} options={findable()}
        onChange={(v) => { setWho(v); setPerson(undefined) }} />
      {person ? (
        <div class="row chosen"><Avatar name={person.name} size="md" /><span class="grow"><b><bdi>{person.name}</bdi></b><span class="block muted small">{person.note}</span></span>
          <Button size="sm" onClick={() => setPerson(undefined)}>{t("Someone else")}</Button></div>
      ) : who === "STUDENT" ? <FindStudent onPick={setPerson} /> : <FindEmployee onPick={setPerson} />}
      {person && <Form fields={fields()} initial={typed.current} onValues={(v) => { typed.current = v }}
        button={t("Enter the leave of {name}", { name: person.name })} submit={submit}
        onDone={(l) => done(l as Leave)} onCancel={onClose} />}
    </Dialog>
  )
}

function FindStudent({ onPick }: { onPick: (p: Person) => void }) {
  const [text, setText] = useState("")
  const found = useGet(text.trim().length > 1 ? "/school-admin/student/list" : null, { search: text.trim(), status: "ACTIVE", limit: 8 })
  const people = (found.data?.items ?? []).map((s): Person => ({ id: s.id, name: fullName(s), note: [s.className, s.divisionName].filter(Boolean).join(" ") }))
  return <Find label={t("Name, admission no. or phone")} text={text} setText={setText} people={text.trim().length > 1 ? people : []} searched={!!found.data} onPick={onPick} />
}

function FindEmployee({ onPick }: { onPick: (p: Person) => void }) {
  const [text, setText] = useState("")
  const employees = useEmployees()
  const people = employees.items.map((e): Person => ({ id: e.id, name: fullName(e), note: e.designation ?? e.roleName }))
  const match = people.filter((p) => p.name.toLowerCase().includes(text.trim().toLowerCase())).slice(0, 8)
  return <Find label={t("Name")} text={text} setText={setText} people={match} searched={!!employees.data} onPick={onPick} />
}

interface FindProps { label: string; text: string; setText: (s: string) => void; people: Person[]; searched: boolean; onPick: (p: Person) => void }

function Find({ label, text, setText, people, searched, onPick }: FindProps) {
  return (
    <div class="field">
      <label for="find-person">{t("For whom")}</label>
      <input id="find-person" class="input" type="search" autocomplete="off" placeholder={label} value={text} onInput={(e) => setText(e.currentTarget.value)} />
      <ul class="foundpeople" aria-label={t("People")}>{people.map((p) => (
        <li key={p.id}><button type="button" class="choice" onClick={() => onPick(p)}><Avatar name={p.name} /><b class="cut"><bdi>{p.name}</bdi></b><span
          class="faint small push">{p.note}</span></button></li>
      ))}</ul>
      {searched && text.trim().length > 1 && people.length === 0 && <p class="help">{t("Nobody has this name.")}</p>}
    </div>
  )
}
