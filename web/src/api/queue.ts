// Calls that wait on this device until the service has answered them. Each has an Idempotency-Key from its first attempt on,
// so that it is done once however often it is sent. Calls of one lane are sent in order; "trip 7 positions" waits while "trip 7" is stuck.
import { effect, signal } from "@preact/signals"
import { Fault, post, put, upload } from "./client"
import type { Input, PathsOf } from "./contract"
import { me } from "./session"
import { allWaiting, draftNames, dropWaiting, keepWaiting, keeping, type Draft } from "./vault"
import { t } from "../words/words"

/** A photo that is uploaded before its call; its id goes into this field of the body. */
export interface Attached { field: string; path: string; name: string; type: string; data: string } // data: base64

export interface Waiting {
  id: number
  path: PathsOf<"post"> | PathsOf<"put">
  puts?: boolean | undefined // by PUT
  params?: Record<string, string> | undefined
  body: unknown
  files?: Attached[] | undefined
  key: string
  lane: string
  label: string // in words for the person: "Attendance of Grade 5 A"
  about?: string | undefined // what it is about, for the page that made it
  at: number
  tried?: number | undefined // the first attempt
  refused?: { status: number; code: string; message: string; details: { field: string; message: string }[] } | undefined
}

/** What waits, oldest first. */
export const waiting = signal<Waiting[]>([])
/** The calls that were answered, newest last, for pages that wait for one. */
export const answered = signal<{ id: number; about: string | undefined; reply: unknown } | null>(null)

/** Show the effect of a call that was answered in what this device has kept, before it leaves the queue: the page may not be able to load it. */
export const amenders = new Set<(call: Waiting, reply: unknown) => Promise<void>>()

export interface Later {
  label: string
  lane?: string
  about?: string
  params?: Record<string, string>
  files?: Attached[]
  drafts?: Draft[] // change in the same step
  merge?: (kept: unknown) => unknown // makes one call of this and the one before, if that was not tried yet; undefined: it is full
}

/** Keeps a call on this device and sends it now or when there is a network. It is on disk when the promise resolves. */
export function later<P extends PathsOf<"post">>(path: P, body: Input<P, "post">, o: Later): Promise<number> { return keepCall({ path, body }, o) }

/** The same by PUT, for what is changed and not made. */
export function laterPut<P extends PathsOf<"put">>(path: P, body: Input<P, "put">, o: Later): Promise<number> { return keepCall({ path, body, puts: true }, o) }

async function keepCall(what: Pick<Waiting, "path" | "body" | "puts">, o: Later): Promise<number> {
  const call: Omit<Waiting, "id"> = {
    ...what, params: o.params, files: o.files, key: crypto.randomUUID(), lane: o.lane ?? what.path, label: o.label, about: o.about, at: Date.now(),
  }
  if (!keeping()) {
    answered.value = { id: 0, about: o.about, reply: await sendOne({ ...call, id: 0 }) }
    return 0
  }
  await reading
  const before = waiting.value.findLast((w) => w.lane === call.lane)
  const merged = before && !before.tried ? o.merge?.(before.body) : undefined
  if (before && merged !== undefined) {
    await update({ ...before, body: merged })
    void flush()
    return before.id
  }
  const id = nextID()
  await keepWaiting(id, call, o.drafts)
  waiting.value = [...waiting.value, { ...call, id }]
  void flush()
  return id
}

/** Numbers that grow, over all tabs and visits. */
let lastID = 0
function nextID(): number { return (lastID = Math.max(lastID + 1, Date.now() * 100)) }

/** Resolves when the calls of an earlier visit are read from disk. Adding or deleting one waits for it, because reading overwrites the list. */
let reading: Promise<void> = Promise.resolve()

/** Reads what an earlier visit has left. */
export async function readWaiting(): Promise<void> {
  reading = allWaiting<Omit<Waiting, "id">>().then((all) => { waiting.value = all.map((w) => ({ ...w.value, id: w.id })) })
  await reading
  void flush()
}

/** How many things are on this device only: what waits, and what was typed and not sent. Signing out deletes them. */
export async function unsent(): Promise<number> {
  const typed = (await draftNames()).filter((name) => !name.startsWith("sent/")) // marks that were sent, until they are compared
  return waiting.value.length + typed.length
}

export async function discard(id: number): Promise<void> {
  await reading
  await dropWaiting(id)
  waiting.value = waiting.value.filter((w) => w.id !== id)
}

/** Sends a refused call again, as a new one if its body was changed. */
export async function again(id: number, body?: unknown): Promise<void> {
  const w = waiting.value.find((x) => x.id === id)
  if (!w) return
  await update({ ...w, refused: undefined, tried: undefined, ...(body !== undefined && { body }), key: crypto.randomUUID() })
  void flush()
}

async function update(w: Waiting): Promise<void> {
  if (!keeping()) return // signed out meanwhile
  const { id, ...call } = w
  waiting.value = waiting.value.map((x) => (x.id === id ? w : x))
  await keepWaiting(id, call)
}

let timer = 0
let pause = firstPause()
function firstPause(): number { return 2_000 }
const longestPause = 60_000
const keyLifetime = 23 * 3600_000 // the service remembers a key for 24 hours

/** Sends what waits. One tab at a time does so. */
export async function flush(): Promise<void> {
  clearTimeout(timer)
  if (waiting.value.every((w) => w.refused)) return
  await navigator.locks.request("homeroom-queue", { ifAvailable: true }, async (lock) => {
    if (!lock) return
    const stopped = new Set<string>()
    for (let w = next(stopped); w; w = next(stopped)) {
      if (await attempt(w)) pause = firstPause()
      else stopped.add(w.lane)
    }
  })
  if (waiting.value.some((w) => !w.refused)) {
    timer = setTimeout(() => void flush(), pause)
    pause = Math.min(pause * 2, longestPause)
  }
}

function next(stopped: Set<string>): Waiting | undefined {
  return waiting.value.find((w) => !w.refused && ![...stopped].some((lane) => w.lane === lane || w.lane.startsWith(`${lane} `)))
}

/** Sends one call. False if it has to wait. */
async function attempt(w: Waiting): Promise<boolean> {
  if (w.tried && Date.now() - w.tried > keyLifetime) {
    await update({ ...w, refused: { status: 0, code: "TOO_OLD", details: [], message: t("This has waited for more than a day. Look whether it has arrived, then send it again or delete it.") } })
    return true
  }
  if (!w.tried) { w = { ...w, tried: Date.now() }; await update(w) }
  try {
    const reply = await sendOne(w)
    for (const amend of amenders) await amend(w, reply).catch(() => {}) // then the page shows it when it has loaded
    answered.value = { id: w.id, about: w.about, reply }
    await discard(w.id)
    return true
  } catch (e) {
    const f = e instanceof Fault ? e : new Fault(-1, "BUG", String(e))
    if (f.temporary || f.statusCode === 401) {
      if (f.retryAfter) pause = Math.max(pause, f.retryAfter * 1000)
      return false
    }
    await update({ ...w, refused: { status: f.statusCode, code: f.code, message: f.message, details: f.details } })
    return true
  }
}

async function sendOne(w: Waiting): Promise<unknown> {
  let body = w.body as Record<string, unknown>
  for (const [i, f] of (w.files ?? []).entries()) {
    const form = new FormData()
    form.append("file", new Blob([Uint8Array.from(atob(f.data), (c) => c.charCodeAt(0))], { type: f.type }), f.name)
    const { id } = (await upload(f.path, form, { key: `${w.key}-${i}` })) as { id: string }
    body = Array.isArray(body[f.field]) ? { ...body, [f.field]: [...(body[f.field] as unknown[]), id] } : { ...body, [f.field]: id }
  }
  const o = { key: w.key, ...(w.params && { path: w.params }) }
  return w.puts ? put(w.path as PathsOf<"put">, body as never, o) : post(w.path as PathsOf<"post">, body as never, o)
}

// What waits belongs to one person: nobody else's token sends it.
effect(() => { if (!me.value) { clearTimeout(timer); waiting.value = [] } })

/** Sends what waits now, because there may be a network again. */
export function wake(): void { pause = firstPause(); void flush() }
addEventListener("online", wake)
document.addEventListener("visibilitychange", () => { if (!document.hidden) wake() })
