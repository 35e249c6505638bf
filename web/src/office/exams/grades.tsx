import { useState } from "preact/hooks"
import { get, post, put, remove } from "../../api/client"
import type { Row } from "../../api/contract"
import { may } from "../../api/session"
import { useKey } from "../../shell/keys"
import { sayFault } from "../../shell/toast"
import { Badge, Button, Head, LinkButton } from "../../ui/basics"
import { Menu } from "../../ui/dialog"
import type { FieldSpec, Values } from "../../ui/form"
import { List, type Column } from "../../ui/list"
import { RecordDialog } from "../../ui/record"
import { t } from "../../words/words"
import { done } from "./exam"

type Scale = Row<"/school-admin/grade-scale/list">
type Band = { grade: string; minPercent: number; points: number | null }

const columns = (): Column<Scale>[] => [
  { key: "name", label: t("Name"), sort: "name", text: (s) => s.name, cell: (s) => <span class="row"><b class="strongish">{s.name}</b>{s.isDefault && <Badge
    tone="brand">{t("usual")}</Badge>}</span> },
  { key: "bands", label: t("Grades"), text: (s) => write(s.bands), cell: (s) => <span class="row wrap bands">{s.bands.map((b) => <span key={b.grade}
    class="badge">{b.grade} <span class="faint">{t("from {n} %", { n: b.minPercent })}</span></span>)}</span> },
]

const write = (bands: Band[]) => bands.map((b) => [b.grade, b.minPercent, b.points].filter((x) => x !== null).join(" ")).join("\n")

/** Reads a line for each grade: its name, the percent from which it is given, and points. */
function read(text: unknown): Band[] {
  return String(text ?? "").split(/[\n;]/).map((line) => /^\s*(.+?)\s+(\d+(?:[.,]\d+)?)\s*%?(?:\s+(\d+(?:[.,]\d+)?))?\s*$/.exec(line)).filter((m) => !!m)
    .map((m) => ({ grade: m[1]!, minPercent: Number(m[2]!.replace(",", ".")), points: m[3] ? Number(m[3].replace(",", ".")) : null }))
}

const fields = (): FieldSpec[] => [
  { name: "name", label: t("Name"), required: true, wide: true, placeholder: t("Grades A to F") },
  { name: "bands", label: t("Grades"), kind: "textarea", required: true, help: t("A line for each: the grade, from which percent, and points if you use them. “A 80 4”.") },
  { name: "isDefault", label: t("The school’s usual grades"), kind: "switch", wide: true },
]

export default function Grades() {
  const [open, setOpen] = useState<Scale | "new">()
  const writes = may("write", "exam")
  useKey("n", t("New grades"), () => { if (writes) setOpen("new") })
  const save = (v: Values, key: string) => {
    const body = { ...v, bands: read(v.bands) } as { name: string; bands: Band[] }
    return open === "new" ? post("/school-admin/grade-scale/create", body, { key }) : put("/school-admin/grade-scale/{id}", body, { path: { id: open!.id }, key })
  }
  const drop = (s: Scale) => {
    remove("/school-admin/grade-scale/{id}", { path: { id: s.id } }).then(() =>
      done(t("{name} is deleted.", { name: s.name }), () => post("/school-admin/grade-scale/create", { name: s.name, bands: s.bands, isDefault: s.isDefault })), sayFault)
  }
  const latest = async (s: Scale) => { const now = await get("/school-admin/grade-scale/{id}", undefined,
    { path: { id: s.id } }); return { ...now, bands: write(now.bands) } as Values }
  return (
    <>
      <Head title={t("Grades")} sub={t("A grade is the highest one whose percent is reached. Published results keep their grades.")}>
        <LinkButton href="/app/exams" icon="cap">{t("Exams")}</LinkButton>
        {writes && <Button kind="go" icon="plus" hint="N" onClick={() => setOpen("new")}>{t("New grades")}</Button>}
      </Head>
      <List path="/school-admin/grade-scale/list" name="grades" search={t("Name")} columns={columns()} open={(s) => { if (writes) setOpen(s) }}
        rowActions={(s) => <Menu size="sm" label={t("Actions for {name}", { name: s.name })} items={[
          { text: t("Change"), icon: "pen", hidden: !writes, run: () => setOpen(s) },
            { text: t("Delete"), icon: "x", danger: true, hidden: !may("delete", "exam"), run: () => drop(s) },
        ]} />}
        empty={{ icon: "list", title: t("No grades yet"), text: t("Without grades, results show marks and percent only."), action: writes && <Button kind="go"
          onClick={() => setOpen("new")}>{t("New grades")}</Button> }} />
      {open && <RecordDialog title={open === "new" ? t("New grades") : open.name} fields={fields()} save={save} button={t("Save the grades")}
        done={t("The grades are saved.")} onClose={() => setOpen(undefined)}
        record={open === "new" ? { bands: "A 80\nB 65\nC 50\nD 40\nF 0" } : { ...open, bands: write(open.bands) }} {...(open !== "new" && { latest: () => latest(open) })} />}
    </>
  )
}
