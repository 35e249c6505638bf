// Finds one person by a few letters of the name, a number or a phone, with the keyboard alone.
import { useEffect, useId, useRef, useState } from "preact/hooks"
import { get } from "../api/client"
import { fullName } from "../words/format"
import { t } from "../words/words"
import { Avatar, Icon } from "./basics"
import type { ControlProps, FieldSpec } from "./form"

export interface Person { kind: "student" | "employee"; id: string; name: string; note: string; photo?: string | null | undefined }

interface Props extends Partial<Pick<ControlProps, "id" | "about" | "required">> {
  kinds: Person["kind"][]
  value: Person | null | undefined
  onChange: (p: Person | null) => void
  label?: string // without a label element of its own
  autofocus?: boolean
}

const pause = 150 // ms between the last letter and the search

/** A field of a form whose value is a Person. */
export function personField(name: string, label: string, kinds: Person["kind"][]): FieldSpec {
  return { name, label, required: true, wide: true, control: (p) => <PersonPick {...p} kinds={kinds} value={p.value as Person | null} onChange={p.onChange} /> }
}

export function PersonPick({ id, about, required, kinds, value, onChange, label, autofocus }: Props) {
  const list = useId()
  const [text, setText] = useState(value ? value.name : "")
  const [found, setFound] = useState<Person[]>([])
  const [at, setAt] = useState(0)
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => { if (value) { setText(value.name); setFound([]) } }, [value?.id])
  useEffect(() => { if (autofocus) input.current?.focus() }, [])
  useEffect(() => { input.current?.setCustomValidity(required && !value ? t("Choose a person from the list.") : "") }, [value, required])
  useEffect(() => {
    if (value || text.trim().length < 2) { setFound([]); return }
    const stop = new AbortController()
    const timer = setTimeout(() => void findPeople(text, kinds, stop.signal).then((p) => { setFound(p); setAt(0) }, () => {}), pause)
    return () => { clearTimeout(timer); stop.abort() }
  }, [text, value])
  const choose = (p: Person | undefined) => { if (p) { onChange(p); setText(p.name); setFound([]) } }
  const onKeyDown = (e: KeyboardEvent) => {
    if (found.length === 0) return
    const step = { ArrowDown: 1, ArrowUp: -1 }[e.key]
    if (step) setAt((at + step + found.length) % found.length)
    else if (e.key === "Enter" && !e.ctrlKey) choose(found[at])
    else if (e.key === "Escape") setFound([])
    else return
    e.preventDefault()
  }
  return (
    <div class="pick">
      <span class="with"><Icon name={value ? "person" : "search"} />
        <input ref={input} id={id} class="input" role="combobox" aria-label={label} aria-describedby={about} aria-expanded={found.length > 0} aria-controls={list}
          autocomplete="off"
          aria-activedescendant={found.length ? `${list}-${at}` : undefined} placeholder={t("Name, number or phone")} value={text} onKeyDown={onKeyDown}
          onInput={(e) => { setText(e.currentTarget.value); if (value) onChange(null) }} />
        {value && <span class="faint small note">{value.note}</span>}
      </span>
      <div id={list} role="listbox" aria-label={t("Results")} hidden={found.length === 0}>
        {found.map((p, i) => (
          <div key={p.id} id={`${list}-${i}`} role="option" aria-selected={i === at} onPointerDown={(e) => { e.preventDefault(); choose(p) }}>
            <Avatar name={p.name} photo={p.photo} /><span class="cut grow"><bdi>{p.name}</bdi></span><span class="faint small">{p.note}</span>
          </div>
        ))}
      </div>
    </div>
  )
}

/** Students and employees whose name, number or phone has these words. */
export async function findPeople(search: string, kinds: Person["kind"][], signal?: AbortSignal): Promise<Person[]> {
  const ask = { search, limit: 8 }
  const o = signal ? { signal } : {}
  const [students, employees] = await Promise.all([
    kinds.includes("student") ? get("/school-admin/student/list", ask, o) : null,
    kinds.includes("employee") ? get("/school-admin/employee/list", ask, o) : null,
  ])
  return [
    ...(students?.items ?? []).map((s): Person => ({ kind: "student", id: s.id, name: fullName(s),
      note: [s.className, s.divisionName, s.admissionNo].filter(Boolean).join(" "), photo: s.photoThumbnailUrl })),
    ...(employees?.items ?? []).map((e): Person => ({ kind: "employee", id: e.id, name: fullName(e), note: e.designation ?? e.roleName })),
  ]
}
