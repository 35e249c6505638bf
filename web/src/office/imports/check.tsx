// The rows of an import with what is wrong beside each cell. Corrections stay here; the file is not changed.
import { useRef, useState } from "preact/hooks"
import { useKey } from "../../shell/keys"
import { say } from "../../shell/toast"
import { Badge, Banner, Button, Figures, Icon, Segments } from "../../ui/basics"
import { saveCSV } from "../../ui/csv"
import { Dialog } from "../../ui/dialog"
import { Form, type FieldSpec } from "../../ui/form"
import { count } from "../../words/format"
import { n, t } from "../../words/words"
import { labelOf } from "./kinds"
import type { Result, Table } from "./wizard"

type Fault = Result["errors"][number]
const page = 50

export function Check({ table, result, fresh, setTable }: { table: Table; result: Result; fresh: boolean; setTable: (t: Table) => void }) {
  const faults = new Map<number, Fault[]>()
  for (const e of result.errors) faults.set(e.row - 2, [...(faults.get(e.row - 2) ?? []), e]) // the headings are row 1
  const [view, setView] = useState<"wrong" | "all">(faults.size ? "wrong" : "all")
  const [from, setFrom] = useState(0)
  const [editing, setEditing] = useState<number>()
  const body = useRef<HTMLTableSectionElement>(null)
  useKey("f8", t("Next fault"), () => {
    const all = [...(body.current?.querySelectorAll<HTMLElement>("[aria-invalid]") ?? [])]
    all[(all.indexOf(document.activeElement as HTMLElement) + 1) % all.length]?.focus()
  })
  const shown = table.rows.map((_, i) => i).filter((i) => view === "all" || faults.has(i))
  const setRow = (i: number, row: string[]) => setTable({ ...table, rows: table.rows.map((r, j) => (j === i ? row : r)) })
  const drop = (i: number) => {
    setTable({ ...table, rows: table.rows.filter((_, j) => j !== i) })
    say(t("Row {n} is taken out.", { n: i + 2 }), async () => setTable(table))
  }
  return (
    <>
      <Figures label={t("Result of the check")} items={[
        { label: t("Ready"), value: count(result.total - result.failed), note: fresh ? "" : t("checking…"), tone: "good" },
        { label: t("To correct"), value: <span class={result.failed ? "bad" : ""}>{count(result.failed)}</span>,
          note: result.failed ? n(result.errors.length + result.notShown, "{n} fault", "{n} faults") : "" },
        { label: t("New"), value: count(result.created) },
        { label: t("Changed"), value: count(result.updated), note: result.unchanged ? n(result.unchanged, "{n} is the same", "{n} are the same") : "" },
      ]} />
      {result.warnings.map((w) => <Banner key={w} tone="warn" icon="info">{w}</Banner>)}
      <div class="frame">
        <div class="row wrap pad">
          <Segments label={t("Rows")} value={view} onChange={(v) => { setView(v); setFrom(0) }}
            options={[{ value: "wrong", text: `${t("To correct")} ${count(faults.size)}` }, { value: "all", text: `${t("All")} ${count(table.rows.length)}` }]} />
          <span class="push small muted hide-sm">{t("Correct it here. Your file is not changed.")} <kbd>F8</kbd> {t("next fault")}</span>
          <Button size="sm" icon="save" disabled={result.errors.length === 0} onClick={() => void saveFaults(table, result.errors)}>{t("Faults as CSV")}</Button>
        </div>
        {shown.length === 0 ? <p class="pad muted"><Icon name="check" /> {t("Nothing to correct.")}</p> : (
          <div class="scroll"><table class="checked">
            <thead><tr><th scope="col" class="num">{t("Row")}</th><th scope="col">{t("State")}</th>{table.columns.map((c) => <th scope="col" key={c}>{labelOf(c)}</th>)}<th
              scope="col"><span class="sr">{t("Actions")}</span></th></tr></thead>
            <tbody ref={body}>{shown.slice(from, from + page).map((i) => (
              <Line key={`${i}:${table.rows[i]!.join("|")}`} no={i + 2} row={table.rows[i]!} columns={table.columns} faults={faults.get(i) ?? []} set={(row) => setRow(i, row)}
                edit={() => setEditing(i)} drop={() => drop(i)} />
            ))}</tbody>
          </table></div>
        )}
        {shown.length > page && (
          <div class="row pad small muted"><span>
            {t("{from}–{to} of {total}", { from: count(from + 1), to: count(Math.min(shown.length, from + page)), total: count(shown.length) })}</span><span class="push group">
            <Button icon="left" aria-label={t("Previous page")} disabled={from === 0} onClick={() => setFrom(from - page)} /><Button icon="right" aria-label={t("Next page")}
              disabled={from + page >= shown.length} onClick={() => setFrom(from + page)} /></span></div>
        )}
      </div>
      {editing !== undefined && (
        <Dialog title={t("Row {n}", { n: editing + 2 })} onClose={() => setEditing(undefined)} wide>
          <Form fields={fieldsOf(table.columns, faults.get(editing) ?? [])} initial={Object.fromEntries(table.columns.map((c, j) => [c, table.rows[editing]![j]]))}
            button={t("Take over")} onCancel={() => setEditing(undefined)}
            submit={async (v) => { setRow(editing, table.columns.map((c) => String(v[c] ?? ""))); setEditing(undefined) }} />
        </Dialog>
      )}
    </>
  )
}

/** All cells of a row as a form, with the faults as help. */
function fieldsOf(columns: string[], faults: Fault[]): FieldSpec[] {
  return columns.map((c) => ({ name: c, label: labelOf(c), help: faults.filter((f) => f.field === c).map((f) => spoken(f.message)).join(" ") }))
}

interface LineProps { no: number; row: string[]; columns: string[]; faults: Fault[]; set: (row: string[]) => void; edit: () => void; drop: () => void }

function Line({ no, row, columns, faults, set, edit, drop }: LineProps) {
  const whole = faults.filter((f) => !f.field || !columns.includes(f.field))
  return (
    <tr class={faults.length ? "wrong" : ""}>
      <td class="num faint">{no}</td>
      <td>{faults.length ? <Badge tone="bad"><Icon name="alert" size="xs" />{t("Correct it")}</Badge> : <Badge tone="good"><Icon name="check" size="xs" />{t("Ready")}</Badge>}
        {whole.map((f) => <p class="error" key={f.message}>{f.field && !columns.includes(f.field) ? `${labelOf(f.field)}: ` : ""}{spoken(f.message)}</p>)}</td>
      {columns.map((c, j) => {
        const wrong = faults.filter((f) => f.field === c)
        if (wrong.length === 0) return <td key={c}><span class="one">{row[j] || <span class="faint">–</span>}</span></td>
        const id = `fault-${no}-${c}`
        return (
          <td key={c}><div class="field wrong">
            <input class="input" aria-label={t("{column}, row {n}", { column: labelOf(c), n: no })} aria-invalid="true" aria-describedby={id} value={row[j]}
              onChange={(e) => set(row.map((v, k) => (k === j ? e.currentTarget.value : v)))} />
            <span class="error" id={id}>{wrong.map((f) => spoken(f.message)).join(" ")}</span>
          </div></td>
        )
      })}
      <td class="act"><span class="row"><Button kind="plain" size="sm" icon="pen" aria-label={t("Edit row {n}", { n: no })} onClick={edit} /><Button kind="plain" size="sm"
        icon="x" aria-label={t("Take row {n} out", { n: no })} onClick={drop} /></span></td>
    </tr>
  )
}

/** Begins with a capital, and leaves out what only a program can do. */
function spoken(message: string): string {
  const words = message.split(/(?<=[,;:])\s/).filter((part) => !part.includes("mode=upsert")).join(" ").replace(/[,;:]$/, "")
  return words.charAt(0).toUpperCase() + words.slice(1) + (/[.…]$/.test(words) ? "" : ".")
}

function saveFaults(table: Table, faults: Fault[]): Promise<void> {
  return saveCSV("faults", [
    { label: t("Row"), text: (f: Fault) => f.row }, { label: t("Column"), text: (f) => (f.field ? labelOf(f.field) : "") }, { label: t("Fault"), text: (f) => spoken(f.message) },
    ...table.columns.map((c, j) => ({ label: labelOf(c), text: (f: Fault) => table.rows[f.row - 2]?.[j] })),
  ], async () => faults)
}
