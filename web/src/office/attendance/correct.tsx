// One mark: who changed it when, and a form to correct it.
import { useRef } from "preact/hooks"
import { post } from "../../api/client"
import { may } from "../../api/session"
import { changed, useGet } from "../../shell/load"
import { say, sayFault } from "../../shell/toast"
import { Button, Icon, Ready } from "../../ui/basics"
import { Dialog } from "../../ui/dialog"
import { Form, type FieldSpec, type Values } from "../../ui/form"
import { longDate, when } from "../../words/format"
import { t } from "../../words/words"
import { alarming, inWords, markOf, none, record, same, statuses, tells, type Mark } from "./marks"

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

const fields = (lesson: boolean, current: Mark, date: string): FieldSpec[] => [
  { name: "status", label: t("Mark"), kind: "select", required: true, options: statuses() },
  { name: "halfDay", label: t("Half of the day"), kind: "select", options: [{ value: "FIRST", text: t("first half") }, { value: "SECOND", text: t("second half") }],
    hidden: (v) => lesson || v.status === "HOLIDAY" },
  { name: "minutesLate", label: t("Minutes late"), kind: "number", min: 1, hidden: (v) => v.status !== "LATE" },
  { name: "remark", label: t("Remark"), kind: "textarea" },
  { name: "notice", label: t("The parents"), kind: "choice", wide: true, hidden: (v) => !alarming(current) && !tells(current, v as unknown as Mark, date),
    options: [{ value: "tell", text: t("Tell the parents"), note: t("They get a message if this changes what they know.") },
      { value: "quiet", text: t("Save quietly"), note: t("Nobody gets a message. The history shows the change.") }] },
]

function MarkForm({ current, ...p }: Props & { current: Mark }) {
  const quiet = useRef(false)
  const where = { classId: p.classId, divisionId: p.divisionId, date: p.date, ...(p.periodNo && { periodNo: p.periodNo }) }
  const save = (m: Mark, quiet: boolean, key?: string) =>
    post("/school-admin/attendance/mark", { ...where, quiet, records: [record(p.studentId, m)] }, key ? { key } : {})
  const tell = (m: Mark) => {
    changed()
    const text = t("{name} is now {mark}.", { name: p.name, mark: inWords(m) })
    const told = !quiet.current && tells(current, m, p.date)
    if (told) say(`${text} ${t("The family is told.")}`, () => save(current, false), { text: t("Undo quietly"), undo: () => save(current, true) })
    else say(text, () => save(current, quiet.current))
    p.onClose()
  }
  const takeBack = () => { save(none, quiet.current).then(() => tell(none), sayFault) }
  const read = ({ notice: _, ...v }: Values): Mark => ({ ...none, ...v } as Mark)
  return (
    <Form single fields={fields(!!p.periodNo, current, p.date)} initial={{ notice: "tell", ...current, ...p.suggested }} button={t("Save the mark")}
      onValues={(v) => { quiet.current = v.notice === "quiet" }}
      submit={async (v, key) => { const m = read(v); if (!same(m, current)) await save(m, quiet.current, key); return m }}
      onDone={(m) => (same(m as Mark, current) ? p.onClose() : tell(m as Mark))}
      secondary={current.status && <Button kind="plain" onClick={takeBack}>{t("Take the mark back")}</Button>} />
  )
}
