// The register of a division: read ahead and kept, so that it opens without a network.
import { get } from "../api/client"
import type { Query, Reply } from "../api/contract"
import { recall } from "../api/vault"
import { asFault, held, keep, useLoad, type Loaded } from "../shell/load"

/** What is marked: a division on a day, or in one period of it. */
export interface Spot { classId: string; divisionId?: string | undefined; date: string; periodNo?: number | undefined }
export type Register = Reply<"/teacher/attendance/list", "get">
export type Row = Register["items"][number]

/** Names a register, for what is kept about it. */
export function nameOf(s: Spot): string { return ["register", s.date, s.classId, s.divisionId ?? "", s.periodNo ?? ""].join("/") }

/** Where it is marked. */
export function markPage(s: Spot): string {
  const q = new URLSearchParams({ date: s.date, ...(s.periodNo && { period: String(s.periodNo) }) })
  return `/app/mark/${s.classId}/${s.divisionId ?? "all"}?${q}`
}

/** Reads the whole register, however many children there are. */
export async function read(s: Spot, signal?: AbortSignal): Promise<Register> {
  const ask = { classId: s.classId, divisionId: s.divisionId, date: s.date, periodNo: s.periodNo, limit: 100 } as Query<"/teacher/attendance/list", "get">
  const o = signal ? { signal } : {}
  const first = await get("/teacher/attendance/list", ask, o)
  for (let page = 2; page <= first.totalPages; page++) first.items.push(...(await get("/teacher/attendance/list", { ...ask, page }, o)).items)
  return first
}

export function useRegister(s: Spot | null): Loaded<Register> {
  return useLoad(s ? nameOf(s) : "", (signal) => read(s!, signal))
}

const readAt = new Map<string, number>()
const soon = 60_000

/** Reads registers ahead, one after the other, so that they can be marked without a network. Returns those that this phone has. */
export async function readAhead(spots: Spot[]): Promise<Record<string, Register | undefined>> {
  let offline = false
  const out: Record<string, Register | undefined> = {}
  for (const s of spots) {
    const name = nameOf(s)
    try {
      if (!offline && (!held(name) || Date.now() - (readAt.get(name) ?? 0) > soon)) {
        keep(name, await read(s))
        readAt.set(name, Date.now())
      }
    } catch (e) {
      offline = asFault(e).offline
    }
    out[name] = held<Register>(name) ?? (await recall<Register>(name))?.value
  }
  return out
}
