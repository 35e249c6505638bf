// Numbers the students of a division anew, by name or in an order that the office chooses.
import { useState } from "preact/hooks"
import { post } from "../../api/client"
import { changed, useGet } from "../../shell/load"
import { query } from "../../shell/router"
import { say, sayFault } from "../../shell/toast"
import { Button, Card, Ready, State } from "../../ui/basics"
import { useDivisions } from "../../ui/choices"
import { Field } from "../../ui/form"
import { fullName } from "../../words/format"
import { t } from "../../words/words"

type By = "lastName" | "firstName" | "admissionNo"

export function Renumber() {
  const divisions = useDivisions()
  const [division, setDivision] = useState(query.value.get("divisionId") ?? "")
  const [by, setBy] = useState<By | "">("lastName")
  const list = useGet(division ? "/school-admin/student/list" : null, { divisionId: division, status: "ACTIVE", sort: "rollNo", limit: 100 })
  return (
    <Card title={t("Number a division anew")}>
      <div class="stack loose">
        <div class="fields">
          <Field spec={{ name: "divisionId", label: t("Division"), kind: "select", required: true, options: divisions.options }} value={division}
            onChange={(v) => setDivision(String(v))} />
          <Field spec={{ name: "by", label: t("In the order of"), kind: "select", required: true, options: [
            { value: "lastName", text: t("last name") }, { value: "firstName", text: t("first name") }, { value: "admissionNo", text: t("admission number") },
            { value: "own", text: t("the list below, as I arrange it") },
          ] }} value={by || "own"} onChange={(v) => setBy(v === "own" ? "" : (v as By))} />
        </div>
        {division && <Ready of={list} rows={4}>
          {(l) => l.items.length === 0 ? <State icon="people" title={t("Nobody is in this division")} /> : <Order key={division} people={l.items} division={division}
            by={by} />}</Ready>}
      </div>
    </Card>
  )
}

interface Person { id: string; firstName: string; lastName: string | null; admissionNo: string; rollNo: number | null }

function Order({ people, division, by }: { people: Person[]; division: string; by: By | "" }) {
  const [own, setOwn] = useState(people.map((p) => p.id))
  const [busy, setBusy] = useState(false)
  const found = new Map(people.map((p) => [p.id, p]))
  const order = by ? [...people].sort((a,
    b) => (a[by] ?? "").localeCompare(b[by] ?? "") || fullName(a).localeCompare(fullName(b))) : own.map((id) => found.get(id)!).filter(Boolean)
  const shift = (i: number, step: number) => setOwn((ids) => { const next = [...ids]; const [id] = next.splice(i, 1); next.splice(i + step, 0, id!); return next })
  const number = (studentIds: string[]) => post("/school-admin/student/renumber", { divisionId: division, studentIds })
  async function run() {
    setBusy(true)
    try {
      const before = [...people].filter((p) => p.rollNo !== null).sort((a, b) => a.rollNo! - b.rollNo!).map((p) => p.id)
      if (by) await post("/school-admin/student/renumber", { divisionId: division, by })
      else await number(own)
      changed()
      say(t("The division is numbered."), before.length === people.length ? () => number(before) : undefined)
    } catch (e) {
      sayFault(e)
    } finally {
      setBusy(false)
    }
  }
  return (
    <>
      <div class="frame"><div class="scroll" tabIndex={0}><table>
        <thead><tr><th scope="col" class="num">{t("New")}</th><th scope="col" class="num">{t("Now")}</th><th scope="col">{t("Name")}</th><th scope="col">{t("Admission")}</th>
          <th scope="col"><span class="sr">{t("Move")}</span></th></tr></thead>
        <tbody>{order.map((p, i) => (
          <tr key={p.id}><td class="num">{p.rollNo === i + 1 ? <span class="faint">{i + 1}</span> : <b>{i + 1}</b>}</td><td class="num faint">{p.rollNo ?? "–"}</td><td><bdi>
            {fullName(p)}</bdi></td><td class="muted">{p.admissionNo}</td>
            <td class="act">{!by && <span class="row">
              <Button kind="plain" size="sm" icon="up" disabled={i === 0} aria-label={t("{name} up", { name: fullName(p) })} onClick={() => shift(i, -1)} />
              <Button kind="plain" size="sm" icon="down" disabled={i === order.length - 1} aria-label={t("{name} down", { name: fullName(p) })}
                onClick={() => shift(i, 1)} /></span>}</td></tr>
        ))}</tbody>
      </table></div></div>
      <div class="row"><span class="push" /><Button kind="go" busy={busy} onClick={() => void run()}>{t("Number them 1 to {n}", { n: order.length })}</Button></div>
    </>
  )
}
