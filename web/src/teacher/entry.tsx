// Marks of one paper, child by child: numbers, Enter for the next, absent with one tap.
import { useState } from "preact/hooks"
import { Screen } from "../pocket/screen"
import { useGet } from "../shell/load"
import { say, sayFault } from "../shell/toast"
import { Banner, Button, Card, Icon, Ready, State } from "../ui/basics"
import { fullName } from "../words/format"
import { n, t } from "../words/words"
import { enters } from "./exams"
import { useDivisions } from "./classes"
import { useScores, wrongScore, type Score } from "./scores"

export default function Entry({ params }: { params: Record<string, string> }) {
  const { examId, classId, subjectId } = params as { examId: string; classId: string; subjectId: string }
  const exams = useGet("/teacher/exam/list", { limit: 50 })
  const papers = useGet("/teacher/exam/schedule", { limit: 100 })
  const subjects = useGet("/teacher/subject/list", { limit: 100 })
  const classes = useDivisions()
  const children = useGet("/teacher/class/students", { classId, limit: 100, sort: "rollNo" } as never)
  const paper = papers.data?.items.find((p) => p.examId === examId && p.classId === classId && p.subjectId === subjectId)
  const names = paper?.components.map((c) => c.name) ?? []
  const most = paper?.components.length ? paper.components.map((c) => c.maxMarks) : [paper?.maxMarks ?? 0]
  const label = paper ? `${paper.subjectName}, ${paper.className}` : "…"
  const s = useScores(examId, classId, subjectId, names, label)
  const [busy, setBusy] = useState(false)
  const only = subjects.data?.items.find((x) => x.id === subjectId)?.classes.filter((c) => c.classId === classId) ?? []
  const list = (children.data?.items ?? []).filter((c) => only.length === 0 || only.some((o) => !o.divisionId || o.divisionId === c.divisionId))
    .sort((a, b) => (a.divisionName ?? "").localeCompare(b.divisionName ?? "") || (a.rollNo ?? 9999) - (b.rollNo ?? 9999))
  const status = exams.data?.items.find((e) => e.id === examId)?.status
  const open = status !== undefined && status !== "PUBLISHED" && status !== "DRAFT" && !!paper && enters(subjects.data?.items, classes.data, paper)
  const wrong = list.some((c) => wrongScore(s.of(c.id), most))
  async function save() {
    setBusy(true)
    try {
      const count = s.changed
      await s.save()
      say(n(count, "{n} mark is kept and sent.", "{n} marks are kept and sent."))
    } catch (e) {
      sayFault(e)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Screen title={label} sub={paper && <><bdi>{paper.examName}</bdi> · {t("of {n}", { n: paper.maxMarks })}</>} back="/app/exams"
      dock={open && s.changed > 0 && <Button kind="go" class="full" busy={busy} disabled={wrong} onClick={() => void save()}>{n(s.changed, "Save {n} mark", "Save {n} marks")}</Button>}>
      {s.refused?.refused && <Banner tone="bad" icon="alert"><p role="alert"><b>{t("The marks were not accepted.")}</b> {s.refused.refused.message}</p></Banner>}
      {s.waits && <Banner tone="warn" icon="cloud">{t("Kept on this phone, not sent yet.")}</Banner>}
      {status === "PUBLISHED" && <Banner>{t("The results are published. The office can take them back to correct them.")}</Banner>}
      <Ready of={children} rows={10}>{() => (
        list.length === 0 ? <State icon="people" title={t("No students in this division")} /> : (
          <Card title={t("{done} of {n} entered", { done: list.filter((c) => s.of(c.id).absent || s.of(c.id).parts.every((p) => p !== "")).length, n: list.length })} flush>
            <ol class="scores" onKeyDown={next}>
              {list.map((c) => (
                <One key={c.id} name={fullName(c)} roll={[c.divisionName, c.rollNo].filter(Boolean).join(" ")} score={s.of(c.id)} names={names} most={most} open={open && s.ready} fault={s.fault(c.id)} onChange={(v) => s.set(c.id, v)} />
              ))}
            </ol>
          </Card>
        )
      )}</Ready>
    </Screen>
  )
}

/** Enter goes to the next field. */
function next(e: KeyboardEvent): void {
  if (e.key !== "Enter" || !(e.target instanceof HTMLInputElement)) return
  e.preventDefault()
  const all = [...(e.currentTarget as HTMLElement).querySelectorAll<HTMLInputElement>("input:not(:disabled)")]
  const at = all[all.indexOf(e.target) + 1]
  at?.focus()
  at?.select()
}

interface Props { name: string; roll: string; score: Score; names: string[]; most: number[]; open: boolean; fault: string; onChange: (s: Score) => void }

function One({ name, roll, score, names, most, open, fault, onChange }: Props) {
  const wrong = wrongScore(score, most) || fault
  return (
    <li class={wrong ? "wrong" : ""}>
      <span class="grow">{roll && <span class="faint">{roll} </span>}<bdi>{name}</bdi></span>
      {(names.length ? names : [""]).map((part, i) => (
        <label class="part" key={part}>{part && <bdi>{part}</bdi>}
          <input class="input" inputMode="decimal" autocomplete="off" enterkeyhint="next" disabled={!open || score.absent} value={score.absent ? "" : score.parts[i]}
            aria-label={part ? t("{part} of {name}", { part, name }) : t("Marks of {name}|exam", { name })} aria-invalid={!!wrong || undefined}
            onInput={(e) => onChange({ absent: false, parts: score.parts.map((p, at) => (at === i ? e.currentTarget.value : p)) })} />
        </label>
      ))}
      <Button size="sm" disabled={!open} aria-pressed={score.absent} kind={score.absent ? "danger" : "plain"} aria-label={t("{name} was absent", { name })} onClick={() => onChange({ ...score, absent: !score.absent })}>{t("Absent")}</Button>
      {wrong && <p class="error" role="alert"><Icon name="alert" />{wrong}</p>}
    </li>
  )
}
