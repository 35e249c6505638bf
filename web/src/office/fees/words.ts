// Words for what a fee record can be.
import type { Schema } from "../../api/contract"
import type { Tone } from "../../ui/basics"
import { date, money } from "../../words/format"
import { t } from "../../words/words"

export type Item = Schema["FeeItem"]
export type Structure = Schema["FeeStructure"]
type ChargeStatus = Schema["FeeCharge"]["status"]

export function frequencyText(f: Item["frequency"]): string {
  const texts: Record<Item["frequency"], string> = { MONTHLY: t("every month"), QUARTERLY: t("every quarter"), TERM: t("every term"), YEARLY: t("once a year"), ONCE: t("once") }
  return texts[f]
}

export function frequencyOptions() {
  return (["MONTHLY", "QUARTERLY", "TERM", "YEARLY", "ONCE"] as const).map((f) => ({ value: f, text: frequencyText(f) }))
}

/** "everyone", "who chose it", "category Staff". */
export function whoPays(i: Pick<Item, "isOptional" | "category">): string {
  if (i.isOptional) return t("who chose it")
  return i.category ? t("category {name}", { name: i.category }) : t("everyone")
}

export function dueText(i: Pick<Item, "dueDate" | "dueDay">): string {
  return i.dueDate ? date(i.dueDate) : t("day {n}", { n: i.dueDay ?? 10 })
}

export function fineText(f: Structure["lateFine"]): string {
  if (!f || (!f.perDay && !f.flat)) return t("no late fine")
  const sums = [f.flat && money(f.flat), f.perDay && t("{sum} a day", { sum: money(f.perDay) })].filter(Boolean).join(" + ")
  return t("{sum} after {n} days", { sum: sums, n: f.graceDays })
}

export const chargeStatuses = (): { value: ChargeStatus; text: string; tone: Tone }[] => [
  { value: "OPEN", text: t("unpaid"), tone: "warn" }, { value: "PARTIAL", text: t("partly paid"), tone: "info" }, { value: "PAID", text: t("paid"), tone: "" },
  { value: "WAIVED", text: t("waived"), tone: "note" }, { value: "VOID", text: t("void"), tone: "bad" },
]
