// Marks of a paper while they are entered: what the service has, under what waits, under what was typed.
import { useEffect, useRef, useState } from "preact/hooks"
import { get } from "../api/client"
import type { Input, Row } from "../api/contract"
import { discard, later, waiting } from "../api/queue"
import { draft, keepDrafts } from "../api/vault"
import { useLoad } from "../shell/load"
import { t } from "../words/words"

export type Paper = Row<"/teacher/exam/schedule">
export type Result = Row<"/teacher/result/list">
/** What was typed for a child. One text for each component, or one alone. */
export interface Score { parts: string[]; absent: boolean }
type Typed = Record<string, Score>
type Body = Input<"/teacher/result/upload", "post">

export function scoresName(exam: string, classId: string, subject: string): string { return `scores/${exam}/${classId}/${subject}` }

/** Reads the results of a paper, however many there are. */
export function useResults(examId: string, classId: string, subjectId: string) {
  return useLoad(`results/${examId}/${classId}/${subjectId}`, async (signal) => {
    const ask = { examId, classId, subjectId, limit: 100 } as object
    const first = await get("/teacher/result/list", ask, { signal })
    for (let page = 2; page <= first.totalPages; page++) first.items.push(...(await get("/teacher/result/list", { ...ask, page }, { signal })).items)
    return first.items
  })
}

export function scoreOf(r: Result | undefined, names: string[]): Score {
  const parts = names.length ? names.map((name) => String(r?.components.find((c) => c.name === name)?.marks ?? "")) : [r?.marks === null || r === undefined ? "" : String(r.marks)]
  return { parts, absent: r?.outcome === "ABSENT" }
}

export function sameScore(a: Score, b: Score): boolean { return a.absent === b.absent && (a.absent || a.parts.join("/") === b.parts.join("/")) }

/** What is wrong with a score; "" if nothing is. */
export function wrongScore(s: Score, most: number[]): string {
  if (s.absent || s.parts.every((p) => p.trim() === "")) return ""
  if (s.parts.some((p) => p.trim() === "")) return t("Enter every part.")
  for (const [i, p] of s.parts.entries()) {
    if (!/^\d+([.,]\d{1,2})?$/.test(p.trim())) return t("Marks are a number with at most two decimals.")
    if (Number(p.replace(",", ".")) > most[i]!) return t("At most {n}.", { n: most[i]! })
  }
  return ""
}

export function useScores(examId: string, classId: string, subjectId: string, names: string[], label: string) {
  const name = scoresName(examId, classId, subjectId)
  const results = useResults(examId, classId, subjectId)
  const [typed, setTyped] = useState<Typed>()
  const latest = useRef<Typed>({})
  const writing = useRef(Promise.resolve())
  useEffect(() => { void draft<Typed>(name).then((d) => { latest.current = { ...d, ...latest.current }; setTyped(latest.current) }) }, [name])
  const calls = waiting.value.filter((w) => w.about === name)
  const queued: Typed = Object.assign({}, ...calls.map((w) => typedOf(w.body as Body, names)))
  const was = (id: string): Score => queued[id] ?? scoreOf(results.data?.find((r) => r.studentId === id), names)
  const changes = Object.entries(typed ?? {}).filter(([id, s]) => !sameScore(s, was(id)))
  function set(id: string, s: Score) {
    const next = { ...latest.current, [id]: s }
    latest.current = next
    setTyped(next)
    writing.current = writing.current.then(() => keepDrafts({ name, value: next }))
  }
  async function save(): Promise<void> {
    await writing.current
    const body: Body = { examId, classId, subjectId, results: changes.map(([studentId, s]) => ({ studentId, ...result(s, names) })) }
    await later("/teacher/result/upload", body, { label: t("Marks of {paper}", { paper: label }), lane: name, about: name, drafts: [{ name }] })
    for (const w of calls) if (w.refused) await discard(w.id)
    latest.current = {}
    setTyped({})
  }
  const refused = calls.find((w) => w.refused)
  return { results, ready: !!typed, of: (id: string): Score => typed?.[id] ?? was(id), set, save, changed: changes.length, waits: calls.some((w) => !w.refused), refused, fault: (id: string) => faultOf(refused, id) }
}

/** What the service said about a child's row. */
function faultOf(call: { body: unknown; refused?: { details: { field: string; message: string }[] } | undefined } | undefined, id: string): string {
  const at = (call?.body as Body | undefined)?.results?.findIndex((r) => r.studentId === id) ?? -1
  return at < 0 ? "" : (call!.refused!.details.find((d) => d.field.includes(`results[${at}]`))?.message ?? "")
}

function result(s: Score, names: string[]): Omit<NonNullable<Body["results"]>[number], "studentId"> {
  if (s.absent) return { outcome: "ABSENT" }
  const numbers = s.parts.map((p) => Number(p.replace(",", ".")))
  if (s.parts.every((p) => p.trim() === "")) return { marks: null }
  return names.length ? { marks: numbers.reduce((a, b) => a + b, 0), components: names.map((name, i) => ({ name, marks: numbers[i]! })) } : { marks: numbers[0]! }
}

function typedOf(body: Body, names: string[]): Typed {
  return Object.fromEntries((body.results ?? []).map((r) => [r.studentId, {
    absent: r.outcome === "ABSENT", parts: names.length ? names.map((name) => String(r.components?.find((c) => c.name === name)?.marks ?? "")) : [r.marks === null || r.marks === undefined ? "" : String(r.marks)],
  }]))
}
