// Loading data for a page: what was seen before is shown at once, and then brought up to date.
import { useEffect, useRef, useState } from "preact/hooks"
import { effect, signal } from "@preact/signals"
import { Fault, get } from "../api/client"
import type { PathsOf, Query, Reply } from "../api/contract"
import { me } from "../api/session"
import { drop, dropBut, keeping, recall, remember } from "../api/vault"

export interface Loaded<T> {
  data: T | undefined
  fault: Fault | undefined
  loading: boolean
  reload: () => void
}

const seen = new Map<string, unknown>()
const kept = 60
const patience = 3_000 // ms without an answer until the page says how old it is

/** Grows when something was changed: every page that is shown loads again. */
export const changes = signal(0)
export function changed(): void { changes.value++ }
/** When the oldest data that is shown was loaded, while the network is gone; 0 when everything is new. */
export const asOf = signal(0)
/** Whether that is shown because the network is slow: there is no answer yet. */
export const slow = signal(false)
/** Forgets what was seen and kept except these calls, because a right has ended. */
export async function forgetBut(keys: string[]): Promise<void> {
  for (const key of [...seen.keys()]) if (!keys.includes(key)) seen.delete(key)
  await dropBut(["account", ...keys])
}

/** The name under which a reply is kept. */
export function keyOf<P extends PathsOf<"get">>(path: P, query?: Query<P, "get">, params?: Record<string, string>): string { return JSON.stringify([path, query, params]) }

/** Loads a reply by GET. A null path loads nothing. */
export function useGet<P extends PathsOf<"get">>(path: P | null, query?: Query<P, "get">, params?: Record<string, string>): Loaded<Reply<P, "get">> {
  const key = path ? keyOf(path, query, params) : ""
  return useLoad(key, (signal) => get(path as P, query, { ...(params && { path: params }), signal }))
}

const begun = new Map<string, Promise<unknown>>()
// What was seen belongs to one person: the next one on this page sees nothing of it, however the session ended.
effect(() => { if (!me.value) { seen.clear(); begun.clear() } })

/** Begins to load what the first page will ask for, while the account is loaded. */
export function ahead<P extends PathsOf<"get">>(path: P): void {
  const reply = get(path)
  reply.catch(() => {}) // the page gets it
  begun.set(keyOf(path), reply)
}

/** Loads whatever fn returns; key names it. An empty key loads nothing. */
export function useLoad<T>(key: string, fn: (signal: AbortSignal) => Promise<T>): Loaded<T> {
  const [state, set] = useState<{ key: string; data?: T | undefined; fault?: Fault | undefined; loading: boolean }>({ key: "", loading: true })
  const [turn, setTurn] = useState(0)
  const call = useRef(fn)
  call.current = fn
  const version = changes.value
  useEffect(() => {
    if (!key) return
    const stop = new AbortController()
    let answered = false
    set({ key, data: seen.get(key) as T | undefined, loading: true })
    if (!seen.has(key) && keeping()) {
      void recall<T>(key).then((old) => {
        if (!old || stop.signal.aborted) return
        set((s) => (s.loading && s.data === undefined ? { ...s, data: old.value } : s))
        setTimeout(() => { if (!answered && !stop.signal.aborted) { asOf.value = old.at; slow.value = true } }, patience)
      })
    }
    const early = begun.get(key) as Promise<T> | undefined
    begun.delete(key)
    ;(early ?? call.current(stop.signal)).finally(() => { answered = true }).then(
      (data) => { if (!stop.signal.aborted) { keep(key, data); asOf.value = 0; set({ key, data, loading: false }) } },
      (e: unknown) => { if (!stop.signal.aborted) void failed(key, asFault(e)) },
    )
    return () => stop.abort()
  }, [key, turn, version])
  /** Without a network, what this device has kept is shown in place of the fault. What may no longer be read is kept no longer. */
  async function failed(key: string, fault: Fault): Promise<void> {
    if (fault.statusCode === 403 || fault.statusCode === 404) {
      seen.delete(key)
      await drop(key)
      set((s) => (s.key === key ? { key, fault, loading: false } : s))
      return
    }
    const old = fault.offline ? await recall<T>(key) : undefined
    if (old) { asOf.value = asOf.value ? Math.min(asOf.value, old.at) : old.at; slow.value = false }
    set((s) => (s.key === key ? { key, data: s.data ?? old?.value, fault, loading: false } : s))
  }
  const current = state.key === key ? state : { data: seen.get(key) as T | undefined, fault: undefined, loading: key !== "" }
  return { data: current.data, fault: current.fault, loading: current.loading, reload: () => setTurn((n) => n + 1) }
}

/** Keeps an answer that was loaded ahead, for the page that will show it. */
export function keep(key: string, data: unknown): void {
  seen.delete(key)
  seen.set(key, data)
  void remember(key, data)
  if (seen.size > kept) seen.delete(seen.keys().next().value!)
}

/** Changes what is kept under a key, until it is loaded again. */
export async function amend<T>(key: string, change: (old: T) => T): Promise<void> {
  const old = await recall<T>(key)
  if (!old) return
  const data = change(old.value)
  if (seen.has(key)) seen.set(key, data)
  await remember(key, data, old.at)
}

/** What was loaded under a key in this visit. */
export function held<T>(key: string): T | undefined { return seen.get(key) as T | undefined }

export function asFault(e: unknown): Fault {
  return e instanceof Fault ? e : new Fault(-1, "BUG", e instanceof Error ? e.message : String(e))
}
