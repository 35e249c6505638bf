// Several students to another class or division, and the roll numbers of a division.
import { useState } from "preact/hooks"
import { get, put } from "../../api/client"
import { may } from "../../api/session"
import { asFault, changed, useLoad } from "../../shell/load"
import { query } from "../../shell/router"
import { say, sayFault } from "../../shell/toast"
import { Badge, Banner, Button, Card, Head, LinkButton, Ready, State, Who } from "../../ui/basics"
import { useClasses, useDivisions } from "../../ui/choices"
import { Field } from "../../ui/form"
import { fullName } from "../../words/format"
import { n, t } from "../../words/words"
import { seats } from "./change"
import { chosen } from "./chosen"
import { Renumber } from "./renumber"

type Seat = { classId: string | null; divisionId: string | null; rollNo: number | null }
interface Person extends Seat {
  id: string
  firstName: string
  lastName: string | null
  className: string | null
  divisionName: string | null
  photoThumbnailUrl?: string | null | undefined
}

export default function Move() {
  const ids = (query.value.get("ids") ?? "").split(",").filter(Boolean)
  const people = useLoad(`move:${ids.join()}`, async (signal): Promise<Person[]> =>
    chosen(ids) ?? Promise.all(ids.map((id) => get("/school-admin/student/{id}", undefined, { path: { id }, signal }))))
  if (!may("write", "student")) return <State icon="lock" title={t("This page is not open to you")} />
  return (
    <>
      <Head title={ids.length ? n(ids.length, "Move {n} student", "Move {n} students") : t("Roll numbers")} />
      {ids.length > 0 && <Ready of={people}>{(list) => <Places people={list} />}</Ready>}
      <Renumber />
    </>
  )
}

function Places({ people }: { people: Person[] }) {
  const classes = useClasses()
  const divisions = useDivisions()
  const [classId, setClass] = useState("")
  const [divisionId, setDivision] = useState("")
  const [done, setDone] = useState<Map<string, string>>(new Map()) // what the server said to each; "" is moved
  const [at, setAt] = useState(-1)
  const target = divisions.items.find((d) => d.id === divisionId)
  const waiting = people.filter((p) => done.get(p.id) !== "")
  async function move() {
    const moved: Person[] = []
    const said = new Map(done)
    for (const [i, p] of waiting.entries()) {
      setAt(i)
      try {
        await place(p.id, { classId, divisionId: divisionId || null, rollNo: null })
        said.set(p.id, "")
        moved.push(p)
      } catch (e) {
        said.set(p.id, asFault(e).message)
      }
    }
    setAt(-1)
    setDone(said)
    changed()
    if (moved.length) say(n(moved.length, "{n} student is moved.", "{n} students are moved."), async () => { for (const p of moved) await place(p.id, p); setDone(new Map()) })
  }
  return (
    <Card title={t("To|place")}>
      <div class="stack loose">
        <div class="fields">
          <Field spec={{ name: "classId", label: t("Class"), kind: "select", required: true, options: classes.options }} value={classId}
            onChange={(v) => { setClass(String(v)); setDivision("") }} />
          <Field spec={{ name: "divisionId", label: t("Division"), kind: "select",
            options: divisions.items.filter((d) => d.classId === classId).map((d) => ({ value: d.id, text: seats(d) })) }} value={divisionId}
              onChange={(v) => setDivision(String(v))} />
        </div>
        {target?.capacity != null && target.students + waiting.length > target.capacity && <Banner tone="warn" icon="alert">
          {t("The division has {n} seats free.", { n: Math.max(0, target.capacity - target.students) })}</Banner>}
        <ul class="list frame">{people.map((p) => (
          <li key={p.id}><Who name={fullName(p)} photo={p.photoThumbnailUrl} href={`/app/students/${p.id}`} note={`${p.className ?? ""} ${p.divisionName ?? ""}`} /><span
            class="push" />
            {done.get(p.id) === "" ? <Badge tone="good">{t("moved")}</Badge> : done.get(p.id) ? <span class="error">{done.get(p.id)}</span> : null}</li>
        ))}</ul>
        {at >= 0 && <progress value={at} max={waiting.length} aria-label={t("Moving")} />}
        <div class="row"><LinkButton href="/app/students">{t("Back to the list")}</LinkButton><span class="push" />
          {waiting.length > 0 && <Button kind="go" busy={at >= 0} disabled={!classId} onClick={() => move().catch(sayFault)}>
            {n(waiting.length, "Move {n} student", "Move {n} students")}</Button>}</div>
      </div>
    </Card>
  )
}

function place(id: string, { classId, divisionId, rollNo }: Seat) { return put("/school-admin/student/{id}", { classId, divisionId, rollNo }, { path: { id } }) }

