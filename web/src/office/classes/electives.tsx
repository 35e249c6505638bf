// Electives: subjects of a class that only some of its students take.
import { useState } from "preact/hooks"
import { get, put, remove } from "../../api/client"
import type { Schema } from "../../api/contract"
import { may } from "../../api/session"
import { changed, useGet, useLoad } from "../../shell/load"
import { useKey } from "../../shell/keys"
import { say, sayFault } from "../../shell/toast"
import { Button, Card, Head, Ready, State } from "../../ui/basics"
import { useClasses, useSubjects } from "../../ui/choices"
import { Dialog, Menu } from "../../ui/dialog"
import { Field } from "../../ui/form"
import { fullName } from "../../words/format"
import { n, t } from "../../words/words"
import { ClassTabs } from "./classes"

type Elective = Schema["Elective"]
interface Where { classId: string; subjectId: string; className: string; subjectName: string; fresh: boolean }

function grouped<T>(items: T[], by: (x: T) => string): [string, T[]][] {
  const out = new Map<string, T[]>()
  for (const x of items) out.set(by(x), [...(out.get(by(x)) ?? []), x])
  return [...out]
}

export default function Electives() {
  const loaded = useGet("/school-admin/elective/list", { limit: 100 })
  const classes = useClasses()
  const [open, setOpen] = useState<Where>()
  const [adding, setAdding] = useState(false)
  const writes = may("write", "subject")
  useKey("n", t("New elective"), () => { if (writes) setAdding(true) })
  const order = new Map(classes.items.map((c) => [c.id, c.displayOrder]))
  return (
    <>
      <Head title={t("Electives")} sub={t("Only those who take an elective have its lessons and marks.")}>
        {writes && <Button kind="go" icon="plus" hint="N" onClick={() => setAdding(true)}>{t("New elective")}</Button>}</Head>
      <ClassTabs current="electives" />
      <Ready of={loaded}>{({ items }) => items.length === 0 ? <State icon="book" title={t("No electives")}><p>{t("Every subject is taken by the whole class.")}</p></State> : (
        <div class="classes">{grouped(items, (e) => e.classId).sort((a, b) => (order.get(a[0]) ?? 0) - (order.get(b[0]) ?? 0)).map(([id, of]) => (
          <Card key={id} title={of[0]!.className} flush><ul class="list">{of.map((e) => <Line key={e.subjectId} of={e} open={() => setOpen({ ...e, fresh: false })} />)}</ul></Card>
        ))}</div>
      )}</Ready>
      {adding && <Choose taken={loaded.data?.items ?? []} onClose={() => setAdding(false)} pick={(w) => { setAdding(false); setOpen(w) }} />}
      {open && <Takers where={open} onClose={() => setOpen(undefined)} />}
    </>
  )
}

function Line({ of: e, open }: { of: Elective; open: () => void }) {
  return (
    <li><div class="grow"><b>{e.subjectName}</b><p>{n(e.students, "{n} student takes it", "{n} students take it")}</p></div>
      <Button size="sm" onClick={open}>{may("write", "subject") ? t("Choose students") : t("Look")}</Button>
      <Menu size="sm" label={t("More about {name}", { name: e.subjectName })}
        items={[{ text: t("For the whole class again"), icon: "people", run: () => void drop(e), hidden: !may("delete", "subject") }]} /></li>
  )
}

async function drop(e: Elective): Promise<void> {
  const path = { classId: e.classId, subjectId: e.subjectId }
  try {
    const before = await get("/school-admin/elective/{classId}/{subjectId}", undefined, { path })
    await remove("/school-admin/elective/{classId}/{subjectId}", { path })
    changed()
    say(t("{class}: {subject} is for everyone again.", { class: e.className, subject: e.subjectName }),
      () => put("/school-admin/elective/{classId}/{subjectId}", { studentIds: before.takenBy.map((s) => s.studentId) }, { path }))
  } catch (err) {
    sayFault(err)
  }
}

function Choose({ taken, pick, onClose }: { taken: Elective[]; pick: (w: Where) => void; onClose: () => void }) {
  const classes = useClasses()
  const subjects = useSubjects()
  const [classId, setClass] = useState("")
  const [subjectId, setSubject] = useState("")
  const free = subjects.items.filter((s) => s.classIds.includes(classId) && !taken.some((e) => e.classId === classId && e.subjectId === s.id))
  const go = () => pick({ classId, subjectId, className: classes.items.find((c) => c.id === classId)!.name, subjectName: free.find((s) => s.id === subjectId)!.name, fresh: true })
  return (
    <Dialog title={t("New elective")} onClose={onClose} footer={<Button kind="go" disabled={!subjectId} onClick={go}>{t("Choose students")}</Button>}>
      <Field spec={{ name: "classId", label: t("Class"), kind: "select", required: true, options: classes.options }} value={classId}
        onChange={(v) => { setClass(String(v)); setSubject("") }} />
      <Field spec={{ name: "subjectId", label: t("Subject"), kind: "select", required: true, options: free.map((s) => ({ value: s.id, text: s.name })) }} value={subjectId}
        onChange={(v) => setSubject(String(v))} />
    </Dialog>
  )
}

type Student = { id: string; firstName: string; lastName: string | null; divisionName: string | null }

/** The students of the class, page by page, and who takes the subject. */
async function load(w: Where, signal: AbortSignal): Promise<{ students: Student[]; taken: string[] }> {
  const whole = w.fresh ? null : await get("/school-admin/elective/{classId}/{subjectId}", undefined, { path: { classId: w.classId, subjectId: w.subjectId }, signal })
  const students: Student[] = []
  for (let page = 1, pages = 1; page <= pages; page++) {
    const r = await get("/school-admin/student/list", { classId: w.classId, status: "ACTIVE", sort: "firstName", limit: 100, page }, { signal })
    students.push(...r.items)
    pages = r.totalPages
  }
  return { students, taken: whole?.takenBy.map((s) => s.studentId) ?? [] }
}

function Takers({ where: w, onClose }: { where: Where; onClose: () => void }) {
  const loaded = useLoad(`takers:${w.classId}:${w.subjectId}:${w.fresh}`, (signal) => load(w, signal))
  return (
    <Dialog title={`${w.className}, ${w.subjectName}`} onClose={onClose} wide>
      <Ready of={loaded}>{({ students, taken }) => <Ticks where={w} students={students} taken={taken} onClose={onClose} />}</Ready>
    </Dialog>
  )
}

function Ticks({ where: w, students, taken, onClose }: { where: Where; students: Student[]; taken: string[]; onClose: () => void }) {
  const [on, setOn] = useState(new Set(taken))
  const [busy, setBusy] = useState(false)
  const path = { classId: w.classId, subjectId: w.subjectId }
  const set = (ids: string[], yes: boolean) => setOn((old) => { const s = new Set(old); for (const id of ids) { if (yes) s.add(id); else s.delete(id) } return s })
  async function save() {
    setBusy(true)
    try {
      await put("/school-admin/elective/{classId}/{subjectId}", { studentIds: [...on] }, { path })
      changed()
      say(n(on.size, "{n} student takes {subject}.", "{n} students take {subject}.", { subject: w.subjectName }), async () => {
        if (w.fresh) await remove("/school-admin/elective/{classId}/{subjectId}", { path })
        else await put("/school-admin/elective/{classId}/{subjectId}", { studentIds: taken }, { path })
      })
      onClose()
    } catch (e) {
      sayFault(e)
    } finally {
      setBusy(false)
    }
  }
  return (
    <>
      {grouped(students, (s) => s.divisionName ?? "").sort((a, b) => a[0].localeCompare(b[0])).map(([division, of]) => (
        <fieldset key={division}>
          <legend class="row">{division ? t("Division {name}", { name: division }) : t("Without a division")}
            <Button kind="plain" size="sm" onClick={() => set(of.map((s) => s.id), !of.every((s) => on.has(s.id)))}>
              {of.every((s) => on.has(s.id)) ? t("None") : t("All")}</Button></legend>
          <div class="ticks">{of.map((s) => <label class="check" key={s.id}><input type="checkbox" checked={on.has(s.id)}
            onChange={(e) => set([s.id], e.currentTarget.checked)} /><bdi>{fullName(s)}</bdi></label>)}</div>
        </fieldset>
      ))}
      {students.length === 0 && <p class="muted">{t("Nobody is in this class.")}</p>}
      <div class="row"><span class="muted small">{n(on.size, "{n} student", "{n} students")}</span><span class="push" />
        {may("write", "subject") && <Button kind="go" busy={busy} onClick={() => void save()}>{t("Save who takes it")}</Button>}</div>
    </>
  )
}
