// A client of the service for apps and scripts: it keeps the tokens, renews them, and repeats what was lost on the way.
import { calls, type Access, type Calls } from "./calls.js"
import type { Reply } from "./contract.js"
import { Fault } from "./fault.js"
import { retrying } from "./retry.js"

export { address, type Access, type Calls, type Options } from "./calls.js"
export type * from "./contract.js"
export { Fault, type Detail } from "./fault.js"

export interface Tokens { accessToken: string; refreshToken: string }
export type SignedIn = Reply<"/auth/login", "post">

export interface Configuration {
  url: string
  language?: string // of messages: "es"
  tokens?: Tokens | null // of an earlier visit
  keep?: (tokens: Tokens | null) => void // stores them, or forgets them at the end of the session
  attempts?: number // of a call that fails for a passing reason; default 4
}

export interface Homeroom extends Calls {
  readonly url: string
  readonly access: Access
  /** Signs in with e-mail and password. Teachers, parents and drivers: `enter` the reply of verify-otp or verify-pin. */
  signIn(email: string, password: string): Promise<SignedIn>
  /** Takes over the tokens of a sign-in. A reply with `secondFactor` has none: enter that of /auth/second-factor. */
  enter<T extends Partial<Tokens>>(reply: T): T
  signOut(): Promise<void>
}

export function homeroom(c: Configuration): Homeroom {
  const url = c.url.replace(/\/+$/, "")
  let refreshToken = c.tokens?.refreshToken ?? ""
  const access: Access = { token: c.tokens?.accessToken ?? "", renewing: null, renew }
  const api = calls({
    url, access, fetch: retrying(c.attempts), key: () => crypto.randomUUID(),
    headers: (): Record<string, string> => (c.language ? { "Accept-Language": c.language } : {}),
    words: { offline: () => "There is no connection.", unreadable: () => "The server did not answer properly." },
  })

  function take(t: Tokens | null): void {
    access.token = t?.accessToken ?? ""
    refreshToken = t?.refreshToken ?? ""
    c.keep?.(t)
  }

  // Calls that fail together share one renewal, because each refresh token works once.
  function renew(): Promise<boolean> { return (access.renewing ??= exchange().finally(() => { access.renewing = null })) }

  let renewal = "" // the key of a renewal that was not answered: sent again with it, the session goes on
  async function exchange(): Promise<boolean> {
    if (!refreshToken) return false
    renewal ||= crypto.randomUUID()
    try {
      take((await api.post("/auth/refresh", { refreshToken }, { key: renewal })) as Tokens)
      renewal = ""
      return true
    } catch (e) {
      if (e instanceof Fault && e.temporary) throw e // the session may go on
      renewal = ""
      take(null)
      return false
    }
  }

  function enter<T extends Partial<Tokens>>(reply: T): T {
    if (reply.accessToken && reply.refreshToken) take({ accessToken: reply.accessToken, refreshToken: reply.refreshToken })
    return reply
  }

  return {
    ...api, url, access, enter,
    signIn: async (email, password) => enter(await api.post("/auth/login", { email, password }, { apart: "" })),
    async signOut() {
      try { await api.post("/auth/logout", {}) } finally { take(null) }
    },
  }
}
