import { useState } from "preact/hooks"
import { post } from "../../api/client"
import { may } from "../../api/session"
import { useKey } from "../../shell/keys"
import { useGet, useLoad } from "../../shell/load"
import { sayFault } from "../../shell/toast"
import { Button, Card, Ready, State } from "../../ui/basics"
import { Menu } from "../../ui/dialog"
import { useClasses } from "../../ui/choices"
import { date, shortDay } from "../../words/format"
import { t } from "../../words/words"
import { entryOf, papersOf } from "./actions"
import { done, ExamFrame, type Exam, type Paper } from "./exam"
import { PaperDialog, PlanDialog } from "./plan"

export default function ExamPapers({ params }: { params: Record<string, string> }) {
  return <ExamFrame id={params.id!} tab="papers">{(exam) => <Papers exam={exam} />}</ExamFrame>
}

function Papers({ exam }: { exam: Exam }) {
  const papers = useLoad(`papers ${exam.id}`, () => papersOf(exam.id))
  const analysis = useGet(may("read", "result") ? "/school-admin/exam/{id}/analysis" : null, undefined, { id: exam.id })
  const classes = useClasses(exam.academicYearId)
  const [open, setOpen] = useState<Paper | "new" | "plan">()
  const writes = may("write", "exam") && exam.status !== "PUBLISHED"
  useKey("n", t("Add a paper"), () => { if (writes) setOpen("new") })
  const entered = (p: Paper) => {
    const s = analysis.data?.subjects.find((x) => x.classId === p.classId && x.subjectId === p.subjectId)
    return s ? s.scored + s.absent + s.exempt : 0
  }
  const drop = (p: Paper) => {
    const rest = (papers.data ?? []).filter((x) => x.id !== p.id)
    post("/school-admin/exam/schedule", { examId: exam.id, entries: rest.map(entryOf), replace: true }).then(() =>
      done(t("{subject} of {class} is taken out.", { subject: p.subjectName, class: p.className }), () => post("/school-admin/exam/schedule",
        { examId: exam.id, entries: [entryOf(p)] })), sayFault)
  }
  const buttons = writes && <><Button icon="queue" onClick={() => setOpen("plan")}>{t("Plan all papers")}</Button><Button icon="plus" hint="N"
    onClick={() => setOpen("new")}>{t("Add a paper")}</Button></>
  return (
    <>
      <Ready of={papers} rows={8}>{(all) => all.length === 0
        ? <State icon="cal" title={t("No papers yet")}><p>{t("Plan one for each subject of the classes, or add them one by one.")}</p><span class="row">{buttons}</span></State>
        : (
          <div class="stack far">
            <div class="row wrap"><span class="push" />{buttons}</div>
            {byClass(all).map(([classId, list]) => {
              const students = classes.items.find((c) => c.id === classId)?.students ?? 0
              return (
                <Card key={classId} title={list[0]!.className} flush action={may("read", "result") && <a
                  href={`/app/exams/${exam.id}/marks?classId=${classId}`}>{t("Enter marks")}</a>}>
                  <div class="scroll"><table>
                    <thead><tr><th scope="col">{t("Subject")}</th><th scope="col">{t("Day")}</th><th scope="col" class="hide-sm">{t("Time")}</th><th scope="col"
                      class="hide-sm">{t("Room")}</th>
                      <th scope="col" class="num">{t("Out of")}</th><th scope="col" class="num hide-sm">{t("Pass")}</th><th scope="col" class="num">{t("Marks")}</th><th
                        scope="col"><span class="sr">{t("Actions")}</span></th></tr></thead>
                    <tbody>{list.map((p) => (
                      <tr key={p.id}>
                        <th scope="row">{p.subjectName}{p.components.length > 0 && <span
                          class="faint small block">{p.components.map((c) => `${c.name} ${c.maxMarks}`).join(" + ")}</span>}</th>
                        <td class="nowrap">{shortDay(p.date)} {date(p.date)}</td><td
                          class="hide-sm nowrap">{p.startTime ? `${p.startTime.slice(0, 5)}–${p.endTime?.slice(0, 5) ?? ""}` : "–"}</td><td class="hide-sm">{p.room ?? "–"}</td>
                        <td class="num">{p.maxMarks}</td><td class="num hide-sm">{p.passMarks ?? "–"}</td>
                        <td class="num nowrap">{analysis.data ? t("{part} of {whole}", { part: entered(p), whole: students }) : "–"}</td>
                        <td class="act"><Menu size="sm" label={t("Actions for {name}", { name: p.subjectName })} items={[
                          { text: t("Change the paper"), icon: "pen", hidden: !writes, run: () => setOpen(p) },
                            { text: t("Take the paper out"), icon: "x", danger: true, hidden: !writes, run: () => drop(p) },
                        ]} /></td>
                      </tr>
                    ))}</tbody>
                  </table></div>
                </Card>
              )
            })}
          </div>
        )}</Ready>
      {open === "plan" && <PlanDialog exam={exam} before={papers.data ?? []} onClose={() => setOpen(undefined)} />}
      {open && open !== "plan" && <PaperDialog exam={exam} {...(open !== "new" && { paper: open })} onClose={() => setOpen(undefined)} />}
    </>
  )
}

function byClass(papers: Paper[]): [string, Paper[]][] {
  const out = new Map<string, Paper[]>()
  for (const p of papers) out.set(p.classId, [...(out.get(p.classId) ?? []), p])
  return [...out].sort((a, b) => a[1][0]!.className.localeCompare(b[1][0]!.className, undefined, { numeric: true }))
}
