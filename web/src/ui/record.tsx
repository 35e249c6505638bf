// A dialog that creates or edits one record, and shows both versions if someone else changed it first.
import { useState } from "preact/hooks"
import { Fault } from "../api/client"
import { changed } from "../shell/load"
import { say } from "../shell/toast"
import { t } from "../words/words"
import { Dialog } from "./dialog"
import { Form, optionsOf, useWarning, type FieldSpec, type Values } from "./form"
import { Button } from "./basics"

interface Props {
  title: string
  fields: FieldSpec[]
  record?: Values & { version?: number }
  save: (values: Values, key: string) => Promise<unknown>
  latest?: () => Promise<Values & { version?: number }> // loads the record again, after a conflict
  done?: string // what is said after saving
  undo?: (result: unknown) => Promise<unknown> // takes the saving back
  button?: string
  onClose: (saved: boolean) => void
  wide?: boolean
}

const clashed = Symbol("clashed")
const always = { current: true } // something is typed

export function RecordDialog({ title, fields, record, save, latest, done, undo, button, onClose, wide }: Props) {
  const [base, setBase] = useState(record)
  const [clash, setClash] = useState<{ mine: Values; theirs: Values & { version?: number } }>()
  async function submit(values: Values, key: string) {
    try {
      return await save(base?.version === undefined ? values : { ...values, version: base.version }, key)
    } catch (e) {
      if (e instanceof Fault && e.conflict && latest) {
        const theirs = await latest()
        if (theirs.version !== base?.version) { setClash({ mine: values, theirs }); return clashed }
      }
      throw e
    }
  }
  if (clash) {
    const use = (v: Values) => { setBase({ ...clash.theirs, ...v }); setClash(undefined) }
    return (
      <Dialog title={t("Someone else changed this")} onClose={() => onClose(false)} wide>
        <p>{t("Compare the two, and go on with one of them.")}</p>
        <Versions fields={fields} mine={clash.mine} theirs={clash.theirs} />
        <div class="row wrap"><Button kind="go" onClick={() => use(clash.mine)}>{t("Go on with mine")}</Button><Button onClick={() => use({})}>{t("Go on with theirs")}</Button></div>
      </Dialog>
    )
  }
  return (
    <Dialog title={title} onClose={() => onClose(false)} wide={wide ?? fields.length > 6}>
      <Form key={String(base?.version)} fields={fields} initial={base ?? {}} button={button ?? t("Save")} submit={submit} onCancel={() => onClose(false)}
        onDone={(result) => { if (result === clashed) return; changed(); if (done) say(done, undo && (() => undo(result))); onClose(true) }} />
    </Dialog>
  )
}

function Versions({ fields, mine, theirs }: { fields: FieldSpec[]; mine: Values; theirs: Values }) {
  useWarning(always)
  const one = (f: FieldSpec, v: unknown) => optionsOf(f, mine).find((o) => o.value === v)?.text ?? (v as { name?: string }).name ?? String(v)
  const show = (f: FieldSpec, v: unknown) => (v === null || v === undefined || v === "" ? "–" : Array.isArray(v) ? v.map((x) => one(f, x)).join(", ") || "–" : one(f, v))
  const differs = fields.filter((f) => f.name in mine && show(f, mine[f.name]) !== show(f, theirs[f.name]))
  return (
    <div class="frame"><table>
      <thead><tr><th scope="col">{t("Field")}</th><th scope="col">{t("Yours")}</th><th scope="col">{t("Theirs")}</th></tr></thead>
      <tbody>{differs.map((f) => <tr key={f.name}><th scope="row">{f.label}</th><td>{show(f, mine[f.name])}</td><td>{show(f, theirs[f.name])}</td></tr>)}</tbody>
    </table></div>
  )
}
