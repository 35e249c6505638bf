// Classes with their divisions, in the order in which students move up.
import { useState } from "preact/hooks"
import { get, post, put, remove } from "../../api/client"
import type { Input, Schema } from "../../api/contract"
import { may } from "../../api/session"
import { changed, useGet, useLoad } from "../../shell/load"
import { useKey } from "../../shell/keys"
import { query, setQuery } from "../../shell/router"
import { say, sayFault } from "../../shell/toast"
import { Button, Card, Head, Ready, State, Tabs } from "../../ui/basics"
import { currentYear, useEmployees, yearOptions } from "../../ui/choices"
import { Menu } from "../../ui/dialog"
import type { FieldSpec, Values } from "../../ui/form"
import { RecordDialog } from "../../ui/record"
import { n, t } from "../../words/words"
import { CopyClasses } from "./copy"

type Class = Schema["Class"]
type Division = Schema["Division"]

/** The pages about classes. */
export function ClassTabs({ current }: { current: "classes" | "subjects" | "electives" }) {
  return <Tabs label={t("Classes")} current={current} items={[{ key: "classes", text: t("Classes"), href: "/app/classes" },
    ...(may("read", "subject") ? [{ key: "subjects", text: t("Subjects"), href: "/app/classes/subjects" },
      { key: "electives", text: t("Electives"), href: "/app/classes/electives" }] : [])]} />
}

/** All divisions, page by page. */
async function allDivisions(signal: AbortSignal): Promise<Division[]> {
  const out: Division[] = []
  for (let page = 1, pages = 1; page <= pages; page++) {
    const r = await get("/school-admin/division/list", { page, limit: 100, sort: "name" }, { signal })
    out.push(...r.items)
    pages = r.totalPages
  }
  return out
}

type Doing = { what: "class"; of?: Class } | { what: "division"; class: Class; of?: Division } | { what: "copy" }

export default function Classes() {
  const year = query.value.get("year") ?? currentYear() ?? ""
  const classes = useGet("/school-admin/class/list", { limit: 100, sort: "displayOrder", ...(year && { academicYearId: year }) })
  const divisions = useLoad("divisions:all", allDivisions)
  const [doing, setDoing] = useState<Doing | undefined>(query.value.get("copy") ? { what: "copy" } : undefined)
  const writes = may("write", "class")
  useKey("n", t("New class"), () => { if (writes) setDoing({ what: "class" }) })
  const close = () => setDoing(undefined)
  const years = yearOptions()
  return (
    <>
      <Head title={t("Classes")} sub={classes.data && n(classes.data.items.reduce((a, c) => a + c.students, 0), "{n} student", "{n} students")}>
        {years.length > 1 && <select class="input auto" aria-label={t("Year")} value={year} onChange={(e) => setQuery({ year: e.currentTarget.value })}>
          {years.map((y) => <option key={y.value} value={y.value}>{y.text}</option>)}</select>}
        {writes && <><Button icon="clip" onClick={() => setDoing({ what: "copy" })}>{t("Copy to another year")}</Button><Button kind="go" icon="plus" hint="N"
          onClick={() => setDoing({ what: "class" })}>{t("New class")}</Button></>}
      </Head>
      <ClassTabs current="classes" />
      <Ready of={classes}>{({ items }) => items.length === 0
        ? <State icon="cap" title={t("No classes in this year")}><p>{t("Make the first class, or copy those of the year before.")}</p></State>
        : <div class="classes">{items.map((c, i) => <ClassCard key={c.id} at={i} all={items} of={c} divisions={divisions.data?.filter((d) => d.classId === c.id)}
          act={setDoing} />)}</div>}</Ready>
      {doing?.what === "class" && <EditClass of={doing.of} year={year} onClose={close} />}
      {doing?.what === "division" && <EditDivision of={doing.of} in={doing.class} onClose={close} />}
      {doing?.what === "copy" && <CopyClasses from={year} onClose={close} />}
    </>
  )
}

function ClassCard({ of: c, at, all, divisions, act }: { of: Class; at: number; all: Class[]; divisions: Division[] | undefined; act: (d: Doing) => void }) {
  const writes = may("write", "class")
  return (
    <Card title={<><a href={`/app/students?classId=${c.id}`}>{c.name}</a> <span class="faint small">{n(c.students, "{n} student", "{n} students")}</span></>} flush action={
      <span class="row">
        {writes && <><Button kind="plain" size="sm" icon="up" disabled={at === 0} aria-label={t("{name} earlier", { name: c.name })} onClick={() => void reorder(all, at, -1)} />
          <Button kind="plain" size="sm" icon="down" disabled={at === all.length - 1} aria-label={t("{name} later", { name: c.name })}
            onClick={() => void reorder(all, at, 1)} /></>}
        <Menu size="sm" label={t("More about {name}", { name: c.name })} items={[
          { text: t("Rename"), icon: "pen", run: () => act({ what: "class", of: c }), hidden: !writes },
          { text: t("Add a division"), icon: "plus", run: () => act({ what: "division", class: c }), hidden: !may("write", "division") },
          { text: t("Delete the class"), icon: "x", danger: true, run: () => void dropClass(c), hidden: !may("delete", "class") },
        ]} />
      </span>}>
      <ul class="list">
        {divisions?.map((d) => <DivisionLine key={d.id} of={d} edit={() => act({ what: "division", class: c, of: d })} />)}
        {divisions?.length === 0 && <li class="muted">{t("No divisions")}</li>}
      </ul>
      {may("write", "division") && <div class="pad"><Button kind="dash" size="sm" icon="plus" onClick={() => act({ what: "division", class: c })}>
        {t("Add a division")}</Button></div>}
    </Card>
  )
}

function DivisionLine({ of: d, edit }: { of: Division; edit: () => void }) {
  const full = d.capacity !== null && d.students >= d.capacity
  return (
    <li>
      <a class="letter" href={`/app/students?classId=${d.classId}&divisionId=${d.id}`} aria-label={t("Students of {name}", { name: `${d.className} ${d.name}` })}>{d.name}</a>
      <div class="grow">{d.classTeacherId ? <a href={`/app/staff/${d.classTeacherId}`}><bdi>{d.classTeacherName}</bdi></a> : <span class="warn">{t("No class teacher")}</span>}
        <p>{[d.capacity === null ? n(d.students, "{n} student", "{n} students") : t("{n} of {capacity} seats", { n: d.students, capacity: d.capacity }),
          d.room && t("room {room}", { room: d.room })].filter(Boolean).join(", ")}</p>
        {d.capacity !== null && d.capacity > 0 && <progress class={full ? "warn" : ""} value={d.students} max={d.capacity}
          aria-label={t("Seats of {name}", { name: `${d.className} ${d.name}` })} />}</div>
      <Menu size="sm" label={t("More about {name}", { name: `${d.className} ${d.name}` })} items={[
        { text: t("Edit"), icon: "pen", run: edit, hidden: !may("write", "division") },
        { text: t("Number anew"), icon: "list", href: `/app/students/move?divisionId=${d.id}`, hidden: !may("write", "student") },
        { text: t("Delete the division"), icon: "x", danger: true, run: () => void dropDivision(d), hidden: !may("delete", "division") },
      ]} />
    </li>
  )
}

function EditClass({ of, year, onClose }: { of: Class | undefined; year: string; onClose: () => void }) {
  const fields: FieldSpec[] = [{ name: "name", label: t("Name"), required: true, placeholder: "Grade 5", wide: true }]
  const save = async (v: Values, key: string) => {
    if (of) {
      await put("/school-admin/class/{id}", v, { path: { id: of.id }, key })
      say(t("The class is renamed."), () => put("/school-admin/class/{id}", { name: of.name }, { path: { id: of.id } }))
    } else {
      const made = await post("/school-admin/class/create", { name: String(v.name), ...(year && { academicYearId: year }) }, { key })
      say(t("{name} is made.", { name: made.name }), () => remove("/school-admin/class/{id}", { path: { id: made.id } }))
    }
  }
  return <RecordDialog title={of ? t("Rename {name}", { name: of.name }) : t("New class")} fields={fields} {...(of && { record: { name: of.name, version: of.version } })}
    save={save} button={of ? t("Save") : t("Make the class")} onClose={onClose}
    {...(of && { latest: async () => (await get("/school-admin/class/{id}", undefined, { path: { id: of.id } })) as unknown as Values & { version: number } })} />
}

function EditDivision({ of, in: c, onClose }: { of: Division | undefined; in: Class; onClose: () => void }) {
  const teachers = useEmployees({ type: "TEACHER" })
  const fields: FieldSpec[] = [
    { name: "name", label: t("Name"), required: true, placeholder: "A" }, { name: "capacity", label: t("Seats"), kind: "number", min: 0 },
    { name: "classTeacherId", label: t("Class teacher"), kind: "select", options: teachers.options }, { name: "room", label: t("Room") },
  ]
  const save = async (v: Values, key: string) => {
    if (of) {
      await put("/school-admin/division/{id}", v, { path: { id: of.id }, key })
      const { name, capacity, classTeacherId, room } = of
      say(t("{name} is saved.", { name: `${c.name} ${name}` }), () => put("/school-admin/division/{id}", { name, capacity, classTeacherId, room }, { path: { id: of.id } }))
    } else {
      const given = Object.fromEntries(Object.entries(v).filter(([, x]) => x !== null)) as Omit<Input<"/school-admin/division/create", "post">, "classId">
      const made = await post("/school-admin/division/create", { ...given, classId: c.id }, { key })
      say(t("{name} is made.", { name: `${c.name} ${made.name}` }), () => remove("/school-admin/division/{id}", { path: { id: made.id } }))
    }
  }
  return <RecordDialog title={of ? `${c.name} ${of.name}` : t("New division of {name}", { name: c.name })} fields={fields}
    {...(of && { record: of as unknown as Values & { version: number } })} save={save} button={of ? t("Save") : t("Make the division")} onClose={onClose}
    {...(of && { latest: async () => (await get("/school-admin/division/{id}", undefined, { path: { id: of.id } })) as unknown as Values & { version: number } })} />
}

async function reorder(all: Class[], at: number, step: number): Promise<void> {
  const before = all.map((c) => c.id)
  const classIds = [...before]
  classIds.splice(at + step, 0, ...classIds.splice(at, 1))
  try {
    await post("/school-admin/class/reorder", { classIds })
    changed()
    say(t("The order is saved."), () => post("/school-admin/class/reorder", { classIds: before }))
  } catch (e) {
    sayFault(e)
  }
}

async function dropClass(c: Class): Promise<void> {
  try {
    await remove("/school-admin/class/{id}", { path: { id: c.id } })
    changed()
    say(t("{name} is deleted.", { name: c.name }), () => post("/school-admin/class/create", { name: c.name, displayOrder: c.displayOrder, academicYearId: c.academicYearId }))
  } catch (e) {
    sayFault(e)
  }
}

async function dropDivision(d: Division): Promise<void> {
  try {
    await remove("/school-admin/division/{id}", { path: { id: d.id } })
    changed()
    say(t("{name} is deleted.", { name: `${d.className} ${d.name}` }),
      () => post("/school-admin/division/create", { classId: d.classId, name: d.name, capacity: d.capacity, classTeacherId: d.classTeacherId, ...(d.room && { room: d.room }) }))
  } catch (e) {
    sayFault(e)
  }
}
