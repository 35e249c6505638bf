// After marks were sent, the register is read again. Where a later mark of someone else was kept, both are shown.
import { effect, signal } from "@preact/signals"
import { now } from "../api/client"
import { answered, later, type Waiting } from "../api/queue"
import { allWaiting, draft, drafts, keepDrafts } from "../api/vault"
import { changed, keep } from "../shell/load"
import { fullName } from "../words/format"
import { t } from "../words/words"
import { markOf, same, type Mark } from "./marks"
import { nameOf, read, type Register, type Row, type Spot } from "./register"

/** What was sent of a register, until it was compared. assumed: the children about whom the teacher said nothing. */
export interface Sent { spot: Spot; label: string; at: string; marks: Record<string, Mark | null>; assumed: string[] }

/** A child whose mark is not the one that was sent. */
export interface Clash { spot: Spot; label: string; studentId: string; name: string; mine: Mark; mineAt: string; theirs: Mark | null; theirsAt: string | null; theirsBy: string | null }

/** The children whose marks differ, until someone has decided. */
export const clashes = signal<Clash[]>([])

/** Registers whose marks were sent but not compared yet: they count as marked. */
export const settling = signal<string[]>([])

const sentName = (register: string) => `sent/${register}`
const clashName = (register: string) => `clash/${register}`

/** Now, and later than marks that the teacher has seen, whatever the clocks say. */
export function after(seen: (string | null)[]): string {
  return new Date(Math.max(now().getTime(), ...seen.map((at) => (at ? Date.parse(at) + 1 : 0)))).toISOString()
}

/** What is written with a call that sends marks. */
export async function sentDraft(s: Sent): Promise<{ name: string; value: Sent }> {
  const name = sentName(nameOf(s.spot))
  const before = await draft<Sent>(name)
  return { name, value: before ? { ...s, marks: { ...before.marks, ...s.marks }, assumed: [...before.assumed.filter((id) => !(id in s.marks)), ...s.assumed] } : s }
}

// Comparing and deciding change the same list: one after the other.
let turn: Promise<unknown> = Promise.resolve()
function inTurn(fn: () => Promise<void>): Promise<void> {
  const mine = turn.then(fn)
  turn = mine.catch(() => undefined)
  return mine
}

/** Reads the register and compares what was sent with it. A network that fails leaves it for the next time. */
async function settle(register: string): Promise<void> {
  const sent = await draft<Sent>(sentName(register))
  if (!sent || (await isWaiting(register))) return
  const fresh = await read(sent.spot)
  keep(register, fresh)
  await inTurn(() => compare(register, sent.at, fresh))
}

async function isWaiting(register: string): Promise<boolean> {
  return (await allWaiting<Waiting>()).some((w) => w.value.about === register)
}

async function compare(register: string, sentAt: string, fresh: Register): Promise<void> {
  const sent = await draft<Sent>(sentName(register))
  if (sent?.at !== sentAt || (await isWaiting(register))) return // more was sent meanwhile, whose answer compares again
  const undecided = clashes.value.filter((c) => nameOf(c.spot) === register && !(c.studentId in sent.marks))
  const found = [...undecided, ...fresh.items.filter((r) => differs(sent, r)).map((r): Clash => ({
    spot: sent.spot, label: sent.label, studentId: r.studentId, name: fullName(r), mine: sent.marks[r.studentId]!, mineAt: sent.at,
    theirs: markOf(r), theirsAt: r.markedAt, theirsBy: r.markedByName,
  }))]
  await keepDrafts({ name: sentName(register) }, { name: clashName(register), value: found.length ? found : undefined })
  show(register, found)
  settling.value = settling.value.filter((name) => name !== register)
  changed()
}

/** A leave that was approved meanwhile is no difference for a child about whom nothing was said. */
function differs(sent: Sent, r: Row): boolean {
  const mine = sent.marks[r.studentId]
  return !!mine && !same(mine, markOf(r)) && !(r.leaveId && sent.assumed.includes(r.studentId))
}

function show(register: string, found: Clash[]): void {
  clashes.value = [...clashes.value.filter((c) => nameOf(c.spot) !== register), ...found]
}

/** Reads what an earlier visit has left undecided. */
export async function settleAll(): Promise<void> {
  await inTurn(async () => { clashes.value = (await drafts<Clash[]>("clash/")).flat() })
  const open = await drafts<Sent>("sent/")
  settling.value = open.map((s) => nameOf(s.spot))
  for (const s of open) await settle(nameOf(s.spot)).catch(() => undefined)
}

/** Ends a difference: theirs stays, or mine is sent as a mark made now. */
export function decide(c: Clash, mine: boolean): Promise<void> { return inTurn(() => end(c, mine)) }

async function end(c: Clash, mine: boolean): Promise<void> {
  const register = nameOf(c.spot)
  const left = clashes.value.filter((x) => nameOf(x.spot) === register && x.studentId !== c.studentId)
  const rest = { name: clashName(register), value: left.length ? left : undefined }
  if (!mine) await keepDrafts(rest)
  else {
    const at = after([c.theirsAt])
    const { classId, divisionId, date, periodNo } = c.spot
    const body = { classId, date, ...(divisionId && { divisionId }), ...(periodNo && { periodNo }), markedAt: at, records: [{ studentId: c.studentId, ...c.mine }] }
    const sent = await sentDraft({ spot: c.spot, label: c.label, at, marks: { [c.studentId]: c.mine }, assumed: [] })
    await later("/teacher/attendance/mark", body, { label: t("Attendance of {division}", { division: c.label }), lane: register, about: register, drafts: [rest, sent] })
  }
  show(register, left)
}

effect(() => {
  const about = answered.value?.about
  if (!about?.startsWith("register/")) return
  settling.value = [...settling.peek(), about]
  void settle(about).catch(() => undefined)
})
