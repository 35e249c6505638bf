// What the pages of an exam share: its words, its form, its head with tabs.
import type { ComponentChildren } from "preact"
import { useRef, useState } from "preact/hooks"
import { get, post, put } from "../../api/client"
import type { Reply, Row } from "../../api/contract"
import { may } from "../../api/session"
import { useKey } from "../../shell/keys"
import { changed, useGet, type Loaded } from "../../shell/load"
import { go } from "../../shell/router"
import { say } from "../../shell/toast"
import { Badge, Button, Head, Ready, Tabs, type Tone } from "../../ui/basics"
import { currentYear, useClasses } from "../../ui/choices"
import type { FieldSpec, Values } from "../../ui/form"
import { RecordDialog } from "../../ui/record"
import { range, when } from "../../words/format"
import { t } from "../../words/words"
import { ExamActions } from "./actions"

export type Exam = Reply<"/school-admin/exam/{id}", "get">
export type Paper = Row<"/school-admin/exam/schedule/list">

export const types = () => [
  { value: "UNIT_TEST", text: t("Unit test") }, { value: "TERM", text: t("Term exam") }, { value: "FINAL", text: t("Final exam") }, { value: "OTHER", text: t("Other") },
]

export const states = (): { value: Exam["status"]; text: string; tone: Tone }[] => [
  { value: "DRAFT", text: t("draft"), tone: "" }, { value: "SCHEDULED", text: t("scheduled"), tone: "info" }, { value: "ONGOING", text: t("running"), tone: "brand" },
  { value: "COMPLETED", text: t("waiting for results"), tone: "warn" }, { value: "PUBLISHED", text: t("published"), tone: "good" },
]

export function StateBadge({ status }: { status: Exam["status"] }) {
  const s = states().find((x) => x.value === status)!
  return <Badge tone={s.tone}>{s.text}</Badge>
}

export function useScales() {
  const loaded = useGet("/school-admin/grade-scale/list", { limit: 100 })
  return loaded.data?.items ?? []
}

/** Creates an exam, or changes one. */
export function ExamDialog({ exam, onClose }: { exam?: Exam; onClose: () => void }) {
  const classes = useClasses(exam?.academicYearId ?? currentYear())
  const scales = useScales()
  const fields: FieldSpec[] = [
    { name: "name", label: t("Name"), required: true, wide: true, placeholder: t("November class test") },
    { name: "type", label: t("Kind"), kind: "select", options: types() },
    { name: "gradeScaleId", label: t("Grades"), kind: "select", options: scales.map((s) => ({ value: s.id, text: s.name })),
      help: t("Without a choice, the school’s usual grades.") },
    { name: "startDate", label: t("First day"), kind: "date" }, { name: "endDate", label: t("Last day"), kind: "date" },
    { name: "classIds", label: t("Classes"), kind: "many", options: classes.options, help: t("Without a choice, all classes of the year.") },
  ]
  const save = (v: Values, key: string) => {
    const body = { ...v, classIds: (v.classIds as string[] | undefined)?.length ? v.classIds : null } as Parameters<typeof create>[0]
    return exam ? put("/school-admin/exam/{id}", body, { path: { id: exam.id }, key }) : create(body, key)
  }
  const made = useRef("")
  const create = async (body: Parameters<typeof post<"/school-admin/exam/create">>[1] & object, key: string) => {
    const x = await post("/school-admin/exam/create", body, { key })
    made.current = x.id
    return x
  }
  const initial = exam ? { ...exam } : { type: "UNIT_TEST" }
  return (
    <RecordDialog title={exam ? t("Change the exam") : t("New exam")} fields={fields} record={initial as Values} save={save}
      button={exam ? t("Save the exam") : t("Create the exam")} wide
      done={exam ? t("The exam is changed.") : t("The exam is a draft. Add its papers.")}
      onClose={() => { onClose(); if (made.current) go(`/app/exams/${made.current}`) }}
      {...(exam && { latest: async () => ({ ...(await get("/school-admin/exam/{id}", undefined, { path: { id: exam.id } })) }) as Values })} />
  )
}

type Tab = "papers" | "marks" | "results" | "analysis"

/** The head of an exam's page, and its content once the exam is known. */
export function ExamFrame({ id, tab, children, tools }: { id: string; tab: Tab; children: (exam: Exam) => ComponentChildren; tools?: ComponentChildren }) {
  const loaded: Loaded<Exam> = useGet("/school-admin/exam/{id}", undefined, { id })
  const [editing, setEditing] = useState(false)
  const exam = loaded.data
  const changes = may("write", "exam") && exam?.status !== "PUBLISHED"
  useKey("e", t("Change the exam"), () => { if (changes) setEditing(true) })
  return (
    <Ready of={loaded} rows={8}>{(x) => (
      <>
        <Head title={<bdi>{x.name}</bdi>} sub={<><StateBadge
          status={x.status} /> {x.startDate && range(x.startDate, x.endDate ?? x.startDate)} {x.publishedAt && `· ${t("Published {when}", { when: when(x.publishedAt) })}`}</>}>
          {tools}
          {changes && <Button icon="pen" hint="E" onClick={() => setEditing(true)}>{t("Change")}</Button>}
          <ExamActions exam={x} />
        </Head>
        <Tabs label={t("Parts of the exam")} current={tab} items={[
          { key: "papers", href: `/app/exams/${id}`, text: t("Papers") },
          ...(may("read", "result") ? [
            { key: "marks", href: `/app/exams/${id}/marks`, text: t("Marks") }, { key: "results", href: `/app/exams/${id}/results`, text: t("Results") },
            { key: "analysis", href: `/app/exams/${id}/analysis`, text: t("Analysis") },
          ] : []),
        ]} />
        {children(x)}
        {editing && <ExamDialog exam={x} onClose={() => setEditing(false)} />}
      </>
    )}</Ready>
  )
}

/** Says what happened, and loads every page again. */
export function done(text: string, undo?: () => Promise<unknown>): void { changed(); say(text, undo) }
