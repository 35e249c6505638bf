// The lessons of a day, with what is different from the regular week.
import type { Reply } from "../api/contract"
import { Badge } from "../ui/basics"
import { t } from "../words/words"
import { clock } from "./state"

export function Lessons({ periods }: { periods: Reply<"/parent/timetable/get", "get">["periods"] }) {
  return (
    <ol class="lessons">{periods.map((l) => (
      <li key={l.id}><span class="num">{clock(l.startTime)}<span class="faint block small">{clock(l.endTime)}</span></span>
        <span class="grow"><b><bdi>{l.subjectName}</bdi></b><span><bdi>{[l.teacherName, l.room].filter(Boolean).join(", ")}</bdi>
          </span>{l.override?.note && <span class="lines"><bdi>{l.override.note}</bdi></span>}</span>
        {l.override && <Badge tone={l.override.isCancelled ? "bad" : "warn"}>{l.override.isCancelled ? t("cancelled") : t("changed")}</Badge>}</li>
    ))}</ol>
  )
}
