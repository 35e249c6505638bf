// Words for leave: its kinds, its states, its days.
import type { Row } from "../../api/contract"
import { Badge, type Tone } from "../../ui/basics"
import { range } from "../../words/format"
import { n, t } from "../../words/words"

export type Leave = Row<"/school-admin/leave/list">

export const kinds = (): { value: Leave["type"]; text: string }[] => [
  { value: "SICK", text: t("sick") }, { value: "CASUAL", text: t("private") }, { value: "EMERGENCY", text: t("emergency") },
]

export const states = (): { value: Leave["status"]; text: string; tone: Tone }[] => [
  { value: "PENDING", text: t("to decide"), tone: "warn" }, { value: "APPROVED", text: t("approved"), tone: "good" },
  { value: "REJECTED", text: t("rejected"), tone: "bad" }, { value: "CANCELLED", text: t("cancelled"), tone: "" },
]

export function StateBadge({ leave: l }: { leave: Leave }) {
  const s = states().find((x) => x.value === l.status)!
  return <Badge tone={s.tone}>{s.text}</Badge>
}

export function nameOf(l: Leave): string { return l.name ?? t("A former member") }
export function kindOf(l: Leave): string { return kinds().find((k) => k.value === l.type)?.text ?? "" }

export function daysOf(l: Leave): string {
  if (l.half) return l.half === "FIRST" ? t("first half") : t("second half")
  return n(l.days, "{n} school day", "{n} school days")
}

export function datesOf(l: Leave): string { return range(l.fromDate, l.toDate) }

/** The same leave again, entered by the office: the way back from cancelling it. */
export function inputOf(l: Leave) {
  return {
    ...(l.studentId ? { studentId: l.studentId } : { employeeId: l.employeeId }), type: l.type, fromDate: l.fromDate, toDate: l.toDate,
    ...(l.half && { half: l.half }), ...(l.reason && { reason: l.reason }),
  }
}
