// The end of the year: a class moves up, some repeat, the oldest graduate. First shown, then done, and it can be taken back.
import { useEffect, useState } from "preact/hooks"
import { post } from "../../api/client"
import type { Input, Reply } from "../../api/contract"
import { may, school } from "../../api/session"
import { asFault, changed, useLoad } from "../../shell/load"
import { say, sayFault } from "../../shell/toast"
import { Badge, Banner, Button, Card, Figures, Head, LinkButton, Ready, State, type Tone } from "../../ui/basics"
import { currentYear, useClasses, useDivisions } from "../../ui/choices"
import { Field } from "../../ui/form"
import { fullName } from "../../words/format"
import { n, t } from "../../words/words"

type Plan = Input<"/school-admin/student/promote", "post">
type Preview = Reply<"/school-admin/student/promote/preview", "post">
type Class = ReturnType<typeof useClasses>["items"][number]

export default function Promote() {
  const years = school.value?.academicYears ?? []
  const now = years.find((y) => y.isCurrent)
  const later = years.filter((y) => now && y.startDate > now.startDate)
  const [yearId, setYear] = useState(later[0]?.id ?? "")
  const from = useClasses(currentYear())
  const to = useClasses(yearId || false)
  const [classId, setClass] = useState("")
  const classes = [...from.items].sort((a, b) => a.displayOrder - b.displayOrder)
  if (!may("write", "student")) return <State icon="lock" title={t("This page is not open to you")} />
  return (
    <>
      <Head title={t("Promote a class")} sub={t("Nothing changes for the running year. The students move when the next year begins.")} />
      {later.length === 0 && <Banner tone="warn" icon="cal">{t("There is no later academic year yet. A class can graduate, but not move up.")} <a href="/app/calendar/years">
        {t("Make the next year")}</a></Banner>}
      {later.length > 0 && yearId && to.data && to.items.length === 0 && <Banner tone="warn" icon="info">{t("The later year has no classes yet.")} <a
        href="/app/classes?copy=1">{t("Copy them")}</a></Banner>}
      <div class="promote">
        <Card title={t("Class")} flush>
          <ul class="list picklist">{classes.map((c) => (
            <li key={c.id}><button type="button" aria-pressed={c.id === classId} onClick={() => setClass(c.id)}><b>{c.name}</b><span class="faint">
              {n(c.students, "{n} student", "{n} students")}</span></button></li>
          ))}</ul>
        </Card>
        {classId ? <Wizard key={classId + yearId} from={classes.find((c) => c.id === classId)!} classes={classes} targets={yearId ? to.items : []} />
          : <State icon="up" title={t("Choose a class")}><p>{t("Begin with the oldest: its seats are free for the next.")}</p></State>}
      </div>
      {later.length > 1 && <Field spec={{ name: "year", label: t("Later year"), kind: "select", required: true, options: later.map((y) => ({ value: y.id, text: y.name })) }}
        value={yearId} onChange={(v) => setYear(String(v))} />}
    </>
  )
}

function Wizard({ from, classes, targets }: { from: Class; classes: Class[]; targets: Class[] }) {
  const next = classes[classes.findIndex((c) => c.id === from.id) + 1]
  const [toId, setTo] = useState("")
  const [stays, setStays] = useState<string[]>([])
  const [keepRollNumbers, setRolls] = useState(false)
  const [keepElectives, setElectives] = useState(true)
  const [busy, setBusy] = useState(false)
  const repeat = targets.find((c) => c.name === from.name)?.id
  useEffect(() => { setTo(targets.find((c) => c.name === next?.name)?.id ?? (next ? "" : "graduate")) }, [targets.length])
  const graduate = toId === "graduate"
  const plan: Plan = {
    fromClassId: from.id, outcome: graduate ? "GRADUATED" : "PROMOTED", except: stays, keepRollNumbers, keepElectives,
    ...(!graduate && { toClassId: toId }), ...(repeat && stays.length > 0 && { detainedClassId: repeat }),
  }
  const preview = useLoad(toId ? `promote:${JSON.stringify(plan)}` : "", () => post("/school-admin/student/promote/preview", plan))
  async function act(run: () => Promise<unknown>) {
    setBusy(true)
    try { await run(); changed() } catch (e) { sayFault(e) } finally { setBusy(false) }
  }
  const undo = () => post("/school-admin/student/promote/undo", { fromClassId: from.id })
  const promote = () => act(async () => {
    const r = await post("/school-admin/student/promote", plan, { key: crypto.randomUUID() })
    say(t("{name}: {up} move up, {stay} repeat, {out} graduate.", { name: from.name, up: r.promoted, stay: r.detained, out: r.graduated }), undo)
  })
  const takeBack = () => act(async () => { const r = await undo(); say(n(r.undone, "The promotion of {n} student is taken back.",
    "The promotion of {n} students is taken back.")) })
  return (
    <Card title={from.name} action={<Button kind="plain" size="sm" icon="back" busy={busy} onClick={() => void takeBack()}>{t("Take the promotion back")}</Button>}>
      <div class="stack loose">
        <div class="fields">
          <Field spec={{ name: "to", label: t("Goes to"), kind: "select", required: true,
            options: [...targets.map((c) => ({ value: c.id, text: c.name })), { value: "graduate", text: t("Graduates: leaves the school") }] }} value={toId}
              onChange={(v) => setTo(String(v))} />
          <div class="stack">
            <label class="check"><input type="checkbox" checked={keepRollNumbers} onChange={(e) => setRolls(e.currentTarget.checked)} />{t("Keep roll numbers")}</label>
            <label class="check"><input type="checkbox" checked={keepElectives} onChange={(e) => setElectives(e.currentTarget.checked)} />
              {t("Keep electives that the next class has")}</label>
          </div>
        </div>
        {!toId ? <p class="muted">{t("Choose where the class goes.")}</p> : preview.fault && !preview.data ? <Banner tone="bad" icon="alert">
          {asFault(preview.fault).message}</Banner>
          : <Ready of={preview}>{(p) => <Result preview={p} toId={graduate ? "" : toId} repeatId={repeat} targets={targets} stays={stays} setStays={setStays}
            from={from} />}</Ready>}
        {preview.data && <div class="row"><LinkButton href="/app/students">{t("Back to the list")}</LinkButton><span class="push" />
          <Button kind="go" busy={busy} disabled={!preview.data.students.length} onClick={() => void promote()}>{label(preview.data)}</Button></div>}
      </div>
    </Card>
  )
}

function label(p: Preview): string {
  const parts = [p.promoted && n(p.promoted, "Move {n} up", "Move {n} up"), p.graduated && n(p.graduated, "Graduate {n}", "Graduate {n}"),
    p.detained && n(p.detained, "{n} repeats", "{n} repeat")]
  return parts.filter(Boolean).join(", ") || t("Nothing left to do")
}

interface ResultProps { preview: Preview; toId: string; repeatId: string | undefined; targets: Class[]; stays: string[]; setStays: (ids: string[]) => void; from: Class }

function Result({ preview, toId, repeatId, targets, stays, setStays }: ResultProps) {
  const up = useDivisions(toId || false)
  const same = useDivisions(repeatId ?? false)
  const divisions = new Map([...up.items, ...same.items].map((d) => [d.id, d.name]))
  const names = new Map(targets.map((c) => [c.id, c.name]))
  const flip = (id: string) => setStays(stays.includes(id) ? stays.filter((x) => x !== id) : [...stays, id])
  const said = { PROMOTED: t("moves up"), DETAINED: t("repeats"), GRADUATED: t("graduates") }
  const tones: Record<string, Tone> = { PROMOTED: "", DETAINED: "warn", GRADUATED: "good" }
  return (
    <>
      <Figures label={t("What happens")} items={[
        { label: t("Move up"), value: preview.promoted }, { label: t("Repeat"), value: preview.detained, tone: "warn" }, { label: t("Graduate"), value: preview.graduated },
        { label: t("Done already"), value: preview.unchanged },
      ]} />
      {preview.students.length > 0 && <div class="frame"><div class="scroll" tabIndex={0}><table>
        <thead><tr><th scope="col">{t("Student")}</th><th scope="col">{t("Result")}</th><th scope="col">{t("Next class")}</th><th scope="col" class="num">{t("Roll")}</th><th
          scope="col"><span class="sr">{t("Change")}</span></th></tr></thead>
        <tbody>{preview.students.map((s) => (
          <tr key={s.studentId}><td><a href={`/app/students/${s.studentId}`}><bdi>{fullName(s)}</bdi></a></td><td><Badge tone={tones[s.outcome]}>{said[s.outcome]}</Badge></td>
            <td>{s.classId ? `${names.get(s.classId) ?? ""} ${s.divisionId ? (divisions.get(s.divisionId) ?? "") : ""}` : <span class="faint">
              {s.outcome === "DETAINED" ? t("not placed") : "–"}</span>}</td>
            <td class="num">{s.rollNo ?? "–"}</td>
            <td class="act"><Button size="sm" kind="plain" onClick={() => flip(s.studentId)}>{stays.includes(s.studentId) ? t("Let move up") : t("Let repeat")}</Button></td></tr>
        ))}</tbody>
      </table></div></div>}
    </>
  )
}
