// A family at the counter: the guardian who pays, and what is open for each child.
import { get } from "../../api/client"
import { may } from "../../api/session"
import { useLoad, type Loaded } from "../../shell/load"
import { fullName } from "../../words/format"
import type { Statement } from "./amount"

export interface Family {
  key: string // the guardian, or the student without one
  guardian: { id: string; name: string; phone: string | null } | null
  children: { id: string; name: string; className: string; due: number }[]
  due: number
}

/** Families with a child, guardian, phone or admission number that matches. */
export async function findFamilies(search: string, signal: AbortSignal): Promise<Family[]> {
  const [students, debts] = await Promise.all([
    may("read", "student") ? get("/school-admin/student/list", { search, limit: 20 }, { signal }) : null,
    get("/school-admin/fee/report/dues", { search, limit: 50 }, { signal }),
  ])
  const due = new Map(debts.items.map((d) => [d.studentId, d.due]))
  const found = students?.items.map((s) => ({ ...s, payer: s.guardians.find((g) => g.isPrimary) ?? s.guardians[0] }))
    ?? debts.items.map((d) => ({ ...d, id: d.studentId, firstName: d.firstName ?? d.admissionNo, payer: undefined }))
  const families = new Map<string, Family>()
  for (const s of found) {
    const key = s.payer?.id ?? s.id
    const family = families.get(key) ?? { key, guardian: s.payer ?? null, children: [], due: 0 }
    const owes = due.get(s.id) ?? 0
    family.children.push({ id: s.id, name: fullName(s), className: [s.className, s.divisionName].filter(Boolean).join(" "), due: owes })
    family.due += owes
    families.set(key, family)
  }
  return [...families.values()]
}

export interface Account { payer: string; phone: string | null; guardianId: string | null; statements: Statement[] }

/** The accounts of a student and of the siblings that the same guardian looks after. */
export function useFamily(studentId: string | null): Loaded<Account> {
  return useLoad(studentId ? `family ${studentId}` : "", async (signal) => {
    const o = { signal }
    const student = may("read", "student") ? await get("/school-admin/student/{id}", undefined, { path: { id: studentId! }, ...o }) : null
    const payer = student?.guardians.find((g) => g.isPrimary) ?? student?.guardians[0]
    const guardian = payer ? await get("/school-admin/guardian/{id}", undefined, { path: { id: payer.id }, ...o }) : null
    const ids = [...new Set([studentId!, ...(guardian?.children.map((c) => c.studentId) ?? [])])]
    const statements = await Promise.all(ids.map((id) => get("/school-admin/fee/report/{studentId}", undefined, { path: { studentId: id }, ...o })))
    return { payer: guardian?.name ?? "", phone: guardian?.phone ?? null, guardianId: guardian?.id ?? null, statements }
  })
}

export function nameOf(s: Statement): string { return s.student.firstName ? fullName({ firstName: s.student.firstName, lastName: s.student.lastName }) : s.student.admissionNo }
export function classOf(s: Statement): string { return [s.student.className, s.student.divisionName].filter(Boolean).join(" ") }

/** "Bianchi family", or the name of the only child. */
export function surname(statements: Statement[]): string {
  const last = new Set(statements.map((s) => s.student.lastName).filter(Boolean))
  return last.size === 1 && statements.length > 1 ? [...last][0]! : statements.map(nameOf).join(", ")
}
