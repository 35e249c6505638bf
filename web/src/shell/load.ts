// Loading data for a page: what was seen before is shown at once, and then brought up to date.
import { useEffect, useRef, useState } from "preact/hooks"
import { signal } from "@preact/signals"
import { Fault, get } from "../api/client"
import type { PathsOf, Query, Reply } from "../api/contract"

export interface Loaded<T> {
  data: T | undefined
  fault: Fault | undefined
  loading: boolean
  reload: () => void
}

const seen = new Map<string, unknown>()
const kept = 60

/** Grows when something was changed: every page that is shown loads again. */
export const changes = signal(0)
export function changed(): void { changes.value++ }
/** Forgets everything that was seen, at sign-out. */
export function forget(): void { seen.clear() }

/** Loads a reply by GET. A null path loads nothing. */
export function useGet<P extends PathsOf<"get">>(path: P | null, query?: Query<P, "get">, params?: Record<string, string>): Loaded<Reply<P, "get">> {
  const key = path ? JSON.stringify([path, query, params]) : ""
  return useLoad(key, (signal) => get(path as P, query, { ...(params && { path: params }), signal }))
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
    set({ key, data: seen.get(key) as T | undefined, loading: true })
    call.current(stop.signal).then(
      (data) => { if (!stop.signal.aborted) { keep(key, data); set({ key, data, loading: false }) } },
      (e: unknown) => { if (!stop.signal.aborted) set((s) => ({ key, data: s.data, fault: asFault(e), loading: false })) },
    )
    return () => stop.abort()
  }, [key, turn, version])
  const current = state.key === key ? state : { data: seen.get(key) as T | undefined, fault: undefined, loading: key !== "" }
  return { data: current.data, fault: current.fault, loading: current.loading, reload: () => setTurn((n) => n + 1) }
}

function keep(key: string, data: unknown): void {
  seen.delete(key)
  seen.set(key, data)
  if (seen.size > kept) seen.delete(seen.keys().next().value!)
}

export function asFault(e: unknown): Fault {
  return e instanceof Fault ? e : new Fault(-1, "BUG", e instanceof Error ? e.message : String(e))
}
