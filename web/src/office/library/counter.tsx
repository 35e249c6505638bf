// The library's counter. A barcode scanner types a number and presses Enter; the field understands members and books.
import { useEffect, useRef, useState } from "preact/hooks"
import { may } from "../../api/session"
import { asFault, changed } from "../../shell/load"
import { useKey } from "../../shell/keys"
import { sayFault } from "../../shell/toast"
import { Avatar, Badge, Button, Head, Icon, Segments, State } from "../../ui/basics"
import type { Person } from "../../ui/person"
import { t } from "../../words/words"
import { lendTo, takeBack, type Event } from "./events"
import { isCopy, members } from "./lend"
import { Member } from "./member"
import { LibraryTabs } from "./tabs"

type Mode = "lend" | "back"

export default function Counter() {
  const writes = may("write", "library")
  const [mode, setMode] = useState<Mode>("lend")
  const [member, setMember] = useState<Person | null>(null)
  const [similar, setSimilar] = useState<Person[]>([])
  const [events, setEvents] = useState<Event[]>([])
  const [text, setText] = useState("")
  const [busy, setBusy] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  const focus = () => setTimeout(() => field.current?.focus())
  const log = (e: Omit<Event, "id">) => setEvents((old) => [{ ...e, id: (old[0]?.id ?? 0) + 1 }, ...old].slice(0, 30))
  const choose = (p: Person | null) => { setMember(p); setSimilar([]); setMode("lend"); focus() }
  useEffect(() => { focus() }, [])
  useKey("alt+1", t("Lend"), () => setMode("lend"))
  useKey("alt+2", t("Take back"), () => setMode("back"))
  useKey("/", t("Scan or type"), focus)
  useKey("escape", t("Next member"), () => { if (!document.querySelector("dialog[open], [popover]:popover-open")) choose(null) })
  async function scan() {
    const code = text.trim()
    if (!code || busy) return
    setBusy(true)
    setSimilar([])
    try {
      if (mode === "back") await takeBack(code, log)
      else await lend(code)
      setText("")
      changed()
    } catch (e) {
      log({ tone: "bad", text: asFault(e).message, note: code })
      setText("")
    } finally { setBusy(false); focus() }
  }
  async function lend(code: string) {
    if (member && await isCopy(code)) return lendTo(member, code, log)
    const found = await members(code)
    if (found.exact) return choose(found.exact)
    if (found.similar.length === 1) return choose(found.similar[0]!)
    if (found.similar.length > 1) return setSimilar(found.similar)
    log({ tone: "warn", text: await isCopy(code) ? t("Scan the member's card first, or choose “Take back”.") : t("Nobody and no book has the number {code}.", { code }) })
  }
  return (
    <>
      <Head title={t("Library counter")} sub={mode === "back" ? t("Scan the books that come back.")
        : member ? t("Scan the books that {name} takes.", { name: member.name }) : t("Scan a member's card, or type a name.")} />
      <LibraryTabs current="counter" />
      {!writes ? <State icon="lock" title={t("You can look, but not lend")} /> : (
        <div class="cols even lending">
          <div class="stack loose">
            <div class="row wrap">
              <Segments label={t("What happens")} value={mode} onChange={(m) => { setMode(m); focus() }}
                options={[{ value: "lend", text: t("Lend") }, { value: "back", text: t("Take back") }]} />
              <span class="keys hide-sm"><span><kbd>Alt 1</kbd> {t("lend")}</span><span><kbd>Alt 2</kbd> {t("take back")}</span>
                <span><kbd>Esc</kbd> {t("next member")}</span></span>
            </div>
            <form onSubmit={(e) => { e.preventDefault(); void scan() }}>
              <span class="with scan"><Icon name={mode === "back" || member ? "book" : "person"} size="md" />
                <input ref={field} class="input big" autocomplete="off" aria-busy={busy} value={text} onInput={(e) => setText(e.currentTarget.value)}
                  aria-label={mode === "back" ? t("Number of the book") : member ? t("Number of the book, or of the next member") : t("Number or name of the member")}
                  placeholder={mode === "back" ? t("Number of the book") : member ? t("Number of the book") : t("Number or name of the member")} /></span>
            </form>
            {similar.length > 0 && <ul class="frame list" aria-label={t("Who is it?")}>{similar.map((p) => (
              <li key={p.id}><Avatar name={p.name} photo={p.photo} /><div class="grow"><b><bdi>{p.name}</bdi></b><p>{p.note}</p></div>
                <Button size="sm" onClick={() => choose(p)} aria-label={t("Choose {name}", { name: p.name })}>{t("Choose")}</Button></li>
            ))}</ul>}
            <Log events={events} drop={(id) => setEvents((old) => old.filter((e) => e.id !== id))} />
          </div>
          {member ? <Member person={member} leave={() => choose(null)} log={log} />
            : <State icon="book" title={t("Nobody is at the counter")}><p>{t("After the card is scanned, this side shows what the member has.")}</p></State>}
        </div>
      )}
    </>
  )
}

function Log({ events, drop }: { events: Event[]; drop: (id: number) => void }) {
  const undo = (e: Event) => { drop(e.id); return e.undo!().then(changed, sayFault) }
  useKey("ctrl+z", t("Undo"), () => { const e = events.find((x) => x.undo); if (e) void undo(e) })
  return (
    <div role="log" aria-label={t("What happened")} aria-live="polite">
      {events.length > 0 && <ul class="frame list">{events.map((e) => (
        <li key={e.id}><span class={`disc ${e.tone}`}><Icon name={e.tone === "good" ? "check" : "alert"} /></span><div class="grow"><b>{e.text}</b>{e.note && <p>{e.note}</p>}</div>
          {e.undo && <Button size="sm" onClick={() => void undo(e)}>{t("Undo")}</Button>}{e.tone === "bad" && <Badge tone="bad">{t("not done")}</Badge>}</li>
      ))}</ul>}
    </div>
  )
}
