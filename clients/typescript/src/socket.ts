// Live events. It needs socket.io-client, whose `io` the caller passes in: import { io } from "socket.io-client".
import type { io as connect, Socket } from "socket.io-client"
import { Fault } from "./fault.js"
import type { Homeroom } from "./index.js"

export interface NextStop { stopId: string; name: string; etaSeconds: number; distanceMeters: number }
export interface BusLocation {
  busId: string; tripId: string | null; lat: number; lng: number; speed: number; heading: number; timestamp: string; nextStop?: NextStop
}
export interface TripStatus { busId: string; tripId: string; status: string; at: string }
export interface BoardingStatus { busId: string; tripId: string; studentId: string; status: string; stopId: string | null; at: string }
export interface RoomLeft { schoolId: string; busId: string }

export interface Events {
  "bus-location": (e: BusLocation) => void
  "trip-status": (e: TripStatus) => void
  "boarding-status": (e: BoardingStatus) => void
  "room-left": (e: RoomLeft) => void // the right to watch the bus has ended
  [event: string]: (e: any) => void
}

interface Refusal { statusCode: number; error: string; message: string }
type Answer = { ok: true } | { ok: false; error: Refusal }

export interface Live {
  socket: Socket
  on<E extends keyof Events & string>(event: E, fn: Events[E]): void
  /** Joins the room of a bus, also after each reconnect. `refused` is called if the person may not watch it. */
  watch(busId: string, refused?: (why: Fault) => void): void
  unwatch(busId: string): void
  close(): void
}

const patience = 3_000 // ms until the next attempt after one that did not arrive

/** Opens the socket of a signed-in client. It connects with the newest access token and renews it before it expires. */
export function live(io: typeof connect, client: Pick<Homeroom, "url" | "access">): Live {
  const rooms = new Map<string, ((why: Fault) => void) | undefined>()
  const socket = io(client.url, { transports: ["websocket", "polling"], auth: (give) => give({ token: client.access.token }) })
  let closed = false

  async function renewed(): Promise<void> {
    try {
      if (await client.access.renew() && !closed) socket.connect()
    } catch {
      setTimeout(() => { if (!closed) socket.connect() }, patience)
    }
  }
  /** Gives the socket a new token before its own expires. If there is none now, it connects again when that has expired. */
  async function prolong(): Promise<void> {
    const got = await client.access.renew().catch(() => false)
    if (got && !closed) socket.emit("authenticate", { token: client.access.token })
  }
  function join(busId: string): void {
    socket.emit("join-bus-room", { busId }, (answer: Answer) => {
      if (!answer.ok) rooms.get(busId)?.(new Fault(answer.error.statusCode, answer.error.error, answer.error.message))
    })
  }

  socket.on("connect", () => { for (const busId of rooms.keys()) join(busId) })
  socket.on("token-expiring", () => void prolong())
  socket.on("disconnect", (why) => { if (why === "io server disconnect" && !closed) void renewed() }) // the token has expired
  socket.on("connect_error", (e: Error & { data?: Refusal }) => { if (e.data?.statusCode === 401) void renewed() })
  return {
    socket,
    on(event, fn) { socket.on(event as string, fn as (e: unknown) => void) },
    watch(busId, refused) {
      rooms.set(busId, refused)
      if (socket.connected) join(busId)
    },
    unwatch(busId) {
      if (rooms.delete(busId)) socket.emit("leave-bus-room", { busId })
    },
    close() { closed = true; socket.disconnect() },
  }
}
