// A list of records: search, filters and sort in the address, columns, paging, selection with bulk actions, CSV.
import type { ComponentChildren } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import { get } from "../api/client"
import type { ListPath, Query, Row } from "../api/contract"
import { useGet, useLoad } from "../shell/load"
import { useKey } from "../shell/keys"
import { go, query, setQuery } from "../shell/router"
import { count } from "../words/format"
import { n, t } from "../words/words"
import { Bones, Button, FaultState, Icon, State } from "./basics"
import { saveCSV } from "./csv"
import { ColumnsMenu, FilterBar, type Filter } from "./filters"
import type { IconName } from "./icons"

export interface Column<T> {
  key: string
  label: string
  sort?: string // the API's name of the order
  num?: boolean
  cell: (row: T) => ComponentChildren
  text: (row: T) => string | number | null | undefined // for CSV
  hide?: "sm" | "md" // on narrow screens
  off?: boolean // shown only if chosen
  rest?: boolean // takes the width that others leave, and is cut where that is short
}

export interface BulkAction<T> { text: (rows: T[]) => string; icon: IconName; run: (rows: T[], clear: () => void) => void; hidden?: boolean }

interface Props<P extends ListPath> {
  path: P
  columns: Column<Row<P>>[]
  fixed?: Query<P, "get"> // always part of the query
  filters?: Filter[]
  search?: string // the label of the search field; without it there is none
  bulk?: BulkAction<Row<P>>[]
  open?: (row: Row<P>) => string | void // an address to go to, or an action
  rowActions?: (row: Row<P>) => ComponentChildren
  empty: { icon: IconName; title: string; text?: string; action?: ComponentChildren }
  note?: (total: number, rows: Row<P>[]) => ComponentChildren
  name: string // of the CSV file, and for remembering the columns
  limit?: number
  rowId?: (row: Row<P>) => string // of rows that have no id of their own
  csv?: () => Promise<void> // the service's own file, instead of one made here
}

type WithId = { id: string }

const atOnce = 4 // pages that are asked for together
const most = 1_000 // rows that are shown on one page

export function List<P extends ListPath>(p: Props<P>) {
  const limit = p.limit ?? 50
  const asked = askOf(p.filters ?? [])
  const q = { limit, ...asked, ...p.fixed } as unknown as Query<P, "get">
  const whole = query.value.get("all") === "1"
  const paged = useGet<P>(whole ? null : p.path, q)
  const every = useLoad(whole ? `every ${p.path} ${JSON.stringify(q)}` : "", async () => ({ ...(await everything(p.path, q, most)), page: 1, totalPages: 1 }))
  const loaded = whole ? every : paged
  const data = loaded.data as { items: Row<P>[]; total: number; page: number; totalPages: number } | undefined
  const past = !!data && data.total > 0 && data.page > data.totalPages // its last row has gone: the page before is the last one
  useEffect(() => { if (past) setQuery({ page: String(data.totalPages) }) }, [past])
  const idOf = p.rowId ?? ((row: Row<P>) => (row as WithId).id)
  const rows = (data?.items ?? []).map((r) => ({ ...(r as object), id: idOf(r) }) as Row<P> & WithId)
  const [picked, setPicked] = useState<Map<string, Row<P>>>(new Map())
  const [at, setAt] = useState(-1)
  const [off, setOff] = useColumns(p.name, p.columns)
  const columns = p.columns.filter((c) => !off.includes(c.key))
  const body = useRef<HTMLTableSectionElement>(null)
  useEffect(() => { setAt(-1); setPicked(new Map()) }, [JSON.stringify(asked)])
  const pick = (row: Row<P>) => setPicked((old) => { const m = new Map(old); const id = (row as WithId).id; if (!m.delete(id)) m.set(id, row); return m })
  const open = (row: Row<P>) => { const to = p.open?.(row); if (to) go(to) }
  const move = (step: number) => {
    const next = Math.max(0, Math.min(rows.length - 1, at + step))
    setAt(next)
    body.current?.children[next]?.scrollIntoView({ block: "nearest" })
  }
  useKey("j", t("Next row"), () => move(1))
  useKey("k", t("Previous row"), () => move(-1))
  useKey("x", t("Select the row"), () => { const row = rows[at]; if (row && p.bulk) pick(row) })
  useKey("o", t("Open the row"), () => { const row = rows[at]; if (row) open(row) })
  const bulk = p.bulk?.filter((b) => !b.hidden) ?? []
  return (
    <div class="listing">
      <FilterBar search={p.search} filters={p.filters ?? []}>
        <ColumnsMenu columns={p.columns} off={off} setOff={setOff} />
        <Button kind="plain" icon="save" disabled={!data?.total} onClick={p.csv ?? (() => saveCSV(p.name, columns, async () => (await everything(p.path, q)).items))}>
          {n(data?.total ?? 0, "CSV of this one", "CSV of these {n}")}
        </Button>
      </FilterBar>
      {loaded.fault && !data ? <FaultState fault={loaded.fault} retry={loaded.reload} />
        : !data || past ? <Bones rows={10} />
        : rows.length === 0 ? <Nothing filtered={Object.keys(asked).some((k) => k !== "page" && k !== "sort" && k !== "order")} empty={p.empty} />
        : (
          <div class="scroll">
            <table>
              <thead><tr>
                {bulk.length > 0 && <th class="tick" scope="col"><input type="checkbox" aria-label={t("Select all on this page")} checked={rows.every((r) => picked.has(r.id))}
                  onChange={(e) => setPicked(e.currentTarget.checked ? new Map(rows.map((r) => [r.id, r])) : new Map())} /></th>}
                {columns.map((c) => <HeadCell key={c.key} column={c} />)}
                {p.rowActions && <th scope="col"><span class="sr">{t("Actions")}</span></th>}
              </tr></thead>
              <tbody ref={body}>
                {rows.map((r, i) => (
                  <tr key={r.id} class={i === at ? "at" : ""} aria-selected={bulk.length > 0 ? picked.has(r.id) : undefined} onDblClick={() => open(r)}>
                    {bulk.length > 0 && <td class="tick"><input type="checkbox" aria-label={t("Select {row}", { row: String(columns[0]?.text(r) ?? "") })} checked={picked.has(r.id)} onChange={() => pick(r)} /></td>}
                    {columns.map((c) => <td key={c.key} class={`${c.num ? "num" : ""} ${c.hide ? `hide-${c.hide}` : ""} ${c.rest ? "rest" : ""}`}>{c.cell(r) ?? "–"}</td>)}
                    {p.rowActions && <td class="act"><span class="row">{p.rowActions(r)}</span></td>}
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      {data && data.total > 0 && !past && <Foot page={data.page} limit={whole ? rows.length : limit} pages={data.totalPages} total={data.total} note={p.note?.(data.total, rows)} />}
      {picked.size > 0 && (
        <div class="bulk" role="toolbar" aria-label={t("Selected rows")}>
          <b>{n(picked.size, "{n} selected", "{n} selected")}</b>
          {bulk.map((b, i) => <Button key={i} kind="plain" icon={b.icon} onClick={() => b.run([...picked.values()], () => setPicked(new Map()))}>{b.text([...picked.values()])}</Button>)}
          <Button kind="plain" icon="x" aria-label={t("Clear the selection")} onClick={() => setPicked(new Map())} />
        </div>
      )}
    </div>
  )
}

/** The part of the address that this list understands. */
function askOf(filters: Filter[]): Record<string, string> {
  const out: Record<string, string> = {}
  for (const name of ["page", "sort", "order", "search", ...filters.map((f) => f.name)]) {
    const value = query.value.get(name)
    if (value) out[name] = value
  }
  return out
}

/** Every row of the list, up to a number. The first page says how many there are. */
async function everything<P extends ListPath>(path: P, q: Query<P, "get">, upTo = Infinity): Promise<{ items: Row<P>[]; total: number }> {
  const load = async (page: number) => (await get(path, { ...q, page, limit: 100 } as Query<P, "get">)) as { items: Row<P>[]; total: number; totalPages: number }
  const { items, total, totalPages } = await load(1)
  const last = Math.min(totalPages, Math.ceil(upTo / 100))
  for (let page = 2; page <= last; page += atOnce) {
    const some = Array.from({ length: Math.min(atOnce, last - page + 1) }, (_, i) => load(page + i))
    for (const reply of await Promise.all(some)) items.push(...reply.items)
  }
  return { items, total }
}

function HeadCell<T>({ column: c }: { column: Column<T> }) {
  const sorted = query.value.get("sort") === c.sort && !!c.sort
  const down = query.value.get("order") === "desc"
  const look = `${c.num ? "num" : ""} ${c.hide ? `hide-${c.hide}` : ""}`
  if (!c.sort) return <th scope="col" class={look}>{c.label}</th>
  const flip = () => setQuery({ sort: c.sort, order: sorted && !down ? "desc" : "asc", page: "" })
  return (
    <th scope="col" class={look} aria-sort={sorted ? (down ? "descending" : "ascending") : undefined}>
      <button type="button" onClick={flip}>{c.label}{sorted && <Icon name={down ? "down" : "up"} size="xs" />}</button>
    </th>
  )
}

function Nothing({ filtered, empty }: { filtered: boolean; empty: Props<ListPath>["empty"] }) {
  if (filtered) return <State icon="search" title={t("Nothing matches")}><p>{t("Change or take away a filter.")}</p><Button onClick={() => go(location.pathname)}>{t("Show all")}</Button></State>
  return <State icon={empty.icon} title={empty.title}>{empty.text && <p>{empty.text}</p>}{empty.action}</State>
}

function Foot({ page, limit, pages, total, note }: { page: number; limit: number; pages: number; total: number; note: ComponentChildren }) {
  const from = (page - 1) * limit + 1
  return (
    <div class="foot">
      <span>{t("{from}–{to} of {total}", { from: count(from), to: count(Math.min(total, from + limit - 1)), total: count(total) })}</span>{note}
      <span class="push" />
      {query.value.get("all") === "1" ? <Button kind="plain" onClick={() => setQuery({ all: "" })}>{t("Page by page")}</Button>
        : pages > 1 && total <= most && <Button kind="plain" onClick={() => setQuery({ all: "1", page: "" })}>{t("All {n} on one page", { n: count(total) })}</Button>}
      {pages > 1 && (
        <span class="group">
          <Button icon="left" aria-label={t("Previous page")} disabled={page <= 1} onClick={() => setQuery({ page: String(page - 1) })} />
          <Button icon="right" aria-label={t("Next page")} disabled={page >= pages} onClick={() => setQuery({ page: String(page + 1) })} />
        </span>
      )}
    </div>
  )
}

/** The columns that this person has switched off, remembered on this computer. */
function useColumns<T>(name: string, columns: Column<T>[]): [string[], (off: string[]) => void] {
  const slot = `columns:${name}`
  const [off, set] = useState<string[]>(() => JSON.parse(localStorage.getItem(slot) ?? "null") ?? columns.filter((c) => c.off).map((c) => c.key))
  return [off, (next) => { localStorage.setItem(slot, JSON.stringify(next)); set(next) }]
}
