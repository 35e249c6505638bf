// What happens to a copy at the counter, and how a scanned number is understood.
import { get, post } from "../../api/client"
import type { Schema } from "../../api/contract"
import { may } from "../../api/session"
import { fullName } from "../../words/format"
import type { Person } from "../../ui/person"

export type Loan = Schema["Loan"]
export type Reservation = Schema["Reservation"]
export type Returned = Loan & { hold: Reservation | null }

export function borrowerOf(p: Pick<Person, "kind" | "id">): { studentId: string } | { employeeId: string } { return p.kind === "student" ? { studentId: p.id }
  : { employeeId: p.id } }
export function personOf(l: { studentId: string | null; employeeId: string | null; borrowerName: string | null; borrowerNo: string | null }): Person {
  return { kind: l.studentId ? "student" : "employee", id: (l.studentId ?? l.employeeId)!, name: l.borrowerName ?? "–", note: l.borrowerNo ?? "" }
}
export function borrowerHref(l: { studentId: string | null;
  employeeId: string | null }): string { return l.studentId ? `/app/students/${l.studentId}` : `/app/staff/${l.employeeId}` }

export const issue = (p: Pick<Person, "kind" | "id">, accessionNo: string, dueDate?: string, key?: string): Promise<Loan> =>
  post("/school-admin/library/loan/issue", { ...borrowerOf(p), accessionNo, ...(dueDate && { dueDate }) }, key ? { key } : {})
export const giveBack = (accessionNo: string, key?: string): Promise<Returned> => post("/school-admin/library/loan/return", { accessionNo }, key ? { key } : {})
export const renew = (accessionNo: string, key?: string): Promise<Loan> => post("/school-admin/library/loan/renew", { accessionNo }, key ? { key } : {})

/** The people whose number is exactly this; without one, those whose name or phone has it. */
export async function members(code: string): Promise<{ exact: Person | null; similar: Person[] }> {
  const ask = { search: code, limit: 8 }
  const [students, employees] = await Promise.all([
    may("read", "student") ? get("/school-admin/student/list", ask) : null,
    may("read", "employee") ? get("/school-admin/employee/list", ask) : null,
  ])
  const found = [
    ...(students?.items ?? []).map((s) => ({ no: s.admissionNo,
      person: { kind: "student", id: s.id, name: fullName(s), note: [s.className, s.divisionName, s.admissionNo].filter(Boolean).join(" "),
        photo: s.photoThumbnailUrl } as Person })),
    ...(employees?.items ?? []).map((e) => ({ no: e.employeeCode,
      person: { kind: "employee", id: e.id, name: fullName(e), note: [e.designation ?? e.roleName, e.employeeCode].join(" ") } as Person })),
  ]
  return { exact: found.find((f) => f.no.toLowerCase() === code.toLowerCase())?.person ?? null, similar: found.map((f) => f.person) }
}

/** Whether a copy has exactly this number. */
export async function isCopy(code: string): Promise<boolean> {
  const books = await get("/school-admin/library/book/list", { search: code, limit: 5 })
  return books.items.some((b) => b.copies.some((c) => c.accessionNo === code))
}
