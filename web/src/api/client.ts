// The one way to call the service: the calls of clients/typescript, in the browser's session and the person's language.
import { calls, type Access } from "../../../clients/typescript/src/calls.js"
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

export const { get, post, put, remove, download, upload } = calls({
  access: keepAccess, cookie: true, received: compareClocks,
  headers: () => ({ "Accept-Language": language() }),
  words: {
    offline: () => t("There is no connection. What you typed is kept; try again."),
    unreadable: () => t("The server did not answer properly. Try again in a moment."),
  },
})
