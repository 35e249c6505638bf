// Which day and which lesson to mark.
import { useGet } from "../shell/load"
import { go } from "../shell/router"
import { Dialog } from "../ui/dialog"
import { longDate, today } from "../words/format"
import { t } from "../words/words"
import { openDays } from "./days"
import { markPage, type Spot } from "./register"

export function Which({ spot, onClose }: { spot: Spot; onClose: () => void }) {
  const plan = useGet("/teacher/timetable/get", { date: spot.date })
  const lessons = (plan.data?.periods ?? []).filter((p) => p.classId === spot.classId && (!spot.divisionId || p.divisionId === spot.divisionId))
  const open = (s: Spot) => { onClose(); go(markPage(s)) }
  return (
    <Dialog title={t("Which day and lesson?")} onClose={onClose}>
      <div class="stack loose">
        <label class="field"><span>{t("Day")}</span>
          <select class="input" value={spot.date} onChange={(e) => open({ ...spot, periodNo: undefined, date: e.currentTarget.value })}>
            {[...new Set([...openDays(), spot.date])].map((d) => <option key={d} value={d}>{d === today() ? t("Today") : longDate(d)}</option>)}
          </select>
        </label>
        <label class="field"><span>{t("Lesson")}</span>
          <select class="input" value={String(spot.periodNo ?? "")} onChange={(e) => open({ ...spot, periodNo: Number(e.currentTarget.value) || undefined })}>
            <option value="">{t("Whole day")}</option>
            {lessons.map((p) => <option key={p.periodNo} value={String(p.periodNo)}>{`${p.startTime.slice(0, 5)} ${p.subjectName}`}</option>)}
            {spot.periodNo && !lessons.some((p) => p.periodNo === spot.periodNo) && <option value={String(spot.periodNo)}>{t("period {n}", { n: spot.periodNo })}</option>}
          </select>
        </label>
      </div>
    </Dialog>
  )
}
