// Cells of the marks grid: what may be written in one, what is wrong with it, and what it means for the API.
import type { Row } from "../../api/contract"
import { t } from "../../words/words"
import type { Paper } from "./exam"

export type Result = Row<"/school-admin/exam/result/list">
export interface Pupil { id: string; name: string; rollNo: number | null }

/** A column: a paper, or one part of it. */
export interface Column { paper: Paper; part: string | null; label: string; max: number }

export function columnsOf(papers: Paper[]): Column[] {
  return papers.flatMap((paper): Column[] => paper.components.length === 0
    ? [{ paper, part: null, label: paper.subjectName, max: paper.maxMarks }]
    : paper.components.map((c) => ({ paper, part: c.name, label: c.name, max: c.maxMarks })))
}

export type Texts = ReadonlyMap<string, string>
export const keyOf = (studentId: string, c: Column) => `${studentId} ${c.paper.subjectId} ${c.part ?? ""}`

/** What the cells say that are saved. */
export function savedTexts(results: Result[], columns: Column[]): Map<string, string> {
  const out = new Map<string, string>()
  for (const r of results) {
    for (const c of columns.filter((c) => c.paper.subjectId === r.subjectId)) {
      const marks = c.part === null ? r.marks : r.components.find((x) => x.name === c.part)?.marks
      out.set(keyOf(r.studentId, c), r.outcome === "ABSENT" ? "AB" : r.outcome === "EXEMPT" ? "EX" : marks == null ? "" : String(marks))
    }
  }
  return out
}

/** A text as it is kept: AB and EX in capitals, a dash for empty, a point for decimals. */
export function tidy(text: string): string {
  const s = text.trim().toUpperCase()
  if (s === "-" || s === "–") return ""
  if (s === "AB" || s === "EX") return s
  return /^\d+,\d+$/.test(s) ? s.replace(",", ".") : s
}

/** What is wrong with a text, in words. */
export function wrong(text: string, c: Column): string | undefined {
  if (text === "" || text === "AB" || text === "EX") return undefined
  if (!/^\d+(\.\d+)?$/.test(text)) return t("{text} is not a number. Write marks, AB or EX.", { text })
  if (!/^\d+(\.\d{1,2})?$/.test(text)) return t("Marks have at most two decimals.")
  if (Number(text) > c.max) return t("{text} is more than the {max} that {subject} has.",
    { text, max: c.max, subject: c.part ? `${c.paper.subjectName}, ${c.part}` : c.paper.subjectName })
  return undefined
}

/** What is wrong with the parts of a paper together: all of them are needed. */
export function incomplete(parts: string[]): boolean { return parts.some((x) => x === "") && parts.some((x) => x !== "" && x !== "AB" && x !== "EX") }

/** The result of one child in one paper, as the API takes it. Empty deletes it. */
export function entry(studentId: string, columns: Column[], text: (c: Column) => string) {
  const texts = columns.map(text)
  if (texts.includes("AB")) return { studentId, marks: null, outcome: "ABSENT" as const }
  if (texts.includes("EX")) return { studentId, marks: null, outcome: "EXEMPT" as const }
  if (texts.every((x) => x === "")) return { studentId, marks: null }
  if (columns[0]!.part === null) return { studentId, marks: Number(texts[0]) }
  return { studentId, components: columns.map((c, i) => ({ name: c.part!, marks: Number(texts[i]) })) }
}

/** The total of a child in percent: absent counts in the maximum, exempt and empty do not. */
export function total(columns: Column[], text: (c: Column) => string): number | null {
  let got = 0, max = 0
  for (const c of columns) {
    const s = text(c)
    if (s === "" || s === "EX" || wrong(s, c)) continue
    max += c.max
    if (s !== "AB") got += Number(s)
  }
  return max === 0 ? null : Math.round((10000 * got) / max) / 100
}

export function gradeOf(bands: { grade: string; minPercent: number }[], value: number | null): string | null {
  if (value === null) return null
  return bands.toSorted((a, b) => b.minPercent - a.minPercent).find((b) => value >= b.minPercent)?.grade ?? null
}
