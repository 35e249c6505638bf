// What stands beside the grid: the paper of the open cell, its marks as a chart, and the keys.
import { useRef } from "preact/hooks"
import { upload } from "../../api/client"
import { sayFault } from "../../shell/toast"
import { Button } from "../../ui/basics"
import { n, t } from "../../words/words"
import { wrong, type Column, type Pupil } from "./cells"
import { done } from "./exam"

interface Props { column: Column; pupils: Pupil[]; text: (r: Pupil) => string; of: number; examId: string; classId: string; writes: boolean }

export function Pane({ column: c, pupils, text, of, examId, classId, writes }: Props) {
  const file = useRef<HTMLInputElement>(null)
  const texts = pupils.map(text).filter((x) => x !== "")
  const marks = texts.filter((x) => x !== "AB" && x !== "EX" && !wrong(x, c)).map(Number)
  const low = c.paper.passMarks === null || c.part ? 0 : marks.filter((m) => m < c.paper.passMarks!).length
  const send = (f: File | undefined) => {
    if (!f) return
    const form = new FormData()
    form.append("examId", examId)
    form.append("classId", classId)
    form.append("subjectId", c.paper.subjectId)
    form.append("file", f)
    const said = (x: { created: number; updated: number }) => done(n(x.created + x.updated, "{n} mark is imported.", "{n} marks are imported."))
    upload("/school-admin/exam/result/upload", form).then((r) => said(r as { created: number; updated: number }), sayFault)
  }
  return (
    <aside class="pane no-print" aria-label={t("About these marks")}>
      <section class="stack">
        <h2>{c.part ? `${c.paper.subjectName}: ${c.part}` : c.paper.subjectName}</h2>
        <p class="small muted">{t("{part} of {whole} marks, out of {max}.",
          { part: texts.length, whole: of, max: c.max })} {low > 0 && n(low, "One is below the {pass} to pass.", "{n} are below the {pass} to pass.",
          { pass: c.paper.passMarks! })}</p>
        <progress max={of} value={texts.length} aria-label={t("{part} of {whole} marks, out of {max}.", { part: texts.length, whole: of, max: c.max })} />
      </section>
      {marks.length > 2 && <Spread marks={marks} max={c.max} subject={c.paper.subjectName} />}
      <section class="stack hide-sm">
        <h3>{t("Write in a cell")}</h3>
        <dl class="facts start small">
          <dt><kbd>AB</kbd></dt><dd>{t("was absent")}</dd><dt><kbd>EX</kbd></dt><dd>{t("exempt")}</dd><dt><kbd>–</kbd></dt><dd>{t("empty again")}</dd><dt><kbd>Enter</kbd>
            </dt><dd>{t("next child")}</dd>
          <dt><kbd>Tab</kbd></dt><dd>{t("next subject")}</dd><dt><kbd>Ctrl V</kbd></dt><dd>{t("paste a block from a spreadsheet")}</dd><dt><kbd>F8</kbd></dt>
            <dd>{t("next fault")}</dd>
          <dt><kbd>Ctrl Z</kbd></dt><dd>{t("undo")}</dd><dt><kbd>Esc</kbd></dt><dd>{t("as it was, then out of the grid")}</dd>
        </dl>
      </section>
      {writes && (
        <section class="stack">
          <input ref={file} type="file" accept=".csv,text/csv" hidden aria-label={t("CSV file of marks")}
            onChange={(e) => { send(e.currentTarget.files?.[0]); e.currentTarget.value = "" }} />
          <Button icon="load" onClick={() => file.current?.click()}>{t("Import a CSV file of {subject}", { subject: c.paper.subjectName })}</Button>
          <p class="help">{t("Columns: admissionNo, marks (a number, AB or EX), remark.")}</p>
        </section>
      )}
    </aside>
  )
}

/** How many children have how many marks, in ten steps. */
function Spread({ marks, max, subject }: { marks: number[]; max: number; subject: string }) {
  const steps = Array.from({ length: 10 }, (_, i) => marks.filter((m) => Math.min(9, Math.floor((10 * m) / max)) === i).length)
  const top = Math.max(...steps)
  return (
    <section class="stack">
      <h3>{t("{subject}, {n} marks", { subject, n: marks.length })}</h3>
      <svg class="chart" viewBox="0 0 270 96" role="img" aria-label={t("Children by marks in {subject}",
        { subject }) + ": " + steps.map((s, i) => `${Math.round((i * max) / 10)} ${s}`).join(", ")}>
        <path class="grid" d="M0 78.5H270" />
        {steps.map((s, i) => (
          <g key={i} transform={`translate(${i * 27} 0)`}>
            <rect class="c1" x="3" y={78 - (s / top) * 62} width="21" height={(s / top) * 62} rx="2" />
            <text x="13.5" y="92" text-anchor="middle">{Math.round((i * max) / 10)}</text>{s > 0 && <text x="13.5" y={73 - (s / top) * 62} text-anchor="middle">{s}</text>}
          </g>
        ))}
      </svg>
    </section>
  )
}
