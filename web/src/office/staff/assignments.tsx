// What a teacher teaches, as a grid: a row for each division, a column for each subject.
import { useMemo, useRef, useState } from "preact/hooks"
import { post } from "../../api/client"
import type { Reply } from "../../api/contract"
import { may } from "../../api/session"
import { changed, useGet } from "../../shell/load"
import { useKey } from "../../shell/keys"
import { say, sayFault } from "../../shell/toast"
import { Button, Ready, State } from "../../ui/basics"
import { currentYear, useClasses, useDivisions, useSubjects, yearOptions } from "../../ui/choices"
import { Field, useWarning } from "../../ui/form"
import { useGrid } from "../../ui/grid"
import { n, t } from "../../words/words"

type Loaded = Reply<"/school-admin/employee/{id}/assignments", "get">
interface Line { classId: string; divisionId: string | null; name: string }

const key = (l: Line, subject: string) => `${l.classId}|${l.divisionId ?? ""}|${subject}`
const leads = "class-teacher"
const all = "all"

export function Assignments({ employeeId, name }: { employeeId: string; name: string }) {
  const [year, setYear] = useState(currentYear() ?? "")
  const loaded = useGet("/school-admin/employee/{id}/assignments", year ? { academicYearId: year } : {}, { id: employeeId })
  const classes = useClasses(year || undefined)
  const divisions = useDivisions()
  const subjects = useSubjects()
  const ready = loaded.data && classes.data && divisions.data && subjects.data
  const state = { data: ready && loaded.data, fault: loaded.fault ?? classes.fault ?? divisions.fault ?? subjects.fault, reload: loaded.reload }
  return (
    <>
      {yearOptions().length > 1 && <Field spec={{ name: "year", label: t("Year"), kind: "select", required: true, options: yearOptions() }} value={year}
        onChange={(v) => setYear(String(v))} />}
      <Ready of={state}>{(a) => <Grid key={a!.academicYearId + JSON.stringify(a!.assignments)} employeeId={employeeId} name={name} loaded={a!}
        lines={linesOf(classes.items, divisions.items, a!)} subjects={subjects.items} />}</Ready>
    </>
  )
}

/** A line for each division; for the class as a whole if it has none, or if something is assigned so. */
function linesOf(classes: { id: string; name: string; displayOrder: number }[], divisions: { id: string; name: string; classId: string }[], a: Loaded): Line[] {
  return [...classes].sort((x, y) => x.displayOrder - y.displayOrder).flatMap((c) => {
    const own = divisions.filter((d) => d.classId === c.id).map((d): Line => ({ classId: c.id, divisionId: d.id, name: `${c.name} ${d.name}` }))
    const whole = own.length === 0 || a.assignments.some((x) => x.classId === c.id && x.divisionId === null)
    return whole ? [{ classId: c.id, divisionId: null, name: own.length ? t("{class}, all divisions", { class: c.name }) : c.name }, ...own] : own
  })
}

function startOf(a: Loaded): Set<string> {
  const out = new Set<string>()
  for (const x of a.assignments) {
    const line = { classId: x.classId, divisionId: x.divisionId, name: "" }
    if (x.subjectId || !x.isClassTeacher) out.add(key(line, x.subjectId ?? all))
    if (x.isClassTeacher) out.add(key(line, leads))
  }
  return out
}

/** The assignments of the ticked cells. The class teacher's mark is part of a subject, if there is one. */
function assignmentsOf(ticked: Set<string>, lines: Line[], subjects: string[]) {
  return lines.flatMap((l) => {
    const taught = [...subjects, all].filter((s) => ticked.has(key(l, s))).map((s) => ({ classId: l.classId, divisionId: l.divisionId, subjectId: s === all ? null : s,
      isClassTeacher: false }))
    if (!ticked.has(key(l, leads))) return taught
    if (taught[0]) taught[0].isClassTeacher = true
    else taught.push({ classId: l.classId, divisionId: l.divisionId, subjectId: null, isClassTeacher: true })
    return taught
  })
}

interface GridProps { employeeId: string; name: string; loaded: Loaded; lines: Line[]; subjects: { id: string; name: string; classIds: string[] }[] }

function Grid({ employeeId, name, loaded, lines, subjects }: GridProps) {
  const start = useMemo(() => startOf(loaded), [loaded])
  const [ticked, setTicked] = useState(start)
  const [busy, setBusy] = useState(false)
  const writes = may("write", "employee")
  const wholeUsed = [...start].some((k) => k.endsWith(`|${all}`))
  const columns = [{ id: leads, name: t("Class teacher"), classIds: null as string[] | null },
    ...(wholeUsed ? [{ id: all, name: t("All subjects"), classIds: null }] : []), ...subjects]
  const grid = useGrid(lines.length, columns.length)
  const different = [...new Set([...start, ...ticked])].filter((k) => start.has(k) !== ticked.has(k)).length
  const dirty = useRef(false)
  dirty.current = different > 0
  useWarning(dirty)
  const flip = (k: string) => setTicked((old) => { const s = new Set(old); if (!s.delete(k)) s.add(k); return s })
  const send = (set: Set<string>) => post("/school-admin/employee/{id}/assignments",
    { academicYearId: loaded.academicYearId, assignments: assignmentsOf(set, lines, subjects.map((s) => s.id)) }, { path: { id: employeeId } })
  async function save() {
    if (!different) return
    setBusy(true)
    try {
      await send(ticked)
      changed()
      say(t("The classes of {name} are saved.", { name }), () => send(start))
    } catch (e) {
      sayFault(e)
    } finally {
      setBusy(false)
    }
  }
  useKey("ctrl+s", t("Save"), () => void save())
  if (lines.length === 0) return <State icon="cap" title={t("No classes in this year")} />
  return (
    <>
      <div class="frame"><div class="scroll"><table class="matrix" aria-label={t("Classes and subjects of {name}", { name })} {...grid.keys}>
        <thead><tr><th scope="col" class="pin">{t("Division")}</th>{columns.map((c) => <th scope="col" key={c.id} class="tilt">{c.name}</th>)}</tr></thead>
        <tbody>{lines.map((l, r) => (
          <tr key={l.classId + l.divisionId}><th scope="row" class="pin">{l.name}</th>
            {columns.map((c, i) => {
              const k = key(l, c.id)
              const taught = c.classIds === null || c.classIds.includes(l.classId) || start.has(k)
              return <td key={c.id} class={start.has(k) !== ticked.has(k) ? (ticked.has(k) ? "plus" : "minus") : ""}>
                {taught && <input type="checkbox" {...grid.cell(r, i)} disabled={!writes} checked={ticked.has(k)} aria-label={`${l.name}, ${c.name}`}
                  onChange={() => flip(k)} />}</td>
            })}</tr>
        ))}</tbody>
      </table></div></div>
      {different > 0 && (
        <div class="savebar" role="status"><b>{n(different, "{n} change not saved", "{n} changes not saved")}</b><Button onClick={() => setTicked(start)}>
          {t("Discard")}</Button><Button kind="go" hint="Ctrl S" busy={busy} onClick={() => void save()}>{t("Save")}</Button></div>
      )}
    </>
  )
}
