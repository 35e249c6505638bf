// Charging: a class or the whole school for a period, with a preview; or one student by hand.
import { useEffect, useState } from "preact/hooks"
import { post } from "../../api/client"
import type { Reply } from "../../api/contract"
import { may, school } from "../../api/session"
import { changed, useGet, useLoad } from "../../shell/load"
import { query, setQuery } from "../../shell/router"
import { Banner, Card, Facts, Head, LinkButton, Ready, Segments, State } from "../../ui/basics"
import { currentYear, useClasses } from "../../ui/choices"
import { Form, type Option, type Values } from "../../ui/form"
import { count, due, money, month, today } from "../../words/format"
import { n, t } from "../../words/words"
import { sum } from "./amount"
import { ChargeOne } from "./charge_one"
import { findStructure } from "./structure"
import { FeeTabs } from "./tabs"
import { dueText, frequencyText, whoPays, type Item, type Structure } from "./words"

type Charged = Reply<"/school-admin/fee/charge/generate", "post">

export default function ChargePage() {
  const one = query.value.get("for") === "student" || !!query.value.get("student")
  if (!may("write", "fee")) return <State icon="lock" title={t("This page is not open to you")}><p>{t("Charging needs the right to write fees.")}</p></State>
  return (
    <>
      <Head title={t("Charge fees")} sub={t("A student is charged once for each line and period, however often you press the button.")} />
      <FeeTabs current="charges" />
      <div><Segments label={t("Who is charged")} value={one ? "student" : "class"}
        options={[{ value: "class", text: t("A class or the school") }, { value: "student", text: t("One student") }]} onChange={(v) => setQuery({ for: v, student: "" })} /></div>
      <div class="measure">{one ? <ChargeOne /> : <ChargeClass />}</div>
    </>
  )
}

function ChargeClass() {
  const classes = useClasses(currentYear())
  const [done, setDone] = useState<Charged>()
  const [reach, setReach] = useState<number>()
  const fields = [
    { name: "classId", label: t("Class"), kind: "select" as const, options: classes.options, help: t("Without one: the whole school.") },
    { name: "period", label: t("Period"), kind: "select" as const, required: true, options: periods(),
      help: t("With a month, quarters, terms and years around it are charged, too.") },
  ]
  if (done) return <Result charged={done} again={() => setDone(undefined)} />
  return (
    <Card>
      <Form fields={fields} initial={{ classId: query.value.get("classId") ?? "", period: today().slice(0, 7) }}
        button={reach === undefined ? t("Charge fees") : n(reach, "Charge {n} student", "Charge {n} students")} onDone={(r) => { changed(); setDone(r as Charged) }}
        submit={(v: Values, key) => post("/school-admin/fee/charge/generate", { ...(v.classId ? { classId: String(v.classId) } : {}), period: String(v.period) }, { key })}>
        {(v) => <Preview classId={v.classId ? String(v.classId) : ""} period={String(v.period)} tell={setReach} />}
      </Form>
    </Card>
  )
}

/** The months of the year, then its quarters, terms and the whole. */
function periods(): Option[] {
  const year = school.value?.academicYears.find((y) => y.isCurrent)
  if (!year) return [{ value: today().slice(0, 7), text: month(today()) }]
  const months: Option[] = []
  for (let at = year.startDate.slice(0, 7); at <= year.endDate.slice(0, 7) && months.length < 24;) {
    months.push({ value: at, text: month(at) })
    const [y, m] = at.split("-").map(Number) as [number, number]
    at = m === 12 ? `${y + 1}-01` : `${y}-${String(m + 1).padStart(2, "0")}`
  }
  return [...months, ...[1, 2, 3, 4].map((q) => ({ value: `Q${q}`, text: t("Quarter {n}", { n: q }) })),
    ...[1, 2, 3, 4].map((x) => ({ value: `T${x}`, text: t("Term {n}", { n: x }) })), { value: "YEAR", text: t("The whole year") }]
}

function Preview({ classId, period, tell }: { classId: string; period: string; tell: (students: number | undefined) => void }) {
  const structures = useLoad(`charge preview ${classId}`, async (signal) => (classId ? [await findStructure(classId, signal)].filter((s) => s !== null) : null))
  const all = useGet(classId ? null : "/school-admin/fee/structure/list", { limit: 100, academicYearId: currentYear() ?? "" })
  const students = useGet("/school-admin/student/list", { limit: 1, status: "ACTIVE", ...(classId && { classId }) })
  useEffect(() => tell(students.data?.total), [students.data])
  const shown = classId ? { ...structures, data: structures.data ?? undefined } : { ...all, data: all.data?.items }
  return (
    <div class="well" role="status"><Ready of={shown} rows={3}>{(list) => (
      list.length === 0
        ? <Banner tone="warn" icon="alert">{t("There is no fee structure, so nothing is charged.")} <a href={`/app/fees/structures/new?classId=${classId}`}>
          {t("Add a fee structure")}</a></Banner> : (
        <>
          <b>{students.data ? n(students.data.total, "{n} student attends.", "{n} students attend.") : t("What is charged")}</b>
          <div class="scroll" role="region" aria-label={t("What is charged")} tabIndex={0}><table>
            <thead><tr><th scope="col">{t("For what")}</th><th scope="col">{t("How often")}</th><th scope="col" class="hide-sm">{t("Who pays")}</th>
              <th scope="col" class="hide-sm">{t("Due on")}</th><th scope="col" class="num">{t("Each")}</th></tr></thead>
            {list.map((s) => <Part key={s.id} structure={s} items={s.items.filter((i) => falls(i, period))} named={list.length > 1} />)}
          </table></div>
          {classId && students.data && <p class="muted small">
            {t("At most {sum}, less concessions. Who was charged already is left out.",
              { sum: money(sum(list.flatMap((s) => s.items).filter((i) => falls(i, period) && !i.isOptional && !i.category).map((i) => i.amount)) * students.data.total) })}</p>}
        </>
      )
    )}</Ready></div>
  )
}

function Part({ structure, items, named }: { structure: Structure; items: Item[]; named: boolean }) {
  return (
    <tbody>
      {named && <tr class="sub"><th colSpan={5} scope="rowgroup">{structure.className}</th></tr>}
      {items.map((i) => <tr key={i.id}><td>{i.feeHead}</td><td class="nowrap">{frequencyText(i.frequency)}</td><td class="hide-sm muted">{whoPays(i)}</td>
        <td class="hide-sm muted nowrap">{dueText(i)}</td><td class="num">{money(i.amount)}</td></tr>)}
      {items.length === 0 && <tr><td colSpan={5} class="muted">{t("Nothing is charged for this period.")}</td></tr>}
    </tbody>
  )
}

/** Whether a line belongs to the period, as the service decides it. */
function falls(i: Item, period: string): boolean {
  const kind = /^Q/.test(period) ? "QUARTERLY" : /^T/.test(period) ? "TERM" : period === "YEAR" ? "YEARLY" : null
  return kind === null || i.frequency === kind || (kind === "YEARLY" && i.frequency === "ONCE")
}

function Result({ charged: c, again }: { charged: Charged; again: () => void }) {
  return (
    <Card title={c.charged > 0 ? n(c.charged, "{n} charge of {sum} was made", "{n} charges of {sum} were made", { sum: money(c.amount) }) : t("Nothing new was charged")}>
      <Facts items={[
        [t("Students looked at"), count(c.students)], [t("Had been charged before"), count(c.unchanged)], [t("Without a fee structure"), count(c.withoutStructure)],
        [t("Concessions"), due(c.concession)], [t("Paid at once from what was paid ahead"), due(c.fromAdvance)],
      ]} />
      <div class="row wrap formfoot"><LinkButton href="/app/fees/charges?sort=createdAt&order=desc" kind="go">{t("See the charges")}</LinkButton>
        <LinkButton href="/app/fees/dues?remind=1" icon="horn">{t("Remind families")}</LinkButton>
        <button type="button" class="btn plain" onClick={again}>{t("Charge another")}</button></div>
    </Card>
  )
}
