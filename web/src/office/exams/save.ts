// Saving marks: one call for each paper; what the server refuses stays in the grid, with its reason.
import { Fault, post } from "../../api/client"
import { changed } from "../../shell/load"
import { say, sayFault } from "../../shell/toast"
import { n } from "../../words/words"
import { entry, keyOf, type Column, type Texts } from "./cells"

interface Input { examId: string; classId: string; columns: Column[]; saved: Texts; typed: Texts; skip: Set<string> }
interface Outcome { left: Map<string, string>; refused: Map<string, string> }

/** Saves what was typed. skip has the children and papers with faults. */
export async function saveMarks({ examId, classId, columns, saved, typed, skip }: Input): Promise<Outcome> {
  const left = new Map(typed)
  const refused = new Map<string, string>()
  const undo: (() => Promise<unknown>)[] = []
  let count = 0
  for (const subjectId of new Set(columns.map((c) => c.paper.subjectId))) {
    const own = columns.filter((c) => c.paper.subjectId === subjectId)
    const mine = [...typed.keys()].map((k) => k.split(" ")).filter((k) => k[1] === subjectId && !skip.has(`${k[0]} ${subjectId}`))
    const students = [...new Set(mine.map((k) => k[0]!))]
    if (students.length === 0) continue
    const now = (id: string) => entry(id, own, (c) => typed.get(keyOf(id, c)) ?? saved.get(keyOf(id, c)) ?? "")
    const was = (id: string) => entry(id, own, (c) => saved.get(keyOf(id, c)) ?? "")
    try {
      await post("/school-admin/exam/result/upload", { examId, classId, subjectId, results: students.map(now) }, { key: crypto.randomUUID() })
      undo.push(() => post("/school-admin/exam/result/upload", { examId, classId, subjectId, results: students.map(was) }))
      for (const id of students) for (const c of own) if (left.delete(keyOf(id, c))) count++
    } catch (e) {
      if (!(e instanceof Fault)) throw e
      sayFault(e)
      for (const d of e.details) {
        const id = students[Number(/results\[(\d+)\]/.exec(d.field)?.[1] ?? -1)]
        if (id) for (const c of own) refused.set(keyOf(id, c), d.message)
      }
    }
  }
  if (count > 0) {
    changed()
    say(n(count, "{n} mark is saved.", "{n} marks are saved."), async () => { for (const back of undo) await back() })
  }
  return { left, refused }
}
