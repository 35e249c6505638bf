// Amounts as people type them, and how a payment is shared out. Sums are counted in hundredths, as the service does.
import type { Reply, Schema } from "../../api/contract"
import { language, t } from "../../words/words"

export type Method = Schema["FeeReceipt"]["method"]
export type Statement = Reply<"/school-admin/fee/report/{studentId}", "get">
export type Charge = Schema["FeeCharge"]

export const methods: Method[] = ["CASH", "CARD", "BANK_TRANSFER", "CHEQUE", "ONLINE", "UPI"]

export function methodText(m: string): string {
  const texts: Record<Method, string> = { CASH: t("Cash"), CARD: t("Card"), BANK_TRANSFER: t("Bank"), CHEQUE: t("Cheque"), ONLINE: t("Online"), UPI: "UPI" }
  return texts[m as Method] ?? m
}

/** "Paid in cash". */
export function paidText(m: Method): string {
  const texts: Record<Method, string> = {
    CASH: t("Paid in cash"), CARD: t("Paid by card"), BANK_TRANSFER: t("Paid by bank transfer"), CHEQUE: t("Paid by cheque"), ONLINE: t("Paid online"), UPI: t("Paid by UPI"),
  }
  return texts[m]
}

/** A fee head of a report; what was paid ahead has none. */
export function headText(h: { feeHeadId: string | null; feeHead: string | null }): string { return (h.feeHeadId && h.feeHead) || t("Paid ahead") }

export function methodOptions() { return methods.map((m) => ({ value: m, text: methodText(m) })) }

export const cents = (amount: number): number => Math.round(amount * 100)
export const sum = (amounts: number[]): number => amounts.reduce((a, b) => a + cents(b), 0) / 100

/** Reads "1,000.50", "1.000,50" and "1000"; null if it is no amount with at most two decimals. */
export function readAmount(text: string): number | null {
  const bare = text.replace(/[\s\u00a0$€£¥₹']/g, "")
  const found = /^(\d{1,10}|\d{1,3}(?:[.,]\d{3})*)(?:[.,](\d{1,2}))?$/.exec(bare)
  if (!found) return null
  return Number(`${found[1]!.replace(/[.,]/g, "")}.${found[2] ?? "0"}`)
}

/** An amount for a field: "1,000.00". */
export function writeAmount(amount: number): string {
  return new Intl.NumberFormat(language(), { minimumFractionDigits: 2, maximumFractionDigits: 2 }).format(amount)
}

export interface Plan { shares: Map<string, number>; perStudent: { studentId: string; amount: number }[]; advance: number; open: number }

/** Shares an amount out: ticked charges first, then the others, each oldest first. What is left is an advance of the first child. */
export function share(statements: Statement[], ticked: Set<string>, amount: number): Plan {
  const open = openCharges(statements)
  const shares = new Map<string, number>()
  const students = new Map<string, number>()
  let left = cents(amount)
  for (const c of [...open.filter((c) => ticked.has(c.id)), ...open.filter((c) => !ticked.has(c.id))]) {
    const pay = Math.min(left, cents(c.due))
    if (pay <= 0) continue
    shares.set(c.id, pay / 100)
    students.set(c.studentId, (students.get(c.studentId) ?? 0) + pay)
    left -= pay
  }
  const first = statements[0]?.student.id
  if (left > 0 && first) students.set(first, (students.get(first) ?? 0) + left)
  const perStudent = [...students].map(([studentId, hundredths]) => ({ studentId, amount: hundredths / 100 }))
  return { shares, perStudent, advance: left / 100, open: (cents(sum(open.map((c) => c.due))) - cents(amount) + left) / 100 }
}

/** What is open, oldest first. */
export function openCharges(statements: Statement[]): Charge[] {
  return statements.flatMap((s) => s.charges).filter((c) => c.due > 0).sort((a, b) => a.dueDate.localeCompare(b.dueDate) || a.createdAt.localeCompare(b.createdAt))
}
