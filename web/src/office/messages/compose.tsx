// A new message, to one or several.
import { useEffect, useRef, useState } from "preact/hooks"
import { get, post } from "../../api/client"
import type { Row } from "../../api/contract"
import { useKept } from "../../shell/kept"
import { asFault, changed, useGet } from "../../shell/load"
import { go, query } from "../../shell/router"
import { say, sayFault } from "../../shell/toast"
import { Avatar, Banner, Bones, Button, Icon, Segments } from "../../ui/basics"
import { filesField, type Attached } from "../../ui/files"
import { Form } from "../../ui/form"
import { n, t } from "../../words/words"
import { roles } from "./threads"

type Person = Row<"/school-admin/message/recipients">
interface To { person: Person; studentId?: string }

export function Compose() {
  const [to, setTo] = useState<To[]>()
  useEffect(() => { asked().then(setTo, (e: unknown) => { sayFault(e); setTo([]) }) }, [])
  if (!to) return <Bones />
  return <Letter initial={to} />
}

function Letter({ initial }: { initial: To[] }) {
  const chosen = useRef(false)
  const [to, setTo] = useKept("to", initial, chosen)
  chosen.current = to !== initial
  const [failed, setFailed] = useState<string[]>([])
  const key = useRef(crypto.randomUUID()) // also for whoever is left after a first attempt: the answer may be all that got lost
  const add = (person: Person) => setTo((old) => (old.some((x) => x.person.id === person.id) ? old : [...old, { person }]))
  async function send(v: Record<string, unknown>) {
    const files = ((v.files as Attached[] | undefined) ?? []).map((f) => f.id)
    let thread = ""
    const left: To[] = []
    const why: string[] = []
    for (const x of to) { // the service has one conversation per person
      try {
        const sent = await post("/school-admin/message/send", { recipientId: x.person.id, studentId: x.studentId ?? null, body: String(v.body ?? ""), attachments: files },
          { key: key.current })
        thread = sent.thread.id
      } catch (e) {
        if (to.length === 1) throw e
        left.push(x)
        why.push(`${x.person.name ?? ""}: ${asFault(e).message}`)
      }
    }
    return { thread, left, why }
  }
  function done({ thread, left, why }: { thread: string; left: To[]; why: string[] }) {
    changed()
    const sent = to.length - left.length
    if (sent) say(n(sent, "Sent to {n} person.", "Sent to {n} people."))
    if (left.length) { setTo(left); setFailed(why) } else go(to.length === 1 ? `/app/messages?thread=${thread}` : "/app/messages")
  }
  return (
    <>
      <header class="talk-head"><span class="only-sm"><Button kind="plain" icon="back" aria-label={t("Back to the conversations")} onClick={() => go("/app/messages")} /></span>
        <h2 class="grow">{t("New message")}</h2></header>
      <div class="newletter">
        {failed.length > 0 && <Banner tone="bad" icon="alert"><b>{n(failed.length, "{n} person did not get it.", "{n} people did not get it.")}</b>
          <ul>{failed.map((x) => <li key={x}>{x}</li>)}</ul></Banner>}
        <Recipients to={to} add={add} drop={(id) => setTo((old) => old.filter((x) => x.person.id !== id))} />
        <Form single button={to.length ? n(to.length, "Send to {n} person", "Send to {n} people") : t("Send")} onCancel={() => go("/app/messages")}
          fields={[{ name: "body", label: t("Message"), kind: "textarea", required: true },
            { ...filesField("MESSAGE"), hidden: () => to.length > 1 }]}
          submit={(v) => (to.length ? send(v) : Promise.reject(new Error(t("Choose who gets it."))))}
            onDone={(r) => done(r as { thread: string; left: To[]; why: string[] })} />
        {to.length > 1 && <p class="help">
          {t("Each gets a message of their own, and nobody sees who else does. For whole classes an announcement is better.")} <a href="/app/announcements/new">
            {t("Write an announcement")}</a></p>}
      </div>
    </>
  )
}

function Recipients({ to, add, drop }: { to: To[]; add: (p: Person) => void; drop: (id: string) => void }) {
  const [text, setText] = useState("")
  const [role, setRole] = useState<"" | "PARENT" | "TEACHER" | "DRIVER">("")
  const found = useGet(text.trim().length > 1 || role ? "/school-admin/message/recipients" : null, { limit: 8, ...(text.trim() && { search: text.trim() }), ...(role && { role }) })
  const hits = (found.data?.items ?? []).filter((p) => !to.some((x) => x.person.id === p.id))
  const label = t("Name of a parent, child, teacher or driver")
  return (
    <fieldset class="field to">
      <legend>{t("To|recipient")}</legend>
      {to.length > 0 && <ul class="files">{to.map(({ person: p }) => (
        <li key={p.id}><span class="row tochip"><Avatar name={p.name ?? "?"} /><bdi class="cut">{p.name}</bdi></span>
          <Button kind="plain" size="sm" icon="x" aria-label={t("Take away {name}", { name: p.name ?? "" })} onClick={() => drop(p.id)} /></li>
      ))}</ul>}
      <div class="row wrap"><span class="with grow"><Icon name="search" />
        <input class="input" type="search" aria-label={label} placeholder={label} value={text} onInput={(e) => setText(e.currentTarget.value)}
        onKeyDown={(e) => { if (e.key === "Enter") { e.preventDefault(); if (hits[0]) { add(hits[0]); setText("") } } }} /></span>
      <Segments label={t("Who")} value={role} onChange={setRole}
        options={[{ value: "", text: t("All") }, { value: "PARENT", text: t("Parents") }, { value: "TEACHER", text: t("Teachers") }, { value: "DRIVER", text: t("Drivers") }]} />
          </div>
      {hits.length > 0 && <ul class="hitlist">{hits.map((p) => (
        <li key={p.id}><button type="button" onClick={() => { add(p); setText("") }}><Avatar name={p.name ?? "?"} /><bdi>{p.name}</bdi>
          <span class="faint cut">{roles()[p.role]}{p.students.length > 0 && <> · {p.students.map((s) => s.name).join(", ")}</>}</span></button></li>
      ))}</ul>}
      {found.data && hits.length === 0 && text && <p class="help">{t("Nobody with an account has this name.")}</p>}
    </fieldset>
  )
}

const fewest = 4 // from here on it is less work to read all parents

/** The recipients that the address names: ?to= students, whose parents are meant, or ?with= an account. */
async function asked(): Promise<To[]> {
  const students = (query.value.get("to") ?? "").split(",").filter(Boolean)
  const account = query.value.get("with")
  if (!students.length && !account) return []
  const people: Person[] = []
  if (students.length && students.length <= fewest) {
    for (const studentId of students) people.push(...(await get("/school-admin/message/recipients", { limit: 20, studentId })).items)
  } else {
    for (let page = 1, pages = 1; page <= pages; page++) {
      const reply = await get("/school-admin/message/recipients", { limit: 100, page, ...(students.length && { role: "PARENT" as const }) })
      people.push(...reply.items)
      pages = account && reply.items.some((p) => p.id === account) ? 0 : reply.totalPages
    }
  }
  const wanted = new Set(students)
  const out = new Map<string, To>()
  for (const person of people) {
    const theirs = person.students.filter((s) => wanted.has(s.id))
    if (person.id !== account && (person.role !== "PARENT" || theirs.length === 0)) continue
    out.set(person.id, { person, ...(theirs.length === 1 && { studentId: theirs[0]!.id }) })
  }
  return [...out.values()]
}
