// One mark: who changed it when, and a form to correct it.
import { post } from "../../api/client"
import { may } from "../../api/session"
import { changed, useGet } from "../../shell/load"
import { say, sayFault } from "../../shell/toast"
import { Button, Icon, Ready } from "../../ui/basics"
import { Dialog } from "../../ui/dialog"
import { Form, type FieldSpec, type Values } from "../../ui/form"
import { longDate, when } from "../../words/format"
import { t } from "../../words/words"
import { inWords, markOf, none, record, same, statuses, tells, type Mark } from "./marks"

interface Props {
  classId: string; divisionId: string; studentId: string; name: string; date: string; periodNo?: number | undefined
  suggested?: Mark // by a letter in the grid of the month
  onClose: () => void
}

export function Correct(p: Props) {
  const history = useGet("/school-admin/attendance/history", { studentId: p.studentId, date: p.date, ...(p.periodNo && { periodNo: p.periodNo }) })
  return (
    <Dialog title={p.name} side onClose={p.onClose}>
      <p class="muted">{longDate(p.date)}</p>
      <Ready of={history} rows={4}>{(h) => {
        const current = markOf(h.changes.reduce<Mark | null>((_, c) => c.to, null))
        return (
          <>
            <p><b>{inWords(current)}</b>{current.remark && <span class="muted"> · {current.remark}</span>}</p>
            {may("write", "attendance") && <MarkForm {...p} current={current} />}
            <h3>{t("History")}</h3>
            {h.changes.length === 0 ? <p class="faint small">{t("Nobody has marked this day yet.")}</p> : (
              <ol class="time">{h.changes.toReversed().map((c, i) => (
                <li key={i}>
                  <span class="disc"><Icon name={c.to?.leaveId ? "door" : "pen"} size="xs" /></span>
                  <p><b><bdi>{c.name ?? t("Approved leave")}</bdi>
                    </b> {c.from ? `${inWords(c.from)} → ${inWords(c.to)}` : inWords(c.to)}{c.to?.remark && <>, “{c.to.remark}”</>} <time>{when(c.at)}</time></p>
                </li>
              ))}</ol>
            )}
          </>
        )
      }}</Ready>
    </Dialog>
  )
}

const fields = (lesson: boolean): FieldSpec[] => [
  { name: "status", label: t("Mark"), kind: "select", required: true, options: statuses() },
  { name: "halfDay", label: t("Half of the day"), kind: "select", options: [{ value: "FIRST", text: t("first half") }, { value: "SECOND", text: t("second half") }],
    hidden: (v) => lesson || v.status === "HOLIDAY" },
  { name: "minutesLate", label: t("Minutes late"), kind: "number", min: 1, hidden: (v) => v.status !== "LATE" },
  { name: "remark", label: t("Remark"), kind: "textarea" },
]

function MarkForm({ current, ...p }: Props & { current: Mark }) {
  const where = { classId: p.classId, divisionId: p.divisionId, date: p.date, ...(p.periodNo && { periodNo: p.periodNo }) }
  const save = (m: Mark, key?: string) => post("/school-admin/attendance/mark", { ...where, records: [record(p.studentId, m)] }, key ? { key } : {})
  const tell = (m: Mark) => {
    changed()
    const text = t("{name} is now {mark}.", { name: p.name, mark: inWords(m) })
    say(tells(current, m, p.date) ? `${text} ${t("The family is told.")}` : text, () => save(current))
    p.onClose()
  }
  const takeBack = () => { save(none).then(() => tell(none), sayFault) }
  const read = (v: Values): Mark => ({ ...none, ...v } as Mark)
  return (
    <Form single fields={fields(!!p.periodNo)} initial={{ ...current, ...p.suggested }} button={t("Save the mark")}
      submit={async (v, key) => { const m = read(v); if (!same(m, current)) await save(m, key); return m }}
      onDone={(m) => (same(m as Mark, current) ? p.onClose() : tell(m as Mark))}
      secondary={current.status && <Button kind="plain" onClick={takeBack}>{t("Take the mark back")}</Button>} />
  )
}
