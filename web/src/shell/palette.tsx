// Ctrl K: people, receipts, books, pages and actions by a few letters.
import { useEffect, useRef, useState } from "preact/hooks"
import { get } from "../api/client"
import { role } from "../api/session"
import type { Schema } from "../api/contract"
import { Avatar, Icon } from "../ui/basics"
import type { IconName } from "../ui/icons"
import { t } from "../words/words"
import { go } from "./router"
import type { NavLink } from "./shell"

interface Hit { group: string; text: string; note?: string | null | undefined; href: string; icon?: IconName }

const places: Record<Schema["SearchHit"]["kind"], { group: () => string; href: (id: string) => string; icon?: IconName }> = {
  STUDENT: { group: () => t("People"), href: (id) => `/app/students/${id}` },
  GUARDIAN: { group: () => t("People"), href: (id) => `/app/guardians/${id}` },
  EMPLOYEE: { group: () => t("People"), href: (id) => `/app/staff/${id}` },
  RECEIPT: { group: () => t("Receipts"), href: (id) => `/app/fees/receipts/${id}`, icon: "coin" },
  REFUND: { group: () => t("Receipts"), href: (id) => `/app/fees/refunds?open=${id}`, icon: "coin" },
  BOOK: { group: () => t("Books"), href: (id) => `/app/library/books/${id}`, icon: "book" },
}

export function Palette({ links, onClose }: { links: NavLink[]; onClose: () => void }) {
  const [text, setText] = useState("")
  const [found, setFound] = useState<Hit[]>([])
  const [at, setAt] = useState(0)
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
  useEffect(() => {
    if (text.trim().length < 2 || role.value !== "SCHOOL_ADMIN") { setFound([]); return }
    const stop = new AbortController()
    const timer = setTimeout(() => {
      get("/school-admin/search", { q: text }, { signal: stop.signal }).then(
        (r) => setFound(r.results.map((h) => ({ group: places[h.kind].group(), text: h.title, note: h.subtitle, href: places[h.kind].href(h.id), ...(places[h.kind].icon && { icon: places[h.kind].icon! }) }))),
        () => {}, // the pages below still help
      )
    }, 120)
    return () => { clearTimeout(timer); stop.abort() }
  }, [text])
  const words = text.toLowerCase()
  const pages = links.filter((l) => l.text.toLowerCase().includes(words)).map((l) => ({ group: t("Pages"), text: l.text, href: l.href, icon: l.icon }))
  const hits: Hit[] = [...found, ...pages]
  const chosen = Math.min(at, hits.length - 1)
  const open = (h: Hit | undefined) => { if (h) { onClose(); go(h.href) } }
  const onKeyDown = (e: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[e.key]
    if (step) { e.preventDefault(); setAt((chosen + step + hits.length) % hits.length) }
    if (e.key === "Enter") { e.preventDefault(); open(hits[chosen]) }
  }
  return (
    <dialog class="palette" ref={dialog} aria-label={t("Search")} onCancel={(e) => { e.preventDefault(); onClose() }} onClick={(e) => { if (e.target === dialog.current) onClose() }}>
      <div class="with"><Icon name="search" size="md" />
        <input role="combobox" aria-label={t("Search people, receipts, pages and actions")} aria-expanded="true" aria-controls="hits" aria-activedescendant={hits.length ? `hit-${chosen}` : undefined}
          autofocus value={text} onInput={(e) => { setText(e.currentTarget.value); setAt(0) }} onKeyDown={onKeyDown} />
      </div>
      <div class="hits" id="hits" role="listbox" aria-label={t("Results")}>
        {hits.map((h, i) => (
          <>
            {h.group !== hits[i - 1]?.group && <h3 role="presentation">{h.group}</h3>}
            <a href={h.href} key={h.href} id={`hit-${i}`} role="option" tabIndex={-1} aria-selected={i === chosen} onClick={(e) => { e.preventDefault(); open(h) }}>
              {h.icon ? <Icon name={h.icon} /> : <Avatar name={h.text} />}<span class="grow cut"><bdi>{h.text}</bdi> {h.note && <span class="faint">{h.note}</span>}</span>
            </a>
          </>
        ))}
        {hits.length === 0 && <p class="muted pad">{t("Nothing found. Try fewer letters.")}</p>}
      </div>
    </dialog>
  )
}
