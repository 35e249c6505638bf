// Who owes what, and since when.
import { get } from "../../api/client"
import type { Row } from "../../api/contract"
import { useLoad } from "../../shell/load"
import { today } from "../../words/format"
import { t } from "../../words/words"
import { sum } from "./amount"

export type Debt = Row<"/school-admin/fee/report/dues">

/** Everybody who owes something. */
export function useDebts() {
  return useLoad("debts", async (signal) => {
    const first = await get("/school-admin/fee/report/dues", { limit: 100 }, { signal })
    const others = await Promise.all(Array.from({ length: first.totalPages - 1 }, (_, i) => get("/school-admin/fee/report/dues", { limit: 100, page: i + 2 }, { signal })))
    return [first, ...others].flatMap((p) => p.items)
  })
}

export interface Age { label: string; value: number; students: number }

/** What is open by the age of each student's oldest due. */
export function byAge(debts: Debt[]): Age[] {
  const bounds: [string, number][] = [[t("up to 30 days"), 30], [t("31 to 60 days"), 60], [t("61 to 90 days"), 90], [t("over 90 days"), Infinity]]
  const ages: Age[] = [{ label: t("not yet due"), value: sum(debts.map((d) => d.due - d.overdue)), students: debts.filter((d) => d.overdue === 0).length }]
  let from = 0
  for (const [label, to] of bounds) {
    const late = debts.filter((d) => d.overdue > 0 && daysLate(d) > from && daysLate(d) <= to)
    ages.push({ label, value: sum(late.map((d) => d.overdue)), students: late.length })
    from = to
  }
  return ages
}

export function daysLate(d: Debt): number {
  return d.oldestDueDate ? Math.max(d.overdue > 0 ? 1 : 0, Math.round((Date.parse(today()) - Date.parse(d.oldestDueDate)) / 86_400_000)) : 0
}
