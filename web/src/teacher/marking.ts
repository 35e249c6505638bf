// Marking a register: what the service has, under what waits to be sent, under what was tapped. Every tap is on disk before the page says it is kept.
import { useEffect, useRef, useState } from "preact/hooks"
import type { Input } from "../api/contract"
import { discard, later, waiting } from "../api/queue"
import { draft, keepDrafts } from "../api/vault"
import { t } from "../words/words"
import { after, sentDraft, type Sent } from "./clash"
import { markOf, present, same, tapped, type Mark } from "./marks"
import { nameOf, useRegister, type Row, type Spot } from "./register"

interface Taps { marks: Record<string, Mark>; last?: string | undefined }
type Body = { records: { studentId: string; status: Mark["status"] | null; halfDay?: Mark["halfDay"]; minutesLate?: number; remark?: string }[] }

export interface Child { row: Row; mark: Mark; was: Mark | null; touched: boolean }

export function useMarking(spot: Spot, label: string) {
  const name = nameOf(spot)
  const register = useRegister(spot)
  const day = useRegister(spot.periodNo ? { ...spot, periodNo: undefined } : null) // who is away the whole day is away in its lessons
  const [taps, setTaps] = useState<Taps>()
  const [kept, setKept] = useState(true)
  const latest = useRef<Taps>({ marks: {} })
  const writing = useRef(Promise.resolve())
  useEffect(() => {
    void draft<Taps>(`taps/${name}`).then((d) => { latest.current = d ?? { marks: {} }; setTaps(latest.current) })
  }, [name])
  const calls = waiting.value.filter((w) => w.about === name)
  const queued = Object.assign({}, ...calls.map((w) => marksOf(w.body as Body))) as Record<string, Mark | null>
  const children = (register.data?.items ?? []).map((row): Child => {
    const was = row.studentId in queued ? queued[row.studentId]! : markOf(row)
    const mine = taps?.marks[row.studentId]
    return { row, was, mark: mine ?? was ?? away(day.data?.items, row.studentId) ?? present, touched: !!mine }
  })
  /** Writes one after the other, the newest state each time. */
  function change(next: Taps) {
    latest.current = next
    setTaps(next)
    setKept(false)
    writing.current = writing.current.then(() => keepDrafts({ name: `taps/${name}`, value: Object.keys(next.marks).length ? next : undefined })).then(() => { if (latest.current === next) setKept(true) })
  }
  const set = (c: Child, mark: Mark) => change({ marks: { ...latest.current.marks, [c.row.studentId]: mark }, last: c.row.studentId })
  /** Sends what was tapped, and that the others are present. Returns the children whose marks are sent. */
  async function done(): Promise<Child[]> {
    const sending = children.filter((c) => (c.touched ? !same(c.mark, c.was) : !c.was))
    await writing.current
    if (sending.length > 0) await send(spot, label, sending, register.data!.readAt)
    else await keepDrafts({ name: `taps/${name}` })
    for (const w of calls) if (w.refused) await discard(w.id)
    latest.current = { marks: {} }
    setTaps(latest.current)
    return sending
  }
  return {
    register, children, kept, ready: !!register.data && !!taps, refused: calls.find((w) => w.refused)?.refused, waits: calls.some((w) => !w.refused),
    last: children.find((c) => c.row.studentId === taps?.last && c.touched), dirty: children.some((c) => c.touched && !same(c.mark, c.was)),
    tap: (c: Child) => set(c, tapped(latest.current.marks[c.row.studentId] ?? c.mark, c.row.status === "LEAVE")), set, done,
    drop: () => change({ marks: {} }),
  }
}

function away(day: Row[] | undefined, studentId: string): Mark | undefined {
  const row = day?.find((r) => r.studentId === studentId)
  return row && !row.halfDay && (row.status === "ABSENT" || row.status === "LEAVE") ? { status: row.status } : undefined
}

/** Brings back the marks that children had before, or none. */
export async function takeBack(spot: Spot, label: string, children: Child[]): Promise<void> {
  const records = children.map((c) => (c.was ? { studentId: c.row.studentId, ...clean(c.was) } : { studentId: c.row.studentId, status: null }))
  await queue(spot, label, records, after(children.map((c) => c.row.markedAt)), { marks: Object.fromEntries(children.map((c) => [c.row.studentId, c.was])), assumed: [] })
}

async function send(spot: Spot, label: string, children: Child[], readAt: string): Promise<void> {
  const records = children.map((c) => ({ studentId: c.row.studentId, ...clean(c.mark), ...(!c.touched && { readAt }) }))
  const marks = Object.fromEntries(children.map((c) => [c.row.studentId, c.mark]))
  await queue(spot, label, records, after(children.map((c) => c.row.markedAt)), { marks, assumed: children.filter((c) => !c.touched).map((c) => c.row.studentId) })
}

async function queue(spot: Spot, label: string, records: Body["records"], at: string, said: Pick<Sent, "marks" | "assumed">): Promise<void> {
  const register = nameOf(spot)
  const { classId, divisionId, date, periodNo } = spot
  const body = { classId, date, ...(divisionId && { divisionId }), ...(periodNo && { periodNo }), markedAt: at, records }
  const sent = await sentDraft({ spot, label, at, ...said })
  await later("/teacher/attendance/mark", body as Input<"/teacher/attendance/mark", "post">,
    { label: t("Attendance of {division}", { division: label }), lane: register, about: register, drafts: [{ name: `taps/${register}` }, sent] })
}

/** A mark as the service takes it. */
function clean({ remark, ...m }: Mark): Mark { return { ...m, ...(remark?.trim() && { remark: remark.trim() }) } }

function marksOf(body: Body): Record<string, Mark | null> {
  return Object.fromEntries(body.records.map(({ studentId, status, halfDay, minutesLate, remark }) => [studentId, status && { status, ...(halfDay && { halfDay }), ...(minutesLate && { minutesLate }), ...(remark && { remark }) }]))
}
