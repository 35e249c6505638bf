// The permissions of one role as a grid, compared with another role.
import type { ComponentChildren } from "preact"
import { useRef, useState } from "preact/hooks"
import { put } from "../../api/client"
import type { Reply } from "../../api/contract"
import { may } from "../../api/session"
import { changed, useGet } from "../../shell/load"
import { useKey } from "../../shell/keys"
import { say, sayFault } from "../../shell/toast"
import { Badge, Button, LinkButton, Ready } from "../../ui/basics"
import { Menu } from "../../ui/dialog"
import { useWarning } from "../../ui/form"
import { useGrid } from "../../ui/grid"
import { n, t } from "../../words/words"
import { about, groups } from "./modules"
import { typeNames, type Role } from "./roles"

type Table = Reply<"/school-admin/role/{id}/permissions", "get">
type Right = "canRead" | "canWrite" | "canDelete"
type Rights = Map<string, Record<Right, boolean>> // by module
const rights: Right[] = ["canRead", "canWrite", "canDelete"]

interface Props { role: Role; roles: Role[]; rename: () => void; drop: () => void }

export function Matrix({ role, roles, rename, drop }: Props) {
  const mine = useGet("/school-admin/role/{id}/permissions", undefined, { id: role.id })
  const system = roles.find((r) => r.type === role.type && r.isSystem && r.id !== role.id) ?? roles.find((r) => r.isSystem && r.type === "SCHOOL_ADMIN" && r.id !== role.id)
  const [otherId, setOther] = useState(role.isSystem ? "" : (system?.id ?? ""))
  const other = useGet(otherId ? "/school-admin/role/{id}/permissions" : null, undefined, { id: otherId })
  const people = useGet(role.type !== "PARENT" && may("read", "employee") ? "/school-admin/employee/list" : null, { roleId: role.id, limit: 1 })
  const held = people.data?.total
  return (
    <div class="stack loose">
      <div class="head">
        <div><h2 class="rolename"><bdi>{role.name}</bdi></h2><p>
          {role.isSystem ? t("Comes with Homeroom. It can be changed, but not deleted.") : t("A role of kind {type}.", { type: typeNames()[role.type] })}</p></div>
        {held !== undefined && <LinkButton icon="people" href={`/app/staff?roleId=${role.id}`}>{n(held, "{n} person", "{n} people")}</LinkButton>}
        <Menu label={t("More about {name}", { name: role.name })} items={[
          { text: t("Rename"), icon: "pen", run: rename, hidden: !may("write", "role") },
          { text: t("Delete the role"), icon: "x", danger: true, run: drop, hidden: role.isSystem || !may("delete", "role") },
        ]} />
      </div>
      <Ready of={mine} rows={10}>{(table) => (
        <Grid key={table.version} role={role} table={table} other={otherId ? other.data : undefined} people={held}
          choose={<label class="row small">{t("Compared with")}<select class="input" value={otherId} onChange={(e) => setOther(e.currentTarget.value)}><option value="">
            {t("nothing")}</option>{roles.filter((r) => r.id !== role.id).map((r) => <option key={r.id} value={r.id}>{r.name}</option>)}</select></label>} />
      )}</Ready>
    </div>
  )
}

function rightsOf(table: Table): Rights { return new Map(table.permissions.map((p) => [p.module, { canRead: p.canRead, canWrite: p.canWrite, canDelete: p.canDelete }])) }

/** A school can't lock itself out. */
function locked(role: Role, module: string, right: Right): boolean {
  return role.isSystem && role.type === "SCHOOL_ADMIN" && (module === "role" || module === "setting") && right !== "canDelete"
}

interface GridProps { role: Role; table: Table; other: Table | undefined; people: number | undefined; choose: ComponentChildren }

function Grid({ role, table, other, people, choose }: GridProps) {
  const [start, setStart] = useState(() => rightsOf(table))
  const [now, setNow] = useState(start)
  const [onlyDifferent, setOnly] = useState(false)
  const [busy, setBusy] = useState(false)
  const base = other && rightsOf(other)
  const writes = may("write", "role")
  const differs = (m: string, r: Right) => (base ? Number(now.get(m)?.[r] ?? false) - Number(base.get(m)?.[r] ?? false) : 0)
  const modules = table.permissions.map((p) => p.module)
  const known = groups().flatMap((g) => g.modules)
  const parts = [...groups(), { title: t("More"), modules: modules.filter((m) => !known.includes(m)) }]
    .map((g) => ({ ...g, modules: g.modules.filter((m) => modules.includes(m) && (!onlyDifferent || rights.some((r) => differs(m, r) !== 0))) })).filter((g) => g.modules.length)
  const rows = parts.flatMap((g) => g.modules)
  const grid = useGrid(rows.length, rights.length)
  const unsaved = modules.flatMap((m) => rights.filter((r) => now.get(m)![r] !== start.get(m)![r])).length
  const dirty = useRef(false)
  dirty.current = unsaved > 0
  useWarning(dirty)
  const flip = (m: string, r: Right) => setNow((old) => {
    const next = { ...old.get(m)!, [r]: !old.get(m)![r] }
    if (next[r] && r !== "canRead") next.canRead = true // who changes must see
    if (!next.canRead) { next.canWrite = false; next.canDelete = false }
    return new Map(old).set(m, next)
  })
  const send = (want: Rights, from: Rights, version?: number) => put("/school-admin/role/{id}/permissions", {
    permissions: table.permissions.filter((p) => rights.some((r) => want.get(p.module)![r] !== from.get(p.module)![r])).map((p) => ({ moduleId: p.moduleId,
      ...want.get(p.module)! })), ...(version !== undefined && { version }),
  }, { path: { id: role.id } })
  async function save() {
    if (!unsaved) return
    setBusy(true)
    try {
      await send(now, start, table.version)
      setStart(now) // nothing is unsaved any more, before it is loaded again
      changed()
      say(t("The role {name} is saved.", { name: role.name }), () => send(start, now))
    } catch (e) {
      sayFault(e)
    } finally {
      setBusy(false)
    }
  }
  useKey("ctrl+s", t("Save"), () => void save())
  const plus = modules.flatMap((m) => rights.filter((r) => differs(m, r) > 0)).length
  const minus = modules.flatMap((m) => rights.filter((r) => differs(m, r) < 0)).length
  const names = { canRead: t("See"), canWrite: t("Change"), canDelete: t("Delete") }
  const label = (m: string) => about()[m]?.[0] ?? table.permissions.find((p) => p.module === m)?.displayName ?? m
  return (
    <>
      <div class="row wrap compare">{choose}
        {base && <><Badge tone="good">+ {t("{n} added", { n: plus })}</Badge><Badge tone="bad">− {t("{n} taken away", { n: minus })}</Badge></>}
        {base && <label class="check push"><input type="checkbox" checked={onlyDifferent} onChange={(e) => setOnly(e.currentTarget.checked)} />
          {t("Show only what differs")}</label>}</div>
      <div class="frame"><div class="scroll"><table class="matrix permissions" aria-label={t("Permissions of {name}", { name: role.name })} {...grid.keys}>
        <thead><tr><th scope="col" class="pin">{t("What")}</th>{rights.map((r) => <th scope="col" key={r}>{names[r]}</th>)}</tr></thead>
        {parts.map((g) => (
          <tbody key={g.title}><tr class="part"><th scope="rowgroup" colSpan={4}>{g.title}</th></tr>
            {g.modules.map((m) => (
              <tr key={m}><th scope="row" class="pin">{label(m)} <span class="faint small">{about()[m]?.[1]}</span></th>
                {rights.map((r, i) => {
                  const d = differs(m, r)
                  return (
                    <td key={r} class={d > 0 ? "plus" : d < 0 ? "minus" : ""}><span class="row"><input type="checkbox" {...grid.cell(rows.indexOf(m), i)}
                      checked={now.get(m)![r]} disabled={!writes || locked(role, m, r)} aria-label={`${label(m)}: ${names[r]}`} onChange={() => flip(m, r)} />
                      {d !== 0 && <span class="small">{d > 0 ? "+" : "−"} <span class="hide-sm">{d > 0 ? t("added") : t("taken away")}</span></span>}</span></td>
                  )
                })}</tr>
            ))}</tbody>
        ))}
      </table></div></div>
      {unsaved > 0 && (
        <div class="savebar" role="status"><b>{n(unsaved, "{n} change not saved", "{n} changes not saved")}</b>
          {people !== undefined && <span class="muted hide-sm">{n(people, "Takes effect at once for {n} person.", "Takes effect at once for {n} people.")}</span>}
          <Button onClick={() => setNow(start)}>{t("Discard")}</Button><Button kind="go" hint="Ctrl S" busy={busy} onClick={() => void save()}>{t("Save")}</Button></div>
      )}
    </>
  )
}
