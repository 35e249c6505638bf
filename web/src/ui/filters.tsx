// Filters of a list: each is a chip that reads as a sentence, and a part of the address.
import type { ComponentChildren } from "preact"
import { useEffect, useId, useRef, useState } from "preact/hooks"
import { useKey } from "../shell/keys"
import { query, setQuery } from "../shell/router"
import { t } from "../words/words"
import { Button, Icon } from "./basics"
import type { Option } from "./form"

export interface Filter { name: string; label: string; options?: Option[]; kind?: "date" }

const pause = 250 // ms between the last letter and the search

export function FilterBar({ search, filters: all, children }: { search: string | undefined; filters: Filter[]; children?: ComponentChildren }) {
  const [adding, setAdding] = useState<string>()
  const filters = all.filter((f) => !f.options || f.options.length > 0 || query.value.get(f.name)) // a role may not read what it would choose from
  const shown = filters.filter((f) => query.value.get(f.name) || f.name === adding)
  const rest = filters.filter((f) => !shown.includes(f))
  return (
    <div class="filters" role="search">
      {search && <Search label={search} />}
      {shown.map((f) => <Chip key={f.name} filter={f} fresh={f.name === adding} done={() => setAdding(undefined)} />)}
      {rest.length > 0 && (
        <label class="btn dash addfilter"><Icon name="plus" />{t("Filter")}
          <select aria-label={t("Add a filter")} value="" onChange={(e) => { setAdding(e.currentTarget.value); e.currentTarget.value = "" }}>
            <option value="" />{rest.map((f) => <option key={f.name} value={f.name}>{f.label}</option>)}
          </select>
        </label>
      )}
      <span class="push" />{children}
    </div>
  )
}

function Search({ label }: { label: string }) {
  const value = query.value.get("search") ?? ""
  const [text, setText] = useState(value)
  const input = useRef<HTMLInputElement>(null)
  useKey("/", t("Search this list"), () => input.current?.focus())
  useEffect(() => { if (document.activeElement !== input.current) setText(value) }, [value])
  useEffect(() => {
    if (text === value) return
    const timer = setTimeout(() => setQuery({ search: text, page: "" }), pause)
    return () => clearTimeout(timer)
  }, [text])
  return (
    <span class="with"><Icon name="search" />
      <input ref={input} class="input" type="search" aria-label={label} placeholder={label} value={text} onInput={(e) => setText(e.currentTarget.value)} />
    </span>
  )
}

function Chip({ filter: f, fresh, done }: { filter: Filter; fresh: boolean; done: () => void }) {
  const id = useId()
  const control = useRef<HTMLSelectElement & HTMLInputElement>(null)
  useEffect(() => { if (fresh) control.current?.focus() }, [])
  const set = (value: string) => { setQuery({ ...(f.name === "classId" && { divisionId: "" }), [f.name]: value, page: "" }); done() } // of another class
  const value = query.value.get(f.name) ?? ""
  return (
    <span class="chip">
      <label for={id}>{f.label}</label>
      {f.kind === "date"
        ? <input ref={control} id={id} type="date" value={value} onChange={(e) => set(e.currentTarget.value)} />
        : <select ref={control} id={id} value={value} onChange={(e) => set(e.currentTarget.value)}>
            <option value="">{t("any")}</option>{f.options?.map((o) => <option key={o.value} value={o.value}>{o.text}</option>)}
          </select>}
      <button type="button" aria-label={t("Take away the filter {name}", { name: f.label })} onClick={() => set("")}><Icon name="x" size="xs" /></button>
    </span>
  )
}

/** Chooses the columns of a list. */
export function ColumnsMenu({ columns, off, setOff }: { columns: { key: string; label: string }[]; off: string[]; setOff: (off: string[]) => void }) {
  const id = useId()
  return (
    <span class="menuwrap hide-sm">
      <Button kind="plain" icon="cols" popovertarget={id}>{t("Columns")}</Button>
      <fieldset class="menu" id={id} popover="auto" onToggle={(e) => below(e.currentTarget)}>
        <legend class="sr">{t("Columns")}</legend>
        {columns.slice(1).map((c) => (
          <label class="check" key={c.key}><input type="checkbox" checked={!off.includes(c.key)} onChange={() => setOff(off.includes(c.key) ? off.filter((x) => x !== c.key) : [...off, c.key])} />{c.label}</label>
        ))}
      </fieldset>
    </span>
  )
}

function below(menu: HTMLElement): void {
  const button = menu.previousElementSibling?.getBoundingClientRect()
  if (!button || !menu.matches(":popover-open")) return
  menu.style.top = `${button.bottom + 4}px`
  menu.style.left = `${Math.max(8, Math.min(button.left, innerWidth - menu.offsetWidth - 8))}px`
}
