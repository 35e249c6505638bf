import { useState } from "preact/hooks"
import { Fault, get, post, put, remove } from "../../api/client"
import { changed, useGet, useLoad } from "../../shell/load"
import { go } from "../../shell/router"
import { say } from "../../shell/toast"
import { Card, Head, LinkButton, Ready, State } from "../../ui/basics"
import { useClasses } from "../../ui/choices"
import { Form, type FieldSpec, type Values } from "../../ui/form"
import { t } from "../../words/words"
import { readAmount } from "./amount"
import { itemOf, lineOf, Lines, newLine, type Line } from "./items"
import { FeeTabs } from "./tabs"
import type { Structure } from "./words"

/** The structure of a class, or a new one. The address has the class. */
export default function StructurePage({ params }: { params: Record<string, string> }) {
  const classId = params.classId!
  const loaded = useLoad(classId === "new" ? "" : `structure ${classId}`, (signal) => findStructure(classId, signal))
  if (classId === "new") return <Editor />
  return <Ready of={loaded}>{(s) => (s ? <Editor key={s.version} structure={s} /> : <Missing classId={classId} />)}</Ready>
}

/** The structure of a class; null if it has none. */
export async function findStructure(classId: string, signal?: AbortSignal): Promise<Structure | null> {
  try {
    return await get("/school-admin/fee/structure/{id}", undefined, { path: { id: classId }, ...(signal && { signal }) })
  } catch (e) {
    if (e instanceof Fault && e.statusCode === 404) return null
    throw e
  }
}

function Missing({ classId }: { classId: string }) {
  return <State icon="coin" title={t("This class has no fee structure yet")}>
    <LinkButton kind="go" href={`/app/fees/structures/new?classId=${classId}`}>{t("Add a fee structure")}</LinkButton></State>
}

function Editor({ structure: s }: { structure?: Structure }) {
  const classes = useClasses()
  const heads = useGet("/school-admin/fee/head/list", { limit: 100 })
  const others = useGet(s ? null : "/school-admin/fee/structure/list", { limit: 100 })
  const [lines, setLines] = useState<Line[]>(s ? s.items.map((i) => lineOf(i, true)) : [newLine()])
  const fields: FieldSpec[] = [
    ...(s ? [] : [{ name: "classId", label: t("Class"), kind: "select", required: true, options: classes.options } as FieldSpec]),
    { name: "termsPerYear", label: t("Terms a year"), kind: "number", min: 1, max: 4, required: true },
    { name: "fine", label: t("When late"), kind: "select", required: true,
      options: [{ value: "none", text: t("no late fine") }, { value: "flat", text: t("a fine once") }, { value: "perDay", text: t("a fine for each day") }] },
    { name: "fineAmount", label: t("Fine"), kind: "money", required: true, min: 0.01, hidden: (v) => v.fine === "none" },
    { name: "graceDays", label: t("Days of grace"), kind: "number", min: 0, max: 366, required: true, hidden: (v) => v.fine === "none" },
  ]
  const f = s?.lateFine
  const initial = {
    classId: new URLSearchParams(location.search).get("classId") ?? "", termsPerYear: s?.termsPerYear ?? 3,
    fine: f?.perDay ? "perDay" : f?.flat ? "flat" : "none", fineAmount: f?.perDay ?? f?.flat ?? "", graceDays: f?.graceDays ?? 0,
  }
  async function submit(v: Values, key: string) {
    const items = lines.map(itemOf)
    const wrong = lines.findIndex((l) => readAmount(l.amount) === null)
    if (wrong >= 0) throw new Fault(422, "", "", [{ field: t("Line {n}", { n: wrong + 1 }), message: t("Type an amount such as 1,000.00.") }])
    const lateFine = v.fine === "none" ? null : { [v.fine as "flat"]: Number(v.fineAmount), graceDays: Number(v.graceDays) }
    const rest = { items, lateFine, termsPerYear: Number(v.termsPerYear) }
    try {
      return s ? await put("/school-admin/fee/structure/{id}", { ...rest, version: s.version }, { path: { id: s.id }, key })
        : await post("/school-admin/fee/structure/create", { classId: String(v.classId), ...rest }, { key })
    } catch (e) {
      throw e instanceof Fault ? named(e) : e
    }
  }
  function done(saved: Structure) {
    changed()
    say(t("The fee structure of {class} is saved.", { class: saved.className }), s
      ? () => put("/school-admin/fee/structure/{id}", { items: s.items.map((i) => itemOf(lineOf(i, true))), lateFine: s.lateFine, termsPerYear: s.termsPerYear },
        { path: { id: s.id } })
      : () => remove("/school-admin/fee/structure/{id}", { path: { id: saved.id } }))
    go("/app/fees/structures")
  }
  return (
    <>
      <Head title={s ? t("Fees of {class}", { class: s.className }) : t("A new fee structure")}
        sub={t("A line that was charged already keeps its amount: end it and add another to raise a price.")}>
        {s && <LinkButton href={`/app/fees/charge?classId=${s.classId}`} icon="coin">{t("Charge this class")}</LinkButton>}
      </Head>
      <FeeTabs current="structures" />
      <Card>
        <Form fields={fields} initial={initial} button={t("Save the fee structure")} submit={submit} onDone={(r) => done(r as Structure)}
          onCancel={() => go("/app/fees/structures")}
          secondary={!!others.data?.items.length && (
            <label class="row small muted">{t("Copy the lines of")}
              <select class="input" value="" onChange={(e) => { const from = others.data!.items.find((x) => x.id === e.currentTarget.value);
                if (from) setLines(from.items.map((i) => lineOf(i, false))) }}>
              <option value="">–</option>{others.data.items.map((x) => <option key={x.id} value={x.id}>{x.className}</option>)}</select></label>)}>
          {() => <Lines lines={lines} setLines={setLines} heads={heads.data?.items.filter((h) => !h.system).map((h) => h.name) ?? []} />}
        </Form>
      </Card>
    </>
  )
}

/** Says "Line 2" instead of items[1].amount. */
function named(e: Fault): Fault {
  const details = e.details.map((d) => {
    const line = /items\[(\d+)\]/.exec(d.field)
    if (/(^|\.)items$/.test(d.field)) return { field: t("Charges"), message: d.message }
    return line ? { field: t("Line {n}", { n: Number(line[1]) + 1 }), message: d.message } : d.field.includes("lateFine") ? { ...d, field: "fine" } : d
  })
  return new Fault(e.statusCode, e.code, e.message, details, e.retryAfter)
}
