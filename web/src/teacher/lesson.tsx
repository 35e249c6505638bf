// A lesson of the timetable as a row.
import type { ComponentChildren } from "preact"
import type { Schema } from "../api/contract"
import { Line } from "../pocket/screen"
import { Badge } from "../ui/basics"
import { t } from "../words/words"

export type Period = Schema["TimetablePeriod"]

/** now is the time of day, for a lesson of today. */
export function Lesson({ period: p, now, end, href }: { period: Period; now?: string; end?: ComponentChildren; href: string }) {
  const running = now !== undefined && p.startTime.slice(0, 5) <= now && now < p.endTime.slice(0, 5)
  const cover = p.override && !p.override.isCancelled
  return (
    <Line href={href} lead={<span class={running ? "hour now" : "hour"}>{p.startTime.slice(0, 5).replace(/^0/, "")}{running && <span class="sr">{t("now")}</span>}</span>}
      title={<><bdi>{p.subjectName}</bdi>{cover && <> <Badge tone="info">{t("Changed|lesson")}</Badge></>}{p.override?.isCancelled && <> <Badge tone="bad">{t("Cancelled")}</Badge></>}</>}
      sub={<bdi>{[`${p.className} ${p.divisionName}`, p.room, p.override?.note].filter(Boolean).join(" · ")}</bdi>} end={p.override?.isCancelled ? null : end} />
  )
}
