// The socket: opened when a page first listens, closed at sign-out. It connects with the newest access token, and joins its rooms again
// unless the server still had it in them and has sent what was missed.
import { effect, signal } from "@preact/signals"
import { useEffect, useRef } from "preact/hooks"
import type { Socket } from "socket.io-client"
import { keepAccess } from "../api/client"
import { me } from "../api/session"
import { changed } from "./load"

/** Whether events arrive at this moment. Pages that need them ask the server from time to time while it is false. */
export const live = signal(false)

type Listener = (payload: never) => void

const listeners = new Map<string, Set<Listener>>()
const rooms = new Map<string, number>() // bus id → how many parts of the page watch it
let socket: Socket | null = null
let opening: Promise<void> | null = null
let missed = false // events were sent while there was no connection
const patience = 60_000 // ms until the next attempt after a refused one
const moment = 3_000 // ms until the next attempt after one that did not arrive
const late = 1_000 // ms that the first connection may take; after that the page may have missed events

/** Calls fn with each event of this name while the component is shown. */
export function useLive<T>(event: string, fn: (payload: T) => void): void {
  const latest = useRef(fn)
  latest.current = fn
  useEffect(() => {
    const call = (payload: T) => latest.current(payload)
    const all = listeners.get(event) ?? new Set()
    listeners.set(event, all.add(call))
    void (opening ??= open())
    return () => { all.delete(call) }
  }, [event])
}

/** Gets the positions and trip changes of these buses while the component is shown. */
export function useBuses(ids: string[]): void {
  useEffect(() => {
    for (const id of ids) {
      rooms.set(id, (rooms.get(id) ?? 0) + 1)
      if (rooms.get(id) === 1) socket?.emit("join-bus-room", { busId: id })
    }
    return () => {
      for (const id of ids) {
        rooms.set(id, rooms.get(id)! - 1)
        if (rooms.get(id) === 0) { rooms.delete(id); socket?.emit("leave-bus-room", { busId: id }) }
      }
    }
  }, [ids.join()])
}

async function open(): Promise<void> {
  const asked = Date.now()
  const reached = await (keepAccess.renewing ?? Promise.resolve(true)).catch(() => false)
  if (!reached) await new Promise((done) => setTimeout(done, moment)) // without a network the page that was last seen comes first
  const { io } = await import("socket.io-client")
  if (!me.value || socket) return // signed out meanwhile, and perhaps in again
  const s = io({ transports: ["websocket", "polling"], auth: (give) => give({ token: keepAccess.token, recover: true }) })
  socket = s
  s.on("connect", () => {
    live.value = true
    if ((missed || Date.now() - asked > late) && !s.recovered) changed()
    missed = false
    if (!s.recovered) for (const busId of rooms.keys()) s.emit("join-bus-room", { busId })
  })
  s.on("disconnect", (why) => {
    live.value = false
    missed = true
    if (why === "io server disconnect") void renewed(s) // the token has expired
  })
  s.on("connect_error", (e: Error & { data?: { statusCode?: number } }) => {
    live.value = false
    missed = true
    if (e.data?.statusCode === 401) void renewed(s)
    else if (!s.active) setTimeout(() => s.connect(), patience)
  })
  s.on("token-expiring", () => void prolong(s))
  s.onAny((event: string, payload: unknown) => listeners.get(event)?.forEach((fn) => fn(payload as never)))
}

/** Gives the socket a new token before its own expires. If there is none now, the socket connects again when it has expired. */
async function prolong(s: Socket): Promise<void> {
  const got = await keepAccess.renew().catch(() => false)
  if (got && s === socket) s.emit("authenticate", { token: keepAccess.token })
}

/** Connects again with a new token. If there is none, the session has ended and so does the socket. */
async function renewed(s: Socket): Promise<void> {
  try {
    if (s === socket && (await keepAccess.renew())) s.connect()
  } catch {
    setTimeout(() => { if (s === socket) s.connect() }, moment)
  }
}

effect(() => {
  if (me.value) return
  socket?.disconnect()
  socket = null
  opening = null
  missed = false
  live.value = false
})
