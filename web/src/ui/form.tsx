// Forms: fields described as data, the server's details beside them, nothing typed is lost.
import { Fragment, type ComponentChildren } from "preact"
import { useContext, useEffect, useId, useRef, useState } from "preact/hooks"
import { Fault } from "../api/client"
import { asFault } from "../shell/load"
import { useKept } from "../shell/kept"
import { guardLeaving } from "../shell/router"
import { t } from "../words/words"
import { Button, Icon } from "./basics"
import { Inside } from "./dialog"

export interface Option { value: string; text: string; note?: string | undefined }
export type Kind = "text" | "textarea" | "number" | "money" | "date" | "time" | "moment" | "email" | "phone" | "password" | "code" | "pin" | "color" | "select" | "choice" | "many" | "switch" | "file" | "files"
export type Values = Record<string, unknown>

export interface FieldSpec {
  name: string // as the API calls it, so that its details find it
  label: string
  kind?: Kind
  required?: boolean
  help?: string
  options?: Option[] | ((v: Values) => Option[]) // a function if they depend on other answers
  title?: string // a heading above this field, where a new part of the form begins
  wide?: boolean
  placeholder?: string
  autocomplete?: string
  min?: number | string
  max?: number | string
  step?: number | string
  hidden?: (v: Values) => boolean
  control?: (p: ControlProps) => ComponentChildren // instead of an input, such as a search for a person
}

export interface ControlProps { id: string; value: unknown; onChange: (v: unknown) => void; about: string | undefined; required: boolean }

interface FormProps {
  fields: FieldSpec[]
  initial?: Values
  submit: (values: Values, key: string) => Promise<unknown>
  button: string
  onDone?: (result: unknown) => void
  onCancel?: () => void
  children?: (values: Values, set: (name: string, value: unknown) => void) => ComponentChildren
  secondary?: ComponentChildren
  single?: boolean
  onValues?: (values: Values) => void // what was typed, for a preview beside the form
}

/** A form. The key given to submit stays until a call has succeeded, so that the same once more is not a second record. */
export function Form({ fields, initial = {}, submit, button, onDone, onCancel, children, secondary, single, onValues }: FormProps) {
  const dirty = useRef(false)
  const [values, setValues] = useKept<Values>(nameOf(fields, initial), initial, dirty)
  const [fault, setFault] = useState<Fault>()
  const [busy, setBusy] = useState(false)
  const key = useRef(crypto.randomUUID())
  const sending = useRef(false)
  const summary = useRef<HTMLDivElement>(null)
  const set = (name: string, value: unknown) => { dirty.current = true; setValues((v) => offered(fields, { ...v, [name]: value }, v)) }
  useWarning(dirty)
  useEffect(() => { if (fault) summary.current?.focus() }, [fault])
  useEffect(() => onValues?.(values), [values])
  const shown = fields.filter((f) => !f.hidden?.(values))
  async function send(e: Event) {
    e.preventDefault()
    if (sending.current) return // Ctrl+Enter comes past the disabled button
    sending.current = true
    setBusy(true)
    try {
      const result = await submit(pick(shown, values), key.current)
      dirty.current = false
      key.current = crypto.randomUUID()
      setFault(undefined)
      onDone?.(result)
    } catch (e) {
      setFault(asFault(e)) // the key stays: the call may have been done, only its answer is missing
    } finally {
      sending.current = false
      setBusy(false)
    }
  }
  return (
    <form class="form" onSubmit={send} noValidate={false} onKeyDown={(e) => { if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) e.currentTarget.requestSubmit() }}>
      {fault && <Summary fault={fault} fields={shown} at={summary} />}
      <div class={single ? "fields one" : "fields"}>
        {shown.map((f) => (
          <Fragment key={f.name}>
            {f.title && <h2 class="wide formpart">{f.title}</h2>}
            <Field spec={{ ...f, options: optionsOf(f, values) }} value={values[f.name]} error={errorOf(fault, f.name)} onChange={(v) => set(f.name, v)} />
          </Fragment>
        ))}
      </div>
      {children?.(values, set)}
      <div class="row formfoot">
        {secondary}<span class="push" />
        {onCancel && <Button kind="plain" onClick={onCancel}>{t("Cancel")}</Button>}
        <Button kind="go" type="submit" busy={busy}>{button}</Button>
      </div>
    </form>
  )
}

/** What tells a form from others of the page, and of another record. Secrets are not kept. */
function nameOf(fields: FieldSpec[], initial: Values): string {
  const secret = fields.some((f) => f.kind === "password" || f.kind === "pin" || f.kind === "code")
  return secret ? "" : JSON.stringify([fields[0]?.name, fields[0]?.label, initial])
}

/** Warns before a page with unsaved changes is left, or a dialog with them closed. */
export function useWarning(dirty: { current: boolean }): void {
  const inside = useContext(Inside)
  useEffect(() => {
    const typed = () => dirty.current
    inside?.add(typed)
    const ask = (e: BeforeUnloadEvent) => { if (dirty.current) e.preventDefault() }
    addEventListener("beforeunload", ask)
    const free = guardLeaving(() => !dirty.current || confirm(t("Leave this page? What you typed is not saved.")))
    return () => { removeEventListener("beforeunload", ask); free(); inside?.delete(typed) }
  }, [])
}

/** Takes a choice away that another answer no longer offers, such as the division of another class. */
function offered(fields: FieldSpec[], now: Values, before: Values): Values {
  for (const f of fields) {
    const { name, options } = f
    if (typeof options !== "function") continue
    const has = (v: Values) => options(v).some((o) => o.value === before[name])
    if (has(before) && !has(now)) now[name] = ""
  }
  return now
}

function pick(fields: FieldSpec[], values: Values): Values {
  const out: Values = {}
  for (const f of fields) {
    const v = values[f.name]
    if (v === undefined) continue
    const cleared = v === "" || (typeof v === "number" && Number.isNaN(v))
    out[f.name] = cleared ? null : (f.kind === "number" || f.kind === "money") ? Number(v) : v
  }
  return out
}

function errorOf(fault: Fault | undefined, name: string): string | undefined {
  return fault?.details.find((d) => d.field === name || d.field === `data.${name}` || d.field.startsWith(name + "[") || d.field.startsWith(name + "."))?.message
}

function Summary({ fault, fields, at }: { fault: Fault; fields: FieldSpec[]; at: { current: HTMLDivElement | null } }) {
  const others = fault.details.filter((d) => !fields.some((f) => errorOf(new Fault(0, "", "", [d]), f.name)))
  return (
    <div class="summary" ref={at} tabIndex={-1} role="alert">
      <b>{fault.details.length ? t("Some answers need another look.") : fault.message}</b>
      {others.map((d) => <span key={d.field}>{d.field}: {d.message}</span>)}
    </div>
  )
}

/** What a field offers, given the other answers. */
export function optionsOf(f: FieldSpec, values: Values): Option[] {
  return typeof f.options === "function" ? f.options(values) : (f.options ?? [])
}

interface FieldProps { spec: FieldSpec; value: unknown; error?: string | undefined; onChange: (v: unknown) => void }

/** A label, a control, help and the error beside it. */
export function Field({ spec, value, error, onChange }: FieldProps) {
  const id = useId()
  const about = [spec.help && `${id}-help`, error && `${id}-error`].filter(Boolean).join(" ") || undefined
  if (spec.kind === "switch") {
    return (
      <div class={spec.wide ? "field wide" : "field"}>
        <label class="check"><input type="checkbox" class="switch" checked={!!value} onChange={(e) => onChange(e.currentTarget.checked)} /><span>{spec.label}{spec.help && <span class="help block">{spec.help}</span>}</span></label>
        {error && <p class="error"><Icon name="alert" />{error}</p>}
      </div>
    )
  }
  if (spec.kind === "choice") return <Choice spec={spec} value={value} error={error} onChange={onChange} />
  if (spec.kind === "files") {
    return <div class="field wide">{spec.control!({ id, value, onChange, about, required: !!spec.required })}{error && <p class="error"><Icon name="alert" />{error}</p>}</div>
  }
  if (spec.kind === "many") return <Many spec={spec} value={value} error={error} onChange={onChange} />
  return (
    <div class={`field ${error ? "wrong" : ""} ${spec.wide || spec.kind === "textarea" ? "wide" : ""}`}>
      <label for={id}>{spec.label}{!spec.required && <span class="opt"> {t("optional")}</span>}</label>
      <Control spec={spec} value={value} onChange={onChange} id={id} about={about} wrong={!!error} />
      {spec.help && <p class="help" id={`${id}-help`}>{spec.help}</p>}
      {error && <p class="error" id={`${id}-error`}><Icon name="alert" />{error}</p>}
    </div>
  )
}

const types = { number: "number", money: "number", date: "date", time: "time", moment: "datetime-local", email: "email", phone: "tel", password: "password", pin: "password", color: "color" } as const

/** The input's type. Preact ties each type to its own roles, which a form without roles does not need. */
function inputType(kind: Kind | undefined): "text" { return (types[kind as keyof typeof types] ?? "text") as "text" }

function Control({ spec, value, onChange, id, about, wrong }: { spec: FieldSpec; value: unknown; onChange: (v: unknown) => void; id: string; about: string | undefined; wrong: boolean }) {
  const text = value === null || value === undefined ? "" : String(value)
  if (spec.control) return <>{spec.control({ id, value, onChange, about, required: !!spec.required })}</>
  const shared = { id, required: !!spec.required, "aria-describedby": about, "aria-invalid": wrong || undefined, autocomplete: spec.autocomplete ?? "off" }
  if (spec.kind === "select") {
    return (
      <select class="input" {...shared} value={text} onChange={(e) => onChange(e.currentTarget.value)}>
        {(!spec.required || text === "") && <option value="">–</option>}
        {optionsOf(spec, {}).map((o) => <option key={o.value} value={o.value}>{o.text}</option>)}
      </select>
    )
  }
  if (spec.kind === "textarea") {
    return <textarea class="input" {...shared} value={text} placeholder={spec.placeholder} onInput={(e) => onChange(e.currentTarget.value)} />
  }
  if (spec.kind === "file") {
    return <input class="input" type="file" {...shared} onChange={(e) => onChange(e.currentTarget.files?.[0])} />
  }
  return (
    <input class={spec.kind === "money" || spec.kind === "number" ? "input num" : "input"} {...shared} type={inputType(spec.kind)} value={text}
      inputMode={spec.kind === "code" || spec.kind === "pin" ? "numeric" : undefined} step={spec.step ?? (spec.kind === "money" ? "0.01" : undefined)} min={spec.min} max={spec.max} placeholder={spec.placeholder} onInput={(e) => onChange(e.currentTarget.value)} />
  )
}

function Many({ spec, value, error, onChange }: FieldProps) {
  const chosen = (value as string[] | undefined) ?? []
  const options = optionsOf(spec, {})
  const flip = (v: string) => onChange(chosen.includes(v) ? chosen.filter((x) => x !== v) : [...chosen, v])
  return (
    <fieldset class="field wide">
      <legend>{spec.label}</legend>
      <div class={options.length > 7 ? "columns" : "row wrap many"}>{options.map((o) => <label class="check" key={o.value}><input type="checkbox" checked={chosen.includes(o.value)} onChange={() => flip(o.value)} />{o.text}</label>)}</div>
      {spec.help && <p class="help">{spec.help}</p>}
      {error && <p class="error"><Icon name="alert" />{error}</p>}
    </fieldset>
  )
}

/** One of a few, each with a word about what it means. */
function Choice({ spec, value, error, onChange }: FieldProps) {
  const name = useId()
  return (
    <fieldset class={spec.wide ? "field wide" : "field"}>
      <legend>{spec.label}</legend>
      <div class="choices">{optionsOf(spec, {}).map((o) => (
        <label class="option" key={o.value}><input type="radio" name={name} checked={o.value === value} onChange={() => onChange(o.value)} /><span>{o.text}{o.note && <span class="help block">{o.note}</span>}</span></label>
      ))}</div>
      {spec.help && <p class="help">{spec.help}</p>}
      {error && <p class="error"><Icon name="alert" />{error}</p>}
    </fieldset>
  )
}
