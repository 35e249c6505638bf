import { useState } from "preact/hooks"
import { get, post, put, remove } from "../../api/client"
import type { Input, Row } from "../../api/contract"
import { may } from "../../api/session"
import { changed } from "../../shell/load"
import { useKey } from "../../shell/keys"
import { say, sayFault } from "../../shell/toast"
import { Badge, Button, Head } from "../../ui/basics"
import { useClasses } from "../../ui/choices"
import { Menu } from "../../ui/dialog"
import type { FieldSpec, Values } from "../../ui/form"
import { List, type Column } from "../../ui/list"
import { RecordDialog } from "../../ui/record"
import { t } from "../../words/words"
import { ClassTabs } from "./classes"

type Subject = Row<"/school-admin/subject/list">
type NewSubject = Input<"/school-admin/subject/create", "post">

const types = () => [{ value: "CORE", text: t("for everyone") }, { value: "ELECTIVE", text: t("elective") }]

export default function Subjects() {
  const classes = useClasses()
  const [editing, setEditing] = useState<Subject | "new">()
  const writes = may("write", "subject")
  useKey("n", t("New subject"), () => { if (writes) setEditing("new") })
  const taught = (s: Subject) => classes.items.filter((c) => s.classIds.includes(c.id)).map((c) => c.name)
  const columns: Column<Subject>[] = [
    { key: "name", label: t("Subject"), sort: "name", text: (s) => s.name, cell: (s) => <b>{s.name}</b> },
    { key: "code", label: t("Short"), sort: "code", text: (s) => s.code, cell: (s) => <span class="muted">{s.code ?? "–"}</span> },
    { key: "type", label: t("Kind"), text: (s) => s.type,
      cell: (s) => (s.type === "ELECTIVE" ? <Badge tone="info">{t("elective")}</Badge> : <span class="faint">{t("for everyone")}</span>), hide: "sm" },
    { key: "classes", label: t("Classes"), text: (s) => taught(s).join(", "),
      cell: (s) => (taught(s).length === classes.items.length && classes.items.length > 0 ? t("all classes") : <span class="wrapped">
        {taught(s).join(", ") || "–"}</span>), hide: "sm" },
  ]
  return (
    <>
      <Head title={t("Subjects")}>{writes && <Button kind="go" icon="plus" hint="N" onClick={() => setEditing("new")}>{t("New subject")}</Button>}</Head>
      <ClassTabs current="subjects" />
      <List path="/school-admin/subject/list" name="subjects" columns={columns} filters={[{ name: "classId", label: t("Class"), options: classes.options }]}
        open={(s) => { if (writes) setEditing(s) }}
        rowActions={(s) => <Menu size="sm" label={t("More about {name}", { name: s.name })} items={[
          { text: t("Edit"), icon: "pen", run: () => setEditing(s), hidden: !writes },
          { text: t("Delete the subject"), icon: "x", danger: true, run: () => void drop(s), hidden: !may("delete", "subject") },
        ]} />}
        empty={{ icon: "book", title: t("No subjects yet"), text: t("Subjects are needed for timetable, marks and who teaches what.") }} />
      {editing && classes.data && <EditSubject of={editing === "new" ? undefined : editing} classes={classes.options} onClose={() => setEditing(undefined)} />}
    </>
  )
}

function EditSubject({ of, classes, onClose }: { of: Subject | undefined; classes: { value: string; text: string }[]; onClose: () => void }) {
  const fields: FieldSpec[] = [
    { name: "name", label: t("Name"), required: true }, { name: "code", label: t("Short name"), help: t("For timetables and imports: MATH.") },
    { name: "type", label: t("Kind"), kind: "select", required: true, options: types() }, { name: "classIds", label: t("Taught in"), kind: "many", options: classes },
  ]
  const save = async (v: Values, key: string) => {
    if (of) {
      const others = of.classIds.filter((id) => !classes.some((c) => c.value === id)) // of other years
      await put("/school-admin/subject/{id}", { ...v, ...(v.classIds ? { classIds: [...others, ...(v.classIds as string[]).filter((id) => !others.includes(id))] } : {}) },
        { path: { id: of.id }, key })
      const { name, code, type, classIds } = of
      say(t("{name} is saved.", { name }), () => put("/school-admin/subject/{id}", { name, code, type, classIds }, { path: { id: of.id } }))
    } else {
      const made = await post("/school-admin/subject/create", Object.fromEntries(Object.entries(v).filter(([, x]) => x !== null)) as NewSubject, { key })
      say(t("{name} is made.", { name: made.name }), () => remove("/school-admin/subject/{id}", { path: { id: made.id } }))
    }
  }
  return <RecordDialog title={of ? of.name : t("New subject")} fields={fields}
    record={of ? (of as unknown as Values & { version: number }) : { type: "CORE", classIds: classes.map((c) => c.value) }} save={save}
      button={of ? t("Save") : t("Make the subject")} onClose={onClose} wide
    {...(of && { latest: async () => (await get("/school-admin/subject/{id}", undefined, { path: { id: of.id } })) as unknown as Values & { version: number } })} />
}

async function drop(s: Subject): Promise<void> {
  try {
    await remove("/school-admin/subject/{id}", { path: { id: s.id } })
    changed()
    say(t("{name} is deleted.", { name: s.name }),
      () => post("/school-admin/subject/create", { name: s.name, type: s.type, classIds: s.classIds, ...(s.code && { code: s.code }) }))
  } catch (e) {
    sayFault(e)
  }
}
