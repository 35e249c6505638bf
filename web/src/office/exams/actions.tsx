// What can be done with an exam: end it, publish it, take it back, print report cards, delete it.
import { useState } from "preact/hooks"
import { address, download, get, post, remove } from "../../api/client"
import { may } from "../../api/session"
import { useLoad } from "../../shell/load"
import { go } from "../../shell/router"
import { sayFault } from "../../shell/toast"
import { Banner, Button, Ready } from "../../ui/basics"
import { useClasses, useDivisions } from "../../ui/choices"
import { saveBlob } from "../../ui/csv"
import { Dialog, Menu } from "../../ui/dialog"
import { Form } from "../../ui/form"
import { when } from "../../words/format"
import { n, t } from "../../words/words"
import { done, type Exam, type Paper } from "./exam"

export function ExamActions({ exam }: { exam: Exam }) {
  const [open, setOpen] = useState<"publish" | "unpublish" | "cards">()
  const close = () => setOpen(undefined)
  const writes = may("write", "exam")
  const path = { id: exam.id }
  const complete = () => { post("/school-admin/exam/{id}/complete", {} as never, { path }).then(() => done(t("{name} has ended. Its results can be published.",
    { name: exam.name })), sayFault) }
  const state = exam.status
  return (
    <>
      <Menu label={t("More")} items={[
        { text: t("Report cards as PDF"), icon: "print", hidden: !may("read", "result"), run: () => setOpen("cards") },
        { text: t("End the exam now"), icon: "flag", hidden: !writes || (state !== "SCHEDULED" && state !== "ONGOING"), run: complete },
        { text: t("Take the results back"), icon: "back", hidden: !writes || state !== "PUBLISHED", run: () => setOpen("unpublish") },
        { text: t("Delete the exam"), icon: "x", danger: true, hidden: !may("delete", "exam") || state === "PUBLISHED", run: () => { drop(exam).catch(sayFault) } },
      ]} />
      {writes && state === "COMPLETED" && <Button kind="go" onClick={() => setOpen("publish")}>{t("Publish…")}</Button>}
      {open === "publish" && <Publish exam={exam} onClose={close} />}
      {open === "unpublish" && <Unpublish exam={exam} onClose={close} />}
      {open === "cards" && <Cards exam={exam} onClose={close} />}
    </>
  )
}

export function papersOf(examId: string): Promise<Paper[]> { return pages((page) => get("/school-admin/exam/schedule/list", { examId, page, limit: 100, sort: "date" })) }

export async function pages<T>(load: (page: number) => Promise<{ items: T[]; totalPages: number }>): Promise<T[]> {
  const all: T[] = []
  for (let page = 1, last = 1; page <= last; page++) {
    const reply = await load(page)
    all.push(...reply.items)
    last = reply.totalPages
  }
  return all
}

export function entryOf(p: Paper) {
  return {
    classId: p.classId, subjectId: p.subjectId, date: p.date, startTime: p.startTime, endTime: p.endTime, maxMarks: p.maxMarks, passMarks: p.passMarks,
    ...(p.room && { room: p.room }), ...(p.components.length > 0 && { components: p.components }),
  }
}

/** Deletes an exam without results. Undo makes it again with its papers. */
async function drop(exam: Exam): Promise<void> {
  const papers = await papersOf(exam.id)
  await remove("/school-admin/exam/{id}", { path: { id: exam.id } })
  go("/app/exams")
  done(t("{name} is deleted.", { name: exam.name }), async () => {
    const { name, type, academicYearId, classIds, startDate, endDate, gradeScaleId } = exam
    const again = await post("/school-admin/exam/create", { name, type, academicYearId, classIds, startDate, endDate, gradeScaleId })
    if (papers.length > 0) await post("/school-admin/exam/schedule", { examId: again.id, entries: papers.map(entryOf) })
  })
}

function Publish({ exam, onClose }: { exam: Exam; onClose: () => void }) {
  const path = { id: exam.id }
  const preview = useLoad(`preview ${exam.id}`, () => post("/school-admin/exam/{id}/publish", { preview: true }, { path }))
  const publish = (_: unknown, key: string) => post("/school-admin/exam/{id}/publish", {}, { path, key })
  const back = () => post("/school-admin/exam/{id}/unpublish", { reason: t("Published too early"), unopened: true }, { path })
  return (
    <Dialog title={t("Publish {name}", { name: exam.name })} onClose={onClose} wide>
      <Ready of={preview} rows={5}>{(p) => (
        <>
          <p>{n(p.students,
            "The family of {n} child sees the result in the app, and gets a message without marks.",
            "The families of {n} children see the results in the app, and get a message without marks.")}</p>
          {p.missing.length > 0 && <Banner tone="warn" icon="alert">
            <b>{n(p.missing.reduce((s, m) => s + m.students, 0), "{n} mark is missing.", "{n} marks are missing.")}</b> {t("You can publish without them.")}</Banner>}
          {p.missing.length > 0 && (
            <ul class="missing">{p.missing.slice(0, 12).map((m) => (
              <li key={m.classId + m.subjectId}><a href={`/app/exams/${exam.id}/marks?classId=${m.classId}`} onClick={onClose}>{m.className}, {m.subjectName}</a> <span
                class="muted">{n(m.students, "{n} child", "{n} children")}</span></li>
            ))}{p.missing.length > 12 && <li class="faint">{n(p.missing.length - 12, "and {n} more paper", "and {n} more papers")}</li>}</ul>
          )}
          <Form fields={[]} button={n(p.students, "Publish to {n} family", "Publish to {n} families")} submit={publish} onCancel={onClose}
            onDone={() => { onClose(); done(n(p.students, "The result of {n} child is published.", "The results of {n} children are published."), back) }} />
        </>
      )}</Ready>
    </Dialog>
  )
}

function Unpublish({ exam, onClose }: { exam: Exam; onClose: () => void }) {
  const path = { id: exam.id }
  return (
    <Dialog title={t("Take the results back")} onClose={onClose}>
      <p>{exam.openedAt ? t("Parents have seen these results: the first opened them {when}.", { when: when(exam.openedAt) }) : t("No parent has opened these results yet.")}</p>
      <p>{t("Parents no longer see the results. When you publish again, they are told of a correction.")}</p>
      <Form single fields={[{ name: "reason", label: t("Reason"), kind: "textarea", required: true, help: t("Parents don’t see it.") }]} button={t("Take the results back")}
        onCancel={onClose}
        submit={(v, key) => post("/school-admin/exam/{id}/unpublish", { reason: String(v.reason ?? "") }, { path, key })}
        onDone={() => { onClose(); done(t("The results are taken back."), () => post("/school-admin/exam/{id}/publish", {}, { path })) }} />
    </Dialog>
  )
}

/** The report cards of a class or division in one file. */
function Cards({ exam, onClose }: { exam: Exam; onClose: () => void }) {
  const classes = useClasses(exam.academicYearId)
  const own = classes.options.filter((c) => exam.classIds.length === 0 || exam.classIds.includes(c.value))
  const divisions = useDivisions()
  const submit = async (v: Record<string, unknown>) => {
    const file = await download(address("/school-admin/exam/report-cards", {}, { examId: exam.id, classId: v.classId, divisionId: v.divisionId }))
    saveBlob(file.blob, file.name)
  }
  const choices = divisions.items.map((d) => ({ value: d.id, text: `${d.className} ${d.name}` }))
  return (
    <Dialog title={t("Report cards as PDF")} onClose={onClose}>
      <p>{t("One page for each child with results, by division and roll number. Until the exam is published they are marked as provisional.")}</p>
      <Form single fields={[
        { name: "classId", label: t("Class"), kind: "select", required: true, options: own },
        { name: "divisionId", label: t("Division"), kind: "select", options: choices, help: t("Without a choice, the whole class, up to 200 children.") },
      ]} button={t("Download the report cards")} submit={submit} onDone={onClose} onCancel={onClose} />
    </Dialog>
  )
}
