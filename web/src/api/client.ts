// The one way to call the service: adds the token, renews it, and turns every failure into a Fault.
import type { Input, PathsOf, Query, Reply } from "./contract"
import { t, language } from "../words/words"

/** A call that failed, in words for the person. */
export class Fault extends Error {
  constructor(
    readonly status: number, // 0: the network failed
    readonly code: string,
    message: string,
    readonly details: { field: string; message: string }[] = [],
    readonly retryAfter = 0,
  ) { super(message) }
  get offline(): boolean { return this.status === 0 }
  get conflict(): boolean { return this.status === 409 }
  /** Whether the same call may succeed later: no network, an overloaded or restarting server. */
  get temporary(): boolean { return this.offline || this.status >= 500 || [408, 425, 429].includes(this.status) || this.retryAfter > 0 }
}

/** How far this device's clock is behind the service's, in ms; 0 if about right. */
let behind = Number(localStorage.getItem("clock") ?? 0)
const aboutRight = 5_000

/** The moment by the service's clock: phones may be minutes wrong, and the later of two marks wins. */
export function now(): Date { return new Date(Date.now() + behind) }

function compareClocks(res: Response): void {
  const theirs = Date.parse(res.headers.get("Date") ?? "")
  if (!theirs) return
  const off = theirs + 500 - Date.now() // the header has whole seconds
  behind = Math.abs(off) > aboutRight ? off : 0
  if (behind) localStorage.setItem("clock", String(behind))
  else localStorage.removeItem("clock")
}

/** The access token. While it is renewed, calls wait for the new one. */
export const keepAccess: { token: string; renewing: Promise<boolean> | null; renew: () => Promise<boolean> } = { token: "", renewing: null, renew: async () => false }

export interface Options {
  path?: Record<string, string>
  query?: object
  key?: string // Idempotency-Key
  signal?: AbortSignal
  apart?: string // not in the browser's session, but with this access token; "" for none
}

export function get<P extends PathsOf<"get">>(path: P, query?: Query<P, "get">, o: Options = {}): Promise<Reply<P, "get">> {
  return call("GET", address(path, o.path, query), undefined, o) as Promise<Reply<P, "get">>
}
export function post<P extends PathsOf<"post">>(path: P, body?: Input<P, "post">, o: Options = {}): Promise<Reply<P, "post">> {
  return call("POST", address(path, o.path, o.query), body ?? {}, o) as Promise<Reply<P, "post">>
}
export function put<P extends PathsOf<"put">>(path: P, body: Input<P, "put">, o: Options = {}): Promise<Reply<P, "put">> {
  return call("PUT", address(path, o.path, o.query), body, o) as Promise<Reply<P, "put">>
}
export function remove<P extends PathsOf<"delete">>(path: P, o: Options = {}): Promise<Reply<P, "delete">> {
  return call("DELETE", address(path, o.path, o.query), undefined, o) as Promise<Reply<P, "delete">>
}

/** The address of a call, with its path parameters and query filled in. */
export function address(path: string, params: Record<string, string> = {}, query: object = {}): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ""))
  const q = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null && value !== "") q.append(name, String(value))
  }
  return q.size ? `${filled}?${q}` : filled
}

/** Downloads a file (CSV, PDF) and returns it with its name. */
export async function download(url: string): Promise<{ blob: Blob; name: string }> {
  const res = await send("GET", url, undefined, {})
  const name = /filename="?([^";]+)/.exec(res.headers.get("Content-Disposition") ?? "")?.[1] ?? "download"
  return { blob: await res.blob(), name }
}

/** Uploads a form with files. */
export async function upload(url: string, form: FormData, o: Options = {}): Promise<unknown> {
  return ((await (await send("POST", url, form, o)).json()) as { data: unknown }).data
}

async function call(method: string, url: string, body: unknown, o: Options): Promise<unknown> {
  const flat = url.startsWith("/auth/")
  const res = await send(method, url, body === undefined ? undefined : JSON.stringify(flat ? body : { data: body }), o)
  if (res.status === 204) return undefined
  const reply = (await res.json()) as { data?: unknown }
  return reply.data
}

const refresh = "/auth/refresh"

async function send(method: string, url: string, body: BodyInit | undefined, o: Options, again = false): Promise<Response> {
  const headers: Record<string, string> = { "Accept-Language": language() }
  if (o.apart === undefined && url !== refresh) await keepAccess.renewing
  const token = o.apart ?? keepAccess.token
  if (o.apart === undefined) headers["X-Homeroom-Web"] = "1"
  if (typeof body === "string") headers["Content-Type"] = "application/json"
  if (token) headers.Authorization = `Bearer ${token}`
  if (o.key) headers["Idempotency-Key"] = o.key
  let res: Response
  try {
    res = await fetch(url, { method, headers, body: body ?? null, signal: o.signal ?? null, credentials: o.apart === undefined ? "same-origin" : "omit" })
  } catch (e) {
    if (o.signal?.aborted) throw e
    throw new Fault(0, "OFFLINE", t("There is no connection. What you typed is kept; try again."))
  }
  compareClocks(res)
  if (res.ok) return res
  if (res.status === 401 && !again && o.apart === undefined && url !== refresh && (await keepAccess.renew())) return send(method, url, body, o, true)
  throw await faultOf(res)
}

async function faultOf(res: Response): Promise<Fault> {
  const wait = Number(res.headers.get("Retry-After") ?? 0)
  try {
    const e = (await res.json()) as { message: string; error: string; details?: { field: string; message: string }[] }
    return new Fault(res.status, e.error, e.message, e.details ?? [], wait)
  } catch {
    return new Fault(res.status, "UNREADABLE", t("The server did not answer properly. Try again in a moment."), [], wait)
  }
}
