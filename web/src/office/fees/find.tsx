// The left side of the counter: find a family, the last receipts, the drawer.
import { useEffect, useRef, useState } from "preact/hooks"
import { useGet, useLoad } from "../../shell/load"
import { useKey } from "../../shell/keys"
import { Avatar, Icon } from "../../ui/basics"
import { money, today } from "../../words/format"
import { t } from "../../words/words"
import { findFamilies, type Family } from "./family"

interface Props { chosen: string | null; choose: (studentId: string) => void; turn: number }

/** turn grows when the next family is asked for: the field is emptied and focused. */
export function Find({ chosen, choose, turn }: Props) {
  const [text, setText] = useState("")
  const [asked, setAsked] = useState("")
  const [at, setAt] = useState(0)
  const input = useRef<HTMLInputElement>(null)
  const hurry = useRef(false) // Enter was pressed before the answer came
  useEffect(() => { const timer = setTimeout(() => setAsked(text.trim().length < 2 ? "" : text.trim()), 120); return () => clearTimeout(timer) }, [text])
  useEffect(() => { setText(""); setAsked(""); if (turn > 0 || !chosen) setTimeout(() => input.current?.focus()) }, [turn])
  useKey("/", t("Find a family"), () => { input.current?.focus(); input.current?.select() })
  const found = useLoad(asked && `families ${asked}`, (signal) => findFamilies(asked, signal))
  const families = asked && found.data ? found.data : []
  const pick = (f: Family | undefined) => { if (f) { hurry.current = false; choose((f.children.find((c) => c.due > 0) ?? f.children[0])!.id) } }
  useEffect(() => { setAt(0); if (hurry.current && found.data && !found.loading) pick(found.data[0]) }, [found.data])
  const onKeyDown = (e: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[e.key]
    if (step && families.length) { e.preventDefault(); setAt((at + step + families.length) % families.length) }
    if (e.key === "Enter" && !e.ctrlKey && !e.metaKey) {
      e.preventDefault()
      if (asked === text.trim() && !found.loading) pick(families[at])
      else { hurry.current = true; setAsked(text.trim()) }
    }
  }
  return (
    <section class="pane" aria-labelledby="find-family"><h2 id="find-family" class="sr">{t("Find a family")}</h2>
      <span class="with"><Icon name="search" />
        <input ref={input} class="input" role="combobox" aria-label={t("Child, guardian, phone or admission no.")} placeholder={t("Child, guardian or phone")} value={text}
          aria-expanded={families.length > 0} aria-controls="families" aria-activedescendant={families.length ? `family-${at}` : undefined} autocomplete="off"
          onInput={(e) => setText(e.currentTarget.value)} onKeyDown={onKeyDown} />
      </span>
      <div id="families" role="listbox" aria-label={t("Families")} class="found" hidden={families.length === 0}>
        {families.map((f, i) => <Found key={f.key} family={f} id={`family-${i}`} at={i === at} open={f.children.some((c) => c.id === chosen)} pick={() => pick(f)} />)}
      </div>
      {asked && found.data && families.length === 0 && <p class="muted small">{t("Nobody found. Try fewer letters, or the phone number.")}</p>}
      {found.fault && <p class="error" role="alert">{found.fault.message}</p>}
      <Drawer />
    </section>
  )
}

function Found({ family: f, id, at, open, pick }: { family: Family; id: string; at: boolean; open: boolean; pick: () => void }) {
  const last = f.children[0]!.name.split(" ").at(-1)!
  const children = f.children.map((c) => `${c.name.split(" ")[0]} ${c.className}`).join(", ")
  return (
    <div id={id} role="option" class={open ? "open" : ""} aria-selected={at} onClick={pick}>
      <span class="row"><b class="cut"><bdi>{f.children.length > 1 ? last : f.children[0]!.name}</bdi></b>
        {f.due > 0 ? <span class="push num bad strong">{money(f.due)}</span> : <span class="push muted nowrap">{t("nothing due")}</span>}</span>
      {f.guardian && <span class="muted small cut"><bdi>{f.guardian.name}</bdi>{f.guardian.phone && `, ${f.guardian.phone}`}</span>}
      <span class="row small muted"><span class="faces">{f.children.map((c) => <Avatar key={c.id} name={c.name} />)}</span><bdi class="cut">{children}</bdi></span>
    </div>
  )
}

function Drawer() {
  const last = useGet("/school-admin/fee/collection/list", { limit: 6, sort: "createdAt", order: "desc" })
  const day = useGet("/school-admin/fee/report/collection", { from: today(), to: today() })
  const till = useGet("/school-admin/fee/till/mine")
  const cash = day.data?.byMethod.find((m) => m.method === "CASH")?.net ?? 0
  return (
    <div class="drawer">
      <h3 class="faint">{t("Last receipts")}</h3>
      <ul>{last.data?.items.map((r) => (
        <li key={r.id}><a class="row small" href={`/app/fees/receipts/${r.id}`}><span class="num">{r.number.split("-").at(-1)}</span>
          <bdi class="cut">{r.students[0]?.name ?? r.payer}</bdi>
          <span class="push num">{r.status === "REVERSED" ? <s>{money(r.amount)}</s> : money(r.amount)}</span></a></li>
      ))}</ul>
      {day.data && <dl class="facts small"><dt>{t("Cash today")}</dt><dd class="num">{money(cash)}</dd><dt>{t("Taken today")}</dt><dd class="num">{money(day.data.net)}</dd>
        {till.data?.till && <><dt>{t("In your till")}</dt><dd class="num">{money(till.data.till.expected)}</dd></>}</dl>}
      {till.data && <a class="row small" href="/app/fees/tills">{till.data.till ? t("Count and close your till") : t("Open a till")}</a>}
    </div>
  )
}
