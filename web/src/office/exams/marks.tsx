import { useRef } from "preact/hooks"
import { get } from "../../api/client"
import { may } from "../../api/session"
import { useLoad } from "../../shell/load"
import { query, setQuery } from "../../shell/router"
import { Banner, Ready, State } from "../../ui/basics"
import { useClasses, useDivisions } from "../../ui/choices"
import { useWarning } from "../../ui/form"
import { fullName } from "../../words/format"
import { t } from "../../words/words"
import { pages } from "./actions"
import type { Pupil } from "./cells"
import { ExamFrame, useScales, type Exam } from "./exam"
import { Sheet } from "./sheet"

export default function MarksPage({ params }: { params: Record<string, string> }) {
  return <ExamFrame id={params.id!} tab="marks">{(exam) => <Marks exam={exam} />}</ExamFrame>
}

function Marks({ exam }: { exam: Exam }) {
  const classes = useClasses(exam.academicYearId)
  const own = classes.items.filter((c) => exam.classIds.length === 0 || exam.classIds.includes(c.id))
  const classId = query.value.get("classId") ?? own[0]?.id
  const divisions = useDivisions(classId)
  const divisionId = query.value.get("divisionId") ?? (classId ? divisions.items.find((d) => d.classId === classId)?.id : undefined)
  const dirty = useRef(false)
  useWarning(dirty)
  const choose = (to: Record<string, string>) => {
    if (dirty.current && !confirm(t("Leave these marks? What you typed is not saved."))) return
    dirty.current = false
    setQuery(to)
  }
  return (
    <>
      <div class="filters" role="search">
        <span class="chip"><label for="class">{t("Class")}</label>
          <select id="class" value={classId} onChange={(e) => choose({ classId: e.currentTarget.value, divisionId: "" })}>{own.map((c) => <option key={c.id}
            value={c.id}>{c.name}</option>)}</select></span>
        <span class="chip"><label for="division">{t("Division")}</label>
          <select id="division" value={divisionId} onChange={(e) => choose({ divisionId: e.currentTarget.value })}>{divisions.items.map((d) => <option key={d.id}
            value={d.id}>{d.name}</option>)}</select></span>
      </div>
      {exam.status === "DRAFT" ? <State icon="cal" title={t("The exam is still a draft")}><p>{t("Plan its papers; then marks can be entered.")}</p></State>
        : classId && divisionId && <Division key={divisionId} exam={exam} classId={classId} divisionId={divisionId} dirty={dirty} />}
    </>
  )
}

async function loadDivision(exam: Exam, classId: string, divisionId: string, signal: AbortSignal) {
  const [papers, students, results, electives] = await Promise.all([
    get("/school-admin/exam/schedule/list", { examId: exam.id, classId, limit: 100, sort: "subjectName" }, { signal }),
    get("/school-admin/student/list", { classId, divisionId, academicYearId: exam.academicYearId, limit: 100, sort: "rollNo" }, { signal }),
    pages((page) => get("/school-admin/exam/result/list", { examId: exam.id, classId, divisionId, page, limit: 100 }, { signal })),
    may("read", "subject") ? get("/school-admin/elective/list", { classId, limit: 100 }, { signal }) : null,
  ])
  const chosen = (electives?.items ?? []).filter((e) => papers.items.some((p) => p.subjectId === e.subjectId))
  const takers = await Promise.all(chosen.map((e) => get("/school-admin/elective/{classId}/{subjectId}", undefined, { path: { classId, subjectId: e.subjectId }, signal })))
  const pupils = students.items.map((s): Pupil => ({ id: s.id, name: fullName(s), rollNo: s.rollNo }))
  return { papers: papers.items, pupils, results, takes: new Map(takers.map((e) => [e.subjectId, new Set(e.takenBy.map((x) => x.studentId))])) }
}

function Division({ exam, classId, divisionId, dirty }: { exam: Exam; classId: string; divisionId: string; dirty: { current: boolean } }) {
  const loaded = useLoad(`marks ${exam.id} ${classId} ${divisionId}`, (signal) => loadDivision(exam, classId, divisionId, signal))
  const scales = useScales()
  const bands = (scales.find((s) => s.id === exam.gradeScaleId) ?? scales.find((s) => s.isDefault))?.bands ?? []
  const writes = may("write", "result") && exam.status !== "PUBLISHED"
  return (
    <Ready of={loaded} rows={12}>{(d) => d.papers.length === 0
      ? <State icon="cal" title={t("This class has no papers")}><p>{t("Plan them on the page “Papers”.")}</p></State>
      : d.pupils.length === 0 ? <State icon="people" title={t("No students in this division")} />
      : (
        <>
          {exam.status === "PUBLISHED" && <Banner icon="lock">{t("The results are published. Take them back to change marks.")}</Banner>}
          <Sheet examId={exam.id} classId={classId} papers={d.papers} pupils={d.pupils} results={d.results} takes={d.takes} bands={bands} writes={writes} dirty={dirty} />
        </>
      )}
    </Ready>
  )
}
