// Papers of an exam: one by one, or one for each subject, a school day each.
import { useState } from "preact/hooks"
import { post } from "../../api/client"
import { school } from "../../api/session"
import { useClasses, useSubjects } from "../../ui/choices"
import { Dialog } from "../../ui/dialog"
import { Form, type FieldSpec, type Values } from "../../ui/form"
import { addDays, date, today, weekday } from "../../words/format"
import { n, t } from "../../words/words"
import { entryOf } from "./actions"
import { done, type Exam, type Paper } from "./exam"

type Entry = ReturnType<typeof entryOf>

const partsText = (p: Paper) => p.components.map((c) => `${c.name} ${c.maxMarks}`).join(", ")

/** Reads "Written 80, oral 20". */
function parts(text: unknown): { name: string; maxMarks: number }[] {
  return String(text ?? "").split(/[,;\n]/).map((x) => /^\s*(.+?)\s+(\d+(?:\.\d+)?)\s*$/.exec(x)).filter((m) => !!m).map((m) => ({ name: m[1]!, maxMarks: Number(m[2]) }))
}

const common = (): FieldSpec[] => [
  { name: "startTime", label: t("Begins"), kind: "time" }, { name: "endTime", label: t("Ends"), kind: "time" },
  { name: "maxMarks", label: t("Out of"), kind: "number", required: true, min: 1 }, { name: "passMarks", label: t("Marks to pass"), kind: "number", min: 0 },
]

function useOwnClasses(exam: Exam) {
  const classes = useClasses(exam.academicYearId)
  return classes.items.filter((c) => exam.classIds.length === 0 || exam.classIds.includes(c.id))
}

export function PaperDialog({ exam, paper, onClose }: { exam: Exam; paper?: Paper; onClose: () => void }) {
  const classes = useOwnClasses(exam)
  const subjects = useSubjects()
  const fields: FieldSpec[] = [
    ...(paper ? [] : [
      { name: "subjectId", label: t("Subject"), kind: "select" as const, required: true, options: subjects.options },
      { name: "classIds", label: t("Classes"), kind: "many" as const, options: classes.map((c) => ({ value: c.id, text: c.name })) },
    ]),
    { name: "date", label: t("Day"), kind: "date", required: true }, { name: "room", label: t("Room") }, ...common(),
    { name: "components", label: t("Parts"), wide: true, help: t("If the paper has several, such as “Written 80, oral 20”. They add up to the whole.") },
  ]
  const submit = (v: Values, key: string) => {
    const { classIds, subjectId, components, room, ...rest } = v as Values & { classIds?: string[] }
    const entry = { ...rest, ...(room ? { room } : {}), components: parts(components), subjectId: paper?.subjectId ?? subjectId }
    const entries = (paper ? [paper.classId] : classIds ?? []).map((classId) => ({ ...entry, classId }) as unknown as Entry)
    return post("/school-admin/exam/schedule", { examId: exam.id, entries }, { key })
  }
  const initial: Values = paper ? { ...paper, components: partsText(paper) }
    : { date: exam.startDate ?? today(), maxMarks: 100, passMarks: 40, classIds: classes.length === 1 ? [classes[0]!.id] : [] }
  return (
    <Dialog title={paper ? `${paper.subjectName}, ${paper.className}` : t("Add a paper")} onClose={onClose} wide>
      <Form fields={fields} initial={initial} button={paper ? t("Save the paper") : t("Add the paper")} submit={submit} onCancel={onClose}
        onDone={(r) => {
          const warnings = (r as { warnings: string[] }).warnings
          done([paper ? t("The paper is changed.") : t("The paper is added."), ...warnings].join(" "), paper && (() => post("/school-admin/exam/schedule",
            { examId: exam.id, entries: [entryOf(paper)] })))
          onClose()
        }} />
    </Dialog>
  )
}

/** The next days of school from a day on. */
function schoolDays(from: string, many: number): string[] {
  const off = (d: string) => school.value?.weekendDays.includes(weekday(d)) || school.value?.holidays.some((h) => h.date <= d && d <= h.endDate)
  const out: string[] = []
  for (let d = from; out.length < many && d < addDays(from, 200); d = addDays(d, 1)) if (!off(d)) out.push(d)
  return out
}

export function PlanDialog({ exam, before, onClose }: { exam: Exam; before: Paper[]; onClose: () => void }) {
  const classes = useOwnClasses(exam)
  const subjects = useSubjects()
  const [count, setCount] = useState(0)
  const plan = (v: Values): Entry[] => {
    const chosen = (v.classIds as string[] | undefined) ?? []
    const all = subjects.items.filter((s) => s.classIds.some((c) => chosen.includes(c)))
    const days = v.from ? schoolDays(String(v.from), all.length) : []
    return all.flatMap((s, i) => chosen.filter((c) => s.classIds.includes(c)).map((classId) => ({
      classId, subjectId: s.id, date: days[i]!, startTime: (v.startTime as string) || null, endTime: (v.endTime as string) || null,
      maxMarks: Number(v.maxMarks), passMarks: v.passMarks === "" || v.passMarks == null ? null : Number(v.passMarks),
    })))
  }
  const back = () => post("/school-admin/exam/schedule", { examId: exam.id, entries: before.map(entryOf), replace: true })
  return (
    <Dialog title={t("Plan all papers")} onClose={onClose} wide>
      <p class="muted">{t("Each subject gets one school day, the same for all classes. Papers of the same class and subject are replaced.")}</p>
      <Form initial={{ from: exam.startDate ?? today(), startTime: "09:00", endTime: "11:00", maxMarks: 100, passMarks: 40, classIds: classes.map((c) => c.id) }}
        fields={[{ name: "from", label: t("First day"), kind: "date", required: true, wide: true }, ...common(),
          { name: "classIds", label: t("Classes"), kind: "many", options: classes.map((c) => ({ value: c.id, text: c.name })) }]}
        button={t("Plan the papers")} onCancel={onClose}
        submit={(v, key) => { const entries = plan(v); setCount(entries.length); return post("/school-admin/exam/schedule", { examId: exam.id, entries }, { key }) }}
        onDone={() => { onClose(); done(n(count, "{n} paper is planned.", "{n} papers are planned."), before.length > 0 ? back : undefined) }}>
        {(v) => { const entries = plan(v); const last = entries.map((x) => x.date).sort().at(-1); return <p class="small muted"
          role="status">{last ? n(entries.length, "{n} paper, until {day}.", "{n} papers, until {day}.", { day: date(last) }) : t("Choose classes that have subjects.")}</p> }}
      </Form>
    </Dialog>
  )
}
