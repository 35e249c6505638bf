// Words for leave: its kinds, its states, its days.
import type { Schema } from "../api/contract"
import { Badge, type Tone } from "../ui/basics"
import { range } from "../words/format"
import { n, t } from "../words/words"

export type Leave = Schema["Leave"]

export const kinds = (): { value: Leave["type"]; text: string }[] => [
  { value: "SICK", text: t("sick") }, { value: "CASUAL", text: t("private") }, { value: "EMERGENCY", text: t("emergency") },
]

const states = (): Record<Leave["status"], [string, Tone]> => ({
  PENDING: [t("to decide"), "warn"], APPROVED: [t("approved"), "good"], REJECTED: [t("rejected"), "bad"], CANCELLED: [t("cancelled"), ""],
})

export function StateBadge({ of }: { of: Leave["status"] }) {
  const [text, tone] = states()[of]
  return <Badge tone={tone}>{text}</Badge>
}

export function kindOf(l: Pick<Leave, "type">): string { return kinds().find((k) => k.value === l.type)!.text }

/** "3 Nov – 4 Nov, 2 school days". */
export function daysOf(l: Pick<Leave, "fromDate" | "toDate" | "half" | "days">): string {
  const long = l.half ? (l.half === "FIRST" ? t("first half") : t("second half")) : n(l.days, "{n} school day", "{n} school days")
  return `${range(l.fromDate, l.toDate)}, ${long}`
}
