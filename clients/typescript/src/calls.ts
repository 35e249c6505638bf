// Calls of the service: adds the token, renews it, and turns every failure into a Fault. The web app and index.ts are built on it.
import type { Input, PathsOf, Query, Reply } from "./contract.js"
import { Fault, faultOf } from "./fault.js"

/** The access token. While it is renewed, calls wait for the new one. */
export interface Access {
  token: string
  renewing: Promise<boolean> | null
  renew: () => Promise<boolean> // false: the session has ended; throws a Fault if nobody can tell
}

export interface Settings {
  url?: string // of the service; default: the page's own origin
  access: Access
  cookie?: boolean // the refresh token is in a cookie, for pages of the service's own origin
  headers?: () => Record<string, string>
  fetch?: typeof globalThis.fetch
  key?: () => string // makes the Idempotency-Key of a POST or PUT without one
  received?: (res: Response) => void
  words: { offline: () => string; unreadable: () => string } // messages of failures without an answer
}

export interface Options {
  path?: Record<string, string>
  query?: object
  key?: string // Idempotency-Key
  signal?: AbortSignal
  apart?: string // outside the session, with this access token; "" for none
}

export interface Calls {
  get<P extends PathsOf<"get">>(path: P, query?: Query<P, "get">, o?: Options): Promise<Reply<P, "get">>
  post<P extends PathsOf<"post">>(path: P, body?: Input<P, "post">, o?: Options): Promise<Reply<P, "post">>
  put<P extends PathsOf<"put">>(path: P, body: Input<P, "put">, o?: Options): Promise<Reply<P, "put">>
  remove<P extends PathsOf<"delete">>(path: P, o?: Options): Promise<Reply<P, "delete">>
  /** Downloads a file (CSV, PDF) and returns it with its name. */
  download(url: string): Promise<{ blob: Blob; name: string }>
  /** Uploads a form with files. */
  upload(url: string, form: FormData, o?: Options): Promise<unknown>
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

const refresh = "/auth/refresh"

/** Whether a call failed for want of a valid token, and not because of a password, PIN or code in it: sent again, that would count twice. */
function needsToken(res: Response, method: string, path: string, sent: string): boolean {
  if (res.status !== 401) return false
  return sent ? !!res.headers.get("WWW-Authenticate")?.includes("invalid_token") : method === "GET" || !path.startsWith("/auth/")
}

export function calls(s: Settings): Calls {
  async function send(method: string, path: string, body: BodyInit | undefined, o: Options, again = false): Promise<Response> {
    const inSession = o.apart === undefined
    const headers: Record<string, string> = { ...s.headers?.() }
    if (inSession && path !== refresh) await s.access.renewing
    const token = o.apart ?? s.access.token
    if (s.cookie && inSession) headers["X-Homeroom-Web"] = "1"
    if (typeof body === "string") headers["Content-Type"] = "application/json"
    if (token) headers.Authorization = `Bearer ${token}`
    if (o.key) headers["Idempotency-Key"] = o.key
    let res: Response
    try {
      const init: RequestInit = { method, headers, body: body ?? null, signal: o.signal ?? null, credentials: s.cookie && inSession ? "same-origin" : "omit" }
      res = await (s.fetch ?? fetch)((s.url ?? "") + path, init)
    } catch (e) {
      if (o.signal?.aborted) throw e
      throw new Fault(0, "OFFLINE", s.words.offline())
    }
    s.received?.(res)
    if (res.ok) return res
    if (!again && inSession && path !== refresh && needsToken(res, method, path, token) && (await s.access.renew())) return send(method, path, body, o, true)
    throw await faultOf(res, s.words.unreadable())
  }

  /** Sends what changes something, under a key of its own: when it is sent again, it is still done once. */
  function change(method: string, path: string, body: BodyInit | undefined, o: Options): Promise<Response> {
    const key = o.key ?? s.key?.()
    return send(method, path, body, key === undefined ? o : { ...o, key })
  }

  async function reply(res: Promise<Response>): Promise<never> {
    const r = await res
    if (r.status === 204) return undefined as never
    try {
      return ((await r.json()) as { data?: unknown }).data as never
    } catch {
      throw new Fault(0, "OFFLINE", s.words.offline()) // the connection broke within the answer
    }
  }

  function json(path: string, body: unknown): string { return JSON.stringify(path.startsWith("/auth/") ? body : { data: body }) }

  return {
    get: (path, query, o = {}) => reply(send("GET", address(path, o.path, query), undefined, o)),
    post: (path, body, o = {}) => reply(change("POST", address(path, o.path, o.query), json(path, body ?? {}), o)),
    put: (path, body, o = {}) => reply(change("PUT", address(path, o.path, o.query), json(path, body), o)),
    remove: (path, o = {}) => reply(send("DELETE", address(path, o.path, o.query), undefined, o)),
    upload: (url, form, o = {}) => reply(change("POST", url, form, o)),
    async download(url) {
      const res = await send("GET", url, undefined, {})
      const name = /filename="?([^";]+)/.exec(res.headers.get("Content-Disposition") ?? "")?.[1] ?? "download"
      return { blob: await res.blob(), name }
    },
  }
}
