// The marks grid: like a spreadsheet. One cell is open for writing; Enter goes to the next child, Tab to the next subject.
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks"
import { useKept } from "../../shell/kept"
import { useKey } from "../../shell/keys"
import { sayFault } from "../../shell/toast"
import { Button, Icon } from "../../ui/basics"
import { percent } from "../../words/format"
import { n, t } from "../../words/words"
import { columnsOf, gradeOf, incomplete, keyOf, savedTexts, tidy, total, wrong, type Column, type Pupil, type Result } from "./cells"
import type { Paper } from "./exam"
import { Pane } from "./pane"
import { saveMarks } from "./save"

export interface SheetProps {
  examId: string; classId: string; papers: Paper[]; pupils: Pupil[]; results: Result[]; takes: Map<string, Set<string>>
  bands: { grade: string; minPercent: number }[]; writes: boolean; dirty: { current: boolean }
}
interface Spot { row: number; col: number }

export function Sheet(p: SheetProps) {
  const columns = useMemo(() => columnsOf(p.papers), [p.papers])
  const saved = useMemo(() => savedTexts(p.results, columns), [p.results, columns])
  const [typed, setTyped] = useKept<ReadonlyMap<string, string>>("marks", new Map(), p.dirty)
  const [refused, setRefused] = useState<ReadonlyMap<string, string>>(new Map()) // by the server
  const [at, setAt] = useState<Spot>({ row: 0, col: 0 })
  const [busy, setBusy] = useState(false)
  const writing = useRef("") // the cell in which the person is writing
  const before = useRef<ReadonlyMap<string, string>[]>([])
  const table = useRef<HTMLTableElement>(null)
  const live = useRef({ typed, at })
  live.current.typed = typed
  p.dirty.current = typed.size > 0
  const textOf = (row: Pupil, c: Column) => { const k = keyOf(row.id, c); return live.current.typed.get(k) ?? saved.get(k) ?? "" }
  const takes = (row: Pupil, c: Column) => p.takes.get(c.paper.subjectId)?.has(row.id) ?? true
  const faultOf = (row: Pupil, c: Column): string | undefined => {
    const k = keyOf(row.id, c)
    if (!live.current.typed.has(k) || (k === writing.current && /^([AE]|\d+[.,])$/.test(textOf(row, c)))) return undefined
    if (!takes(row, c) && textOf(row, c) !== "") return t("{name} does not take {subject}.", { name: row.name, subject: c.paper.subjectName })
    const parts = columns.filter((x) => x.paper === c.paper)
    return refused.get(k) ?? wrong(textOf(row, c), c) ?? (incomplete(parts.map((x) => textOf(row, x))) && textOf(row, c) === "" ? t("All parts of {subject} are needed.",
      { subject: c.paper.subjectName }) : undefined)
  }
  const write = (changes: [Pupil, Column, string][]) => {
    const only = changes.length === 1 ? keyOf(changes[0]![0].id, changes[0]![1]) : ""
    if (!only || only !== writing.current) before.current.push(live.current.typed)
    writing.current = only
    const next = new Map(live.current.typed)
    for (const [row, c, text] of changes) {
      const k = keyOf(row.id, c)
      if (tidy(text) === (saved.get(k) ?? "")) next.delete(k)
      else next.set(k, tidy(text))
    }
    live.current.typed = next
    setTyped(next)
    setRefused((old) => new Map([...old].filter(([k]) => !changes.some(([row, c]) => keyOf(row.id, c) === k))))
  }
  const go = (row: number, col: number) => {
    const to = { row: Math.max(0, Math.min(p.pupils.length - 1, row)), col: Math.max(0, Math.min(columns.length - 1, col)) }
    live.current.at = to
    writing.current = ""
    setAt(to)
  }
  useLayoutEffect(() => { // the open cell has the focus before the next key, unless the person is elsewhere
    const cell = table.current?.querySelector<HTMLInputElement>("input.cell")
    if (cell && (document.activeElement === document.body || table.current?.contains(document.activeElement))) { cell.focus({ preventScroll: false }); cell.select() }
  }, [at.row, at.col])
  const faults = p.pupils.flatMap((r, row) => columns.map((c, col) => ({ row, col, text: faultOf(r, c), name: r.name, subject: c.paper.subjectName }))).filter((f) => f.text)
  const nextFault = () => {
    const after = faults.find((f) => f.row > live.current.at.row || (f.row === live.current.at.row && f.col > live.current.at.col)) ?? faults[0]
    if (!after) return
    table.current?.querySelector<HTMLInputElement>("input.cell")?.focus()
    go(after.row, after.col)
  }
  const save = async () => {
    if (busy || live.current.typed.size === 0) return
    setBusy(true)
    try {
      const bad = new Set(faults.map((f) => `${p.pupils[f.row]!.id} ${columns[f.col]!.paper.subjectId}`))
      const sent = live.current.typed
      const outcome = await saveMarks({ ...p, columns, saved, typed: sent, skip: bad })
      const stays = [...live.current.typed].filter(([k, text]) => outcome.left.has(k) || sent.get(k) !== text) // also what was typed meanwhile
      setTyped(new Map(stays))
      setRefused(outcome.refused)
      before.current = []
    } catch (e) { sayFault(e) } finally { setBusy(false) }
  }
  useKey("f8", t("Next fault"), nextFault)
  useKey("ctrl+s", t("Save the marks"), () => void save())
  const key = (e: KeyboardEvent) => {
    const { row, col } = live.current.at
    const input = e.target as HTMLInputElement
    const whole = input.selectionStart === 0 && input.selectionEnd === input.value.length
    const last = row === p.pupils.length - 1 && col === columns.length - 1
    if ((e.ctrlKey || e.metaKey) && e.key.toLowerCase() === "z" && before.current.length > 0) { e.preventDefault(); writing.current = ""; setTyped(before.current.pop()!) }
    else if (e.key === "Enter" || e.key === "ArrowDown" || e.key === "ArrowUp") { e.preventDefault(); go(row + (e.key === "ArrowUp" || e.shiftKey ? -1 : 1), col) }
    else if (e.key === "Tab" && !e.shiftKey && !last) { e.preventDefault(); if (col < columns.length - 1) go(row, col + 1); else go(row + 1, 0) }
    else if (e.key === "Tab" && e.shiftKey && (row > 0 || col > 0)) { e.preventDefault(); if (col > 0) go(row, col - 1); else go(row - 1, columns.length - 1) }
    else if (e.key === "ArrowLeft" && (whole || input.selectionEnd === 0)) { e.preventDefault(); go(row, col - 1) }
    else if (e.key === "ArrowRight" && (whole || input.selectionStart === input.value.length)) { e.preventDefault(); go(row, col + 1) }
    else if (e.key === "Escape") {
      e.preventDefault()
      const r = p.pupils[row]!, c = columns[col]!, k = keyOf(r.id, c)
      if (live.current.typed.has(k)) write([[r, c, saved.get(k) ?? ""]])
      else input.blur()
    }
  }
  const paste = (e: ClipboardEvent) => {
    const lines = (e.clipboardData?.getData("text/plain") ?? "").replace(/\r/g, "").replace(/\n$/, "").split("\n").map((l) => l.split("\t"))
    if (lines.length === 1 && lines[0]!.length === 1) return
    e.preventDefault()
    const { row, col } = live.current.at
    const block: [Pupil, Column, string][] = []
    lines.forEach((cells, i) => cells.forEach((text, j) => {
      const r = p.pupils[row + i], c = columns[col + j]
      if (r && c) block.push([r, c, text])
    }))
    write(block)
  }
  const pane = columns[at.col]!
  const unsaved = typed.size
  return (
    <div class="sheetpage">
      {faults.length > 0 && <div class="banner bad" role="status"><Icon name="alert" /><span class="grow">
        <b>{n(faults.length, "{n} mark can’t be saved.", "{n} marks can’t be saved.")}</b> <bdi>{faults[0]!.name}</bdi>, {faults[0]!.subject}: {faults[0]!.text}</span>
        <Button size="sm" hint="F8" onClick={nextFault}>{t("Go to it")}</Button></div>}
      <div class="split">
        <div class="frame"><div class="scroll">
          <table class="sheet-marks" role="grid" aria-label={t("Marks")} ref={table} onKeyDown={key} onPaste={paste}>
            <Heads columns={columns} count={(c) => p.pupils.filter((r) => textOf(r, c) !== "").length} of={(c) => p.pupils.filter((r) => takes(r, c)).length} />
            <tbody>{p.pupils.map((r, i) => {
              const sum = total(columns, (c) => textOf(r, c))
              return (
                <tr key={r.id} class={i === at.row ? "at" : ""}>
                  <th scope="row" class="nowrap"><span class="num faint roll">{r.rollNo}</span><a class="quiet" tabIndex={-1} href={`/app/exams/${p.examId}/card/${r.id}`}>
                    <bdi>{r.name}</bdi></a></th>
                  {columns.map((c, j) => <Cell key={j} name={r.name} column={c} text={textOf(r, c)} fault={faultOf(r, c)} fresh={typed.has(keyOf(r.id, c))}
                    takes={takes(r, c)} writes={p.writes}
                    open={i === at.row && j === at.col} onOpen={() => { go(i, j); table.current?.querySelector<HTMLElement>("input.cell")?.focus() }}
                      onWrite={(text) => write([[r, c, text]])} />)}
                  <td class="num strong">{sum === null ? "–" : percent(sum, 100)}</td><td>{gradeOf(p.bands, sum) ?? "–"}</td>
                </tr>
              )
            })}</tbody>
            <tfoot><tr><th scope="row">{t("Average")}</th>{columns.map((c, j) => <td class="num" key={j}>{average(p.pupils, (r) => textOf(r, c), c)}</td>)}<td /><td /></tr></tfoot>
          </table>
        </div></div>
        <Pane column={pane} pupils={p.pupils} text={(r) => textOf(r, pane)} of={p.pupils.filter((r) => takes(r, pane)).length} examId={p.examId} classId={p.classId}
          writes={p.writes} />
      </div>
      {unsaved > 0 && (
        <div class="savebar" role="toolbar" aria-label={t("Unsaved marks")}>
          <b>{n(unsaved, "{n} unsaved mark", "{n} unsaved marks")}</b>
          <Button kind="plain" onClick={() => { before.current.push(typed); setTyped(new Map()); setRefused(new Map()) }}>{t("Discard")}</Button>
          <Button kind="go" busy={busy} hint="Ctrl S" disabled={unsaved === faults.length}
            onClick={save}>{n(Math.max(0, unsaved - faults.length), "Save {n} mark", "Save {n} marks")}</Button>
        </div>
      )}
    </div>
  )
}

function Heads({ columns, count, of }: { columns: Column[]; count: (c: Column) => number; of: (c: Column) => number }) {
  return (
    <thead><tr>
      <th scope="col">{t("Name")}</th>
      {columns.map((c, i) => <th key={i} scope="col" class="num" title={c.paper.subjectName}><span class="block cut">{c.part ? `${c.paper.subjectName}: ${c.part}` : c.label}</span>
        <span class="block faint">{t("{part} of {whole}", { part: count(c), whole: of(c) })}</span></th>)}
      <th scope="col" class="num">{t("Total")}</th><th scope="col">{t("Grade")}</th>
    </tr></thead>
  )
}

interface CellProps {
  name: string; column: Column; text: string; fault: string | undefined; fresh: boolean; takes: boolean; writes: boolean; open: boolean
  onOpen: () => void; onWrite: (text: string) => void
}

function Cell({ name, column: c, text, fault, fresh, takes, writes, open, onOpen, onWrite }: CellProps) {
  const low = c.paper.passMarks !== null && c.part === null && Number(text) < c.paper.passMarks
  const look = fault ? "wrong" : fresh ? "new" : text === "AB" || text === "EX" ? "ab" : text === "" ? "empty" : low ? "low" : ""
  const label = t("{name}, {subject}, out of {max}", { name, subject: c.part ? `${c.paper.subjectName} ${c.part}` : c.paper.subjectName, max: c.max })
  if (!open) return <td class={`mark ${look} ${takes ? "" : "not"}`} role="gridcell" aria-label={`${label}: ${text || t("empty")}`} onClick={onOpen}>{text}</td>
  return (
    <td class={`mark cursor ${look}`} role="gridcell">
      <input class="cell" aria-label={label} aria-invalid={!!fault} value={text} readOnly={!writes || (!takes && text === "")} inputMode="decimal" autocomplete="off"
        onInput={(e) => onWrite(e.currentTarget.value)} />
      {fault && <span class="tip" role="alert">{fault}</span>}
      {!takes && !fault && <span class="tip" role="status">{t("Does not take this subject.")}</span>}
    </td>
  )
}

function average(pupils: Pupil[], text: (r: Pupil) => string, c: Column): string {
  const marks = pupils.map(text).filter((x) => x !== "" && x !== "AB" && x !== "EX" && !wrong(x, c)).map(Number)
  return marks.length === 0 ? "–" : (marks.reduce((a, b) => a + b, 0) / marks.length).toFixed(1)
}
