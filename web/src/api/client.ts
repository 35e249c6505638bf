// The one way to call the service: the calls of clients/typescript, in the browser's session and the person's language.
import { address, calls, type Access, type Calls, type Options } from "../../../clients/typescript/src/calls.js"
import { t, language } from "../words/words"

export { address, type Options } from "../../../clients/typescript/src/calls.js"
export { Fault } from "../../../clients/typescript/src/fault.js"

let behind = Number(localStorage.getItem("clock") ?? 0)
const aboutRight = 5_000

/** How far this device's clock is behind the service's, in ms; 0 if about right. */
export function clockBehind(): number { return behind }
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
export const keepAccess: Access = { token: "", renewing: null, renew: async () => false }

const service = calls({
  access: keepAccess, cookie: true, received: compareClocks,
  headers: () => ({ "Accept-Language": language() }),
  words: {
    offline: () => t("There is no connection. What you typed is kept; try again."),
    unreadable: () => t("The server did not answer properly. Try again in a moment."),
  },
})

export const { get, remove, download, upload } = service
export const post: Calls["post"] = (path, body, o) => service.post(path, body, keyed(path, body, o))
export const put: Calls["put"] = (path, body, o) => service.put(path, body, keyed(path, body, o))

/** Makes the Idempotency-Key of a call from that of its form and from what is sent: the same once more is the same call, changed it is another. */
function keyed(path: string, body: unknown, o: Options = {}): Options {
  if (!o.key) return o
  let sum = 2166136261 // FNV-1a
  for (const c of address(path, o.path, o.query) + JSON.stringify(body ?? {})) sum = Math.imul(sum ^ c.codePointAt(0)!, 16777619)
  return { ...o, key: `${o.key}-${(sum >>> 0).toString(36)}` }
}
