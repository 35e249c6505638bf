// An import in five steps: template, file, columns, check, import. Nothing is written before the last.
import { useEffect, useRef, useState } from "preact/hooks"
import { address } from "../../api/client"
import type { Schema } from "../../api/contract"
import { may, school } from "../../api/session"
import { asFault, changed, useLoad } from "../../shell/load"
import { say, sayFault } from "../../shell/toast"
import { Banner, Button, Head, Icon, LinkButton, Ready, State } from "../../ui/basics"
import { yearOptions } from "../../ui/choices"
import { saveBlob } from "../../ui/csv"
import { Field, useWarning } from "../../ui/form"
import { n, t } from "../../words/words"
import { Check } from "./check"
import { Columns } from "./columns"
import { guess, kinds, type Kind } from "./kinds"
import { Past, UndoImport } from "./past"
import { readFile, readText, writeCSV, type Sheet } from "./read"

export type Result = Schema["ImportReport"]
export interface Table { columns: string[]; rows: string[][] }

export default function ImportPage({ params }: { params: Record<string, string> }) {
  const kind = kinds()[params.kind!]
  if (!kind) return <State icon="search" title={t("There is no such import")} />
  if (!may("write", kind.module)) return <State icon="lock" title={t("This page is not open to you")} />
  return <Wizard key={params.kind} kind={kind} />
}

function Wizard({ kind }: { kind: Kind }) {
  const template = useLoad(`template:${kind.title}`, async () => readText("", await (await kind.template()).blob.text()))
  const [sheet, setSheet] = useState<Sheet>()
  const [mapping, setMapping] = useState<string[]>()
  const [table, setTable] = useState<Table>()
  const [done, setDone] = useState<Result>()
  const said = useRef(() => {}) // takes the message with its undo away
  const dirty = useRef(false)
  dirty.current = !!sheet && !done
  useWarning(dirty)
  const take = (s: Sheet, columns: string[]) => { setSheet(s); setMapping(s.header.map((h,
    i) => { const c = guess(h, columns); return s.header.findIndex((x) => guess(x, columns) === c) === i ? c : "" })); setTable(undefined) }
  const again = () => { setSheet(undefined); setTable(undefined); setDone(undefined) }
  const step = done ? 5 : table ? 4 : sheet ? 3 : 2
  return (
    <>
      <Head title={kind.title} sub={sheet ? `${sheet.name}, ${n(sheet.rows.length, "{n} row", "{n} rows")}` : kind.note}>
        {sheet && <Button icon="load" onClick={again}>{t("Another file")}</Button>}
      </Head>
      <Steps at={step} />
      <Ready of={template}>{(tpl) => done ? <Done kind={kind} result={done} again={again} undone={() => { said.current(); again() }} goOn={() => { setTable(leftOut(table!, done)); setDone(undefined) }} />
        : table ? <Checking kind={kind} table={table} setTable={setTable} back={() => setTable(undefined)} onDone={(r) => { setDone(r); changed(); said.current = tellDone(kind, r) }} />
        : sheet ? <Columns sheet={sheet} columns={tpl.header} mapping={mapping!} setMapping={setMapping} next={() => setTable(tableOf(sheet, mapping!))} back={again} />
        : <Start kind={kind} template={tpl} take={(s) => take(s, tpl.header)} />}</Ready>
    </>
  )
}

function tableOf(sheet: Sheet, mapping: string[]): Table {
  const used = mapping.map((c, i) => [c, i] as const).filter(([c]) => c)
  return { columns: used.map(([c]) => c), rows: sheet.rows.map((r) => used.map(([, i]) => r[i] ?? "")) }
}

/** The rows that were not imported. */
function leftOut(table: Table, result: Result): Table {
  const rows = new Set(result.errors.map((e) => e.row - 2)) // the headings are row 1
  return { ...table, rows: table.rows.filter((_, i) => rows.has(i)) }
}

function Steps({ at }: { at: number }) {
  const names = [t("Template"), t("File"), t("Columns"), t("Check"), t("Import")]
  return (
    <ol class="steps" aria-label={t("Steps")}>{names.map((name, i) => (
      <li key={name} class={i + 1 < at ? "done" : ""} aria-current={i + 1 === at ? "step" : undefined}><span class="no">
        {i + 1 < at ? <Icon name="check" size="xs" /> : i + 1}</span>{name}</li>
    ))}</ol>
  )
}

function Start({ kind, template, take }: { kind: Kind; template: Sheet; take: (s: Sheet) => void }) {
  const [over, setOver] = useState(false)
  const [wrong, setWrong] = useState("")
  const read = (from: () => Promise<Sheet> | Sheet) => { setWrong(""); Promise.resolve().then(from).then(take, (e: unknown) => setWrong(asFault(e).message)) }
  useEffect(() => {
    const paste = (e: ClipboardEvent) => { const text = e.clipboardData?.getData("text"); if (text?.includes("\n")) read(() => readText(t("pasted cells"), text)) }
    addEventListener("paste", paste)
    return () => removeEventListener("paste", paste)
  }, [])
  const save = () => kind.template().then((f) => saveBlob(f.blob, f.name), sayFault)
  return (
    <div class="cols">
      <div class="stack loose">
        <label class={over ? "drop over" : "drop"} onDragOver={(e) => { e.preventDefault(); setOver(true) }} onDragLeave={() => setOver(false)}
          onDrop={(e) => { e.preventDefault(); setOver(false); const f = e.dataTransfer?.files[0]; if (f) read(() => readFile(f)) }}>
          <span class="disc"><Icon name="load" size="md" /></span>
          <b>{t("Drop a CSV file here, or choose one")}</b>
          <span class="muted">{t("You can also copy cells in your spreadsheet, with the headings, and paste them here with Ctrl V.")}</span>
          <input type="file" class="sr" aria-label={t("Drop a CSV file here, or choose one")} accept=".csv,.tsv,.txt,text/csv" onChange={(e) => { const f = e.currentTarget.files?.[0]; if (f) read(() => readFile(f)) }} />
        </label>
        {wrong && <Banner tone="bad" icon="alert"><span role="alert">{wrong}</span></Banner>}
        <Past kind={kind.title} past={kind.past} />
      </div>
      <section class="card"><header><h2>{t("No file yet?")}</h2></header><div class="in stack">
        <p class="small muted">{n(template.header.length, "The template has {n} column, and one row as an example.",
          "The template has {n} columns, and one row as an example.")} {t("Other headings work too: you say what they mean in the next step.")}</p>
        <Button icon="save" onClick={() => void save()}>{t("Save the template")}</Button>
      </div></section>
    </div>
  )
}

/** Asks the service what it would do, and shows the answer beside the rows. */
function Checking({ kind, table, setTable, back, onDone }: { kind: Kind; table: Table; setTable: (t: Table) => void; back: () => void; onDone: (r: Result) => void }) {
  const [upsert, setUpsert] = useState(false)
  const [year, setYear] = useState(school.value?.academicYears.find((y) => y.isCurrent)?.id ?? "")
  const [writing, setWriting] = useState(false)
  const call = (o: { dryRun?: boolean; partial?: boolean }, key?: string) => {
    const form = new FormData()
    form.append("file", writeCSV(table.columns, table.rows))
    return kind.send(address("", {}, { ...o, ...(upsert && { mode: "upsert" }), ...(kind.byYear && { academicYearId: year }) }), form, key ? { key } : {}) as Promise<Result>
  }
  const stamp = useRef({ table, turn: 0, of: crypto.randomUUID() })
  if (stamp.current.table !== table) stamp.current = { ...stamp.current, table, turn: stamp.current.turn + 1 }
  const dry = useLoad(`check:${stamp.current.of}:${stamp.current.turn}:${upsert}:${year}`, () => call({ dryRun: true, partial: true }))
  const last = useRef<Result | undefined>(undefined)
  if (dry.data) last.current = dry.data
  async function write(partial: boolean) {
    setWriting(true)
    const key = `${stamp.current.of}-${stamp.current.turn}-${partial}-${upsert}-${year}` // the same rows once more are the same import
    try { onDone(await call({ partial }, key)) } catch (e) { sayFault(e) } finally { setWriting(false) }
  }
  return (
    <>
      {(kind.updates || kind.byYear) && (
        <div class="row wrap wide">
          {kind.updates && <label class="check"><input type="checkbox" class="switch" checked={upsert} onChange={(e) => setUpsert(e.currentTarget.checked)} />
            {kind.updates}</label>}
          {kind.byYear && yearOptions().length > 1 && <Field spec={{ name: "year", label: t("Year"), kind: "select", required: true, options: yearOptions() }} value={year}
            onChange={(v) => setYear(String(v))} />}
        </div>
      )}
      {dry.fault ? <Banner tone="bad" icon="alert"><b>{dry.fault.message}</b> {dry.fault.details.map((d) => <span class="block" key={d.message}>{d.message}</span>)} <Button
        size="sm" onClick={back}>{t("Back to the columns")}</Button></Banner>
        : <Ready of={{ ...dry, data: dry.data ?? last.current }}>{(r) => <Check table={table} result={r} fresh={!dry.loading} setTable={setTable} />}</Ready>}
      {last.current && !dry.fault && <Foot result={last.current} back={back} busy={writing || dry.loading} writing={writing} write={write} />}
    </>
  )
}

interface FootProps { result: Result; busy: boolean; writing: boolean; write: (partial: boolean) => Promise<void>; back: () => void }

function Foot({ result, busy, writing, write, back }: FootProps) {
  const ready = result.total - result.failed
  return (
    <div class="stack importfoot">
      {writing && <progress aria-label={t("Importing")} />}
      <div class="row wrap">
        <Button kind="go" size="tall" busy={busy} disabled={ready === 0} onClick={() => void write(result.failed > 0)}>
          {result.failed > 0 ? n(ready, "Import the {n} that is ready", "Import the {n} that are ready") : n(ready, "Import {n} row", "Import {n} rows")}
        </Button>
        <Button size="tall" onClick={back}>{t("Back to the columns")}</Button>
        <span class="push small muted">{result.updated ? t("An import that changes records can't be undone.")
          : t("An import can be undone until something hangs on it.")}</span>
      </div>
    </div>
  )
}

/** Says that it is done, with a way back where there is one. */
function tellDone(kind: Kind, r: Result): () => void {
  const { id, updated } = r
  return say(n(r.created + updated, "{n} row is imported", "{n} rows are imported"), id && !updated ? () => kind.past.undo(id) : undefined)
}

function Done({ kind, result, again, undone, goOn }: { kind: Kind; result: Result; again: () => void; undone: () => void; goOn: () => void }) {
  const said = [result.created && n(result.created, "{n} is new", "{n} are new"), result.updated && n(result.updated, "{n} was changed", "{n} were changed"),
    result.unchanged && n(result.unchanged, "{n} was the same already", "{n} were the same already"), result.failed && n(result.failed, "{n} was left out", "{n} were left out")]
  return (
    <State icon="check" title={n(result.created + result.updated, "{n} row is imported", "{n} rows are imported")}>
      <p>{said.filter(Boolean).join(", ")}.</p>
      <div class="row wrap">
        {result.failed > 0 && <Button icon="pen" onClick={goOn}>{n(result.failed, "Correct the {n} left out", "Correct the {n} left out")}</Button>}
        <LinkButton kind="go" href={kind.back.href}>{kind.back.text}</LinkButton>
        {result.id && !result.updated && <UndoImport past={kind.past} id={result.id} onDone={undone} />}<Button onClick={again}>{t("Import another file")}</Button>
      </div>
    </State>
  )
}
