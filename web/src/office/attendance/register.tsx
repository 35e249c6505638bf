// The register of a division: one child a row, marked by letters or by touch.
import { useEffect, useRef, useState } from "preact/hooks"
import { post } from "../../api/client"
import { may } from "../../api/session"
import { useKept } from "../../shell/kept"
import { useKey } from "../../shell/keys"
import { changed, useGet } from "../../shell/load"
import { say, sayFault } from "../../shell/toast"
import { Banner, Button, Ready, State } from "../../ui/basics"
import { Menu } from "../../ui/dialog"
import { useWarning } from "../../ui/form"
import { fullName, when } from "../../words/format"
import { n, t } from "../../words/words"
import { Correct } from "./correct"
import { choices, markOf, none, press, record, same, tells, type Mark, type Pupil } from "./marks"
import { PupilRow } from "./row"

interface Props { classId: string; divisionId: string; date: string; periodNo: number | undefined; name: string }
type Changes = Map<string, Mark>

export function Register(p: Props) {
  const loaded = useGet("/school-admin/attendance/list", { classId: p.classId, divisionId: p.divisionId, date: p.date, limit: 100, ...(p.periodNo && { periodNo: p.periodNo }) })
  const slot = `${p.date} ${p.periodNo ?? ""}`
  const dirty = useRef(false)
  const [unsaved, setUnsaved] = useKept<Record<string, Changes>>("register", {}, dirty) // by day and lesson: choosing another day loses nothing
  const changes = unsaved[slot] ?? new Map<string, Mark>()
  dirty.current = Object.values(unsaved).some((c) => c.size > 0)
  useWarning(dirty)
  return (
    <Ready of={loaded} rows={12}>{(data) => data.items.length === 0
      ? <State icon="people" title={t("No students in this division")} />
      : <Sheet {...p} pupils={data.items} holiday={data.holiday} schoolDay={data.isSchoolDay} changes={changes}
          setChanges={(next) => setUnsaved((all) => ({ ...all, [slot]: next }))}
          saved={(sent) => setUnsaved((all) => ({ ...all, [slot]: without(all[slot], sent) }))} />}
    </Ready>
  )
}

/** The changes that were made after some were sent. */
function without(all: Changes | undefined, sent: Changes): Changes { return new Map([...(all ?? [])].filter(([id, mark]) => sent.get(id) !== mark)) }

type SheetProps = Props & { pupils: Pupil[]; holiday: string | null; schoolDay: boolean; changes: Changes; setChanges: (c: Changes) => void
  saved: (sent: Changes) => void }

function Sheet({ pupils, holiday, schoolDay, changes, setChanges, saved, ...p }: SheetProps) {
  const [at, showAt] = useState(0)
  const [open, setOpen] = useState<Pupil>()
  const [busy, setBusy] = useState(false)
  const body = useRef<HTMLTableSectionElement>(null)
  const writes = may("write", "attendance")
  const latest = useRef({ at, changes }) // keys can be faster than drawing
  latest.current.changes = changes
  const setAt = (i: number) => { latest.current.at = i; showAt(i) }
  const now = (x: Pupil) => latest.current.changes.get(x.studentId) ?? markOf(x)
  const set = (many: Pupil[], to: (m: Mark) => Mark | undefined) => {
    const next = new Map(latest.current.changes)
    for (const x of many) {
      const mark = to(now(x))
      if (!mark || (p.periodNo && mark.halfDay) || (holiday && mark.status && mark.status !== "HOLIDAY")) continue
      if (same(mark, markOf(x))) next.delete(x.studentId)
      else next.set(x.studentId, mark)
    }
    latest.current.changes = next
    setChanges(next)
  }
  const focusRow = (i: number) => { setAt(i); body.current?.children[i]?.querySelector<HTMLElement>("[data-mark]")?.focus() }
  useEffect(() => { if (document.activeElement === document.body) body.current?.querySelector<HTMLElement>("[data-mark]")?.focus({ preventScroll: true }) }, [])
  const save = async (quiet = false) => {
    const { changes } = latest.current
    if (changes.size === 0 || busy) return
    setBusy(true)
    try {
      await saveMarks(p, pupils, changes, quiet)
      saved(changes) // what was marked meanwhile stays
    } catch (e) { sayFault(e) } finally { setBusy(false) }
  }
  for (const c of choices()) useKey(c.letter.toLowerCase(), c.text, () => { if (writes) set(pupils.slice(latest.current.at, latest.current.at + 1), (m) => press(c.letter, m)) })
  useKey("r", t("Remark"), () => body.current?.children[latest.current.at]?.querySelector<HTMLElement>("[data-remark]")?.focus())
  useKey("ctrl+s", t("Save the marks"), () => void save())
  const left = pupils.filter((x) => !now(x).status)
  const families = told(pupils, changes, p.date)
  return (
    <div class="register">
      {holiday ? <Banner icon="cal">{t("{name}: only “holiday” can be marked.", { name: holiday })}</Banner> : !schoolDay && <Banner
        icon="cal">{t("There is no school on this day. You can mark it all the same.")}</Banner>}
      <div class="frame">
        <header class="row wrap pad">
          <p class="small muted">{progress(pupils)}</p><span class="push" />
          {writes && left.length > 0 && !holiday && <Button icon="check"
            onClick={() => set(left, (m) => press("P", m))}>{n(left.length, "The one left is present", "The {n} left are present")}</Button>}
          {writes && <Menu label={t("Mark all")} items={[
            { text: t("All are present"), icon: "check", hidden: !!holiday, run: () => set(pupils, (m) => press("P", m)) },
            { text: t("All have a holiday"), icon: "cal", run: () => set(pupils, (m) => press("X", m)) },
            { text: t("Take all marks back"), icon: "x", run: () => set(pupils, () => none) },
          ]} />}
        </header>
        <div class="scroll">
          <table class="marking" role="grid" aria-label={t("Marks of {name}", { name: p.name })} onKeyDown={(e) => moveRow(e, latest.current.at, pupils.length, focusRow)}>
            <thead><tr>
              <th scope="col" class="num hide-sm">{t("Roll")}</th><th scope="col">{t("Name")}</th><th scope="col">{t("Mark")}</th><th scope="col"
                class="hide-sm">{t("Remark")}</th><th scope="col"><span class="sr">{t("History")}</span></th>
            </tr></thead>
            <tbody ref={body}>
              {pupils.map((x, i) => (
                <PupilRow key={x.studentId} pupil={x} mark={now(x)} fresh={changes.has(x.studentId)} at={i === at} lesson={!!p.periodNo} holiday={!!holiday} writes={writes}
                  onFocus={() => setAt(i)} onChange={(to) => set([x], to)} onHistory={() => setOpen(x)} />
              ))}
            </tbody>
          </table>
        </div>
        <Keys />
      </div>
      {changes.size > 0 && (
        <div class="savebar" role="toolbar" aria-label={t("Unsaved marks")}>
          <b>{n(changes.size, "{n} unsaved mark", "{n} unsaved marks")}</b>
          <Button kind="plain" onClick={() => setChanges(new Map())}>{t("Discard")}</Button>
          {families > 0 && <Button busy={busy} onClick={() => save(true)}>{t("Save quietly")}</Button>}
          <Button kind="go" busy={busy} hint="Ctrl S" onClick={() => save()}>{saveText(families)}</Button>
        </div>
      )}
      {open && <Correct classId={p.classId} divisionId={p.divisionId} studentId={open.studentId} name={fullName(open)} date={p.date} periodNo={p.periodNo}
        onClose={() => setOpen(undefined)} />}
    </div>
  )
}

function told(pupils: Pupil[], changes: Changes, date: string): number {
  return pupils.filter((x) => changes.has(x.studentId) && tells(markOf(x), changes.get(x.studentId)!, date)).length
}

function saveText(families: number): string {
  return families === 0 ? t("Save the marks") : n(families, "Save and tell one family", "Save and tell {n} families")
}

async function saveMarks(p: Props, pupils: Pupil[], changes: Changes, quiet: boolean): Promise<void> {
  const where = { classId: p.classId, divisionId: p.divisionId, date: p.date, ...(p.periodNo && { periodNo: p.periodNo }) }
  const touched = pupils.filter((x) => changes.has(x.studentId))
  const families = quiet ? 0 : told(pupils, changes, p.date)
  const before = touched.map((x) => record(x.studentId, markOf(x)))
  const records = touched.map((x) => record(x.studentId, changes.get(x.studentId)!))
  await post("/school-admin/attendance/mark", { ...where, quiet, records }, { key: crypto.randomUUID() })
  changed()
  const text = n(touched.length, "{name}: {n} mark is saved.", "{name}: {n} marks are saved.", { name: p.name })
  const undo = (quiet: boolean) => () => post("/school-admin/attendance/mark", { ...where, quiet, records: before })
  if (families === 0) return void say(text, undo(quiet))
  say(`${text} ${n(families, "One family is told.", "{n} families are told.")}`, undo(false), { text: t("Undo quietly"), undo: undo(true) })
}

function progress(pupils: Pupil[]): string {
  const marked = pupils.filter((x) => x.status)
  if (marked.length === 0) return t("Nobody is marked yet.")
  const last = marked.map((x) => x.markedAt ?? "").sort().at(-1)
  if (marked.length === pupils.length) return t("All {n} are marked, the last at {time}.", { n: pupils.length, time: when(last) })
  return t("{marked} of {all} are marked, the last at {time}.", { marked: marked.length, all: pupils.length, time: when(last) })
}

function moveRow(e: KeyboardEvent, at: number, rows: number, to: (i: number) => void): void {
  const target = e.target as HTMLElement
  if (target.tagName === "INPUT") {
    if (e.key === "Enter" || e.key === "Escape") { e.preventDefault(); to(e.key === "Enter" ? Math.min(rows - 1, at + 1) : at) }
    return
  }
  const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows - 1, PageDown: at + 10, PageUp: at - 10 }[e.key]
  if (next === undefined) return
  e.preventDefault()
  to(Math.max(0, Math.min(rows - 1, next)))
}

export function Keys() {
  return (
    <div class="keys markkeys hide-sm">
      <span><kbd>↑</kbd><kbd>↓</kbd> {t("move")}</span>
      {choices().map((c) => <span key={c.letter}><kbd>{c.letter}</kbd> {c.text.toLowerCase()}</span>)}
      <span><kbd>R</kbd> {t("remark")}</span><span><kbd>Ctrl</kbd><kbd>S</kbd> {t("save")}</span><span><kbd>Ctrl</kbd><kbd>Z</kbd> {t("undo")}</span>
    </div>
  )
}
