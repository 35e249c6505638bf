// Who is signed in. The access token is kept in memory only; the refresh token is in a cookie that scripts can't read.
import { computed, signal } from "@preact/signals"
import { keepAccess, post, get, Fault } from "./client"
import type { Reply } from "./contract"
import { deviceId } from "./device"
import { unsubscribe } from "./push"
import { locks, unlockApp, verified } from "./unlock"
import { destroy, forgetSeen, openFor, recall, remember, reopen } from "./vault"

export type Me = Reply<"/auth/me", "get">
export type SignedIn = Reply<"/auth/login", "post">

/** What every role learns of its school. */
export type School = Reply<"/parent/school", "get">

export const me = signal<Me | null>(null)
/** The school of the signed-in person; null for the platform. */
export const school = signal<School | null>(null)
/** Where the school is on the map, if it has said so. */
export function schoolPlace(): { lat: number; lng: number } | undefined {
  const { lat, lng } = school.value ?? {}
  return typeof lat === "number" && typeof lng === "number" ? { lat, lng } : undefined
}
const schools: Record<string, () => Promise<School>> = {
  SCHOOL_ADMIN: () => get("/school-admin/school"), TEACHER: () => get("/teacher/school"), PARENT: () => get("/parent/school"), DRIVER: () => get("/driver/school"),
}
/** The roles that use a phone: what they have seen is kept on it. */
export const pocket = ["TEACHER", "PARENT", "DRIVER"]
/** Whether this visit began with a code from a text message: the time to choose a PIN. */
export const byCode = signal(false)
/** False until the first attempt to renew a session of an earlier visit has ended. */
export const known = signal(false)
export const role = computed(() => me.value?.user.role)

/** Whose session has ended without a sign-out, until the next sign-in or sign-out. */
export const ended = signal<string | undefined>(undefined)

/** Whether the signed-in person may read, write or delete in a module. */
export function may(action: "read" | "write" | "delete", module: string): boolean {
  const grant = me.value?.permissions?.find((p) => p.module === module)
  return !!grant && (action === "read" ? grant.canRead : action === "write" ? grant.canWrite : grant.canDelete)
}

// A mark that this browser has a session, with the role, so that a stranger's first visit asks for none. The session itself is in the cookie.
const mark = "session"

/** The role whose pages will be needed, before the account is loaded. */
export const expected = signal<string | null>(localStorage.getItem(mark))

/** Takes over the tokens of a sign-in and loads the account. */
export async function enter(reply: SignedIn): Promise<void> {
  lock(false)
  keepAccess.token = reply.accessToken ?? ""
  expected.value = reply.user?.role ?? null
  await loadAccount()
  known.value = true
}

/** Loads the account and its school again, after one of them was changed. */
export async function loadAccount(): Promise<void> {
  const before = expected.value
  const opened = pocket.includes(before ?? "") ? openFor(ownerOf(keepAccess.token)) : undefined
  const [account, own] = await Promise.all([get("/auth/me"), schools[before ?? ""]?.().catch(() => undefined), opened])
  const { id, role } = account.user
  school.value = (role === before && own) || (await schools[role]?.()) || null
  if (pocket.includes(role)) await openFor(id)
  void remember("account", { account, school: school.value })
  me.value = account
  expected.value = role
  localStorage.setItem(mark, role)
}

/** Opens the account as it was last seen on this phone, unless it was loaded meanwhile. */
async function reopenAccount(): Promise<void> {
  const kept = (await reopen()) ? await recall<{ account: Me; school: School | null }>("account") : undefined
  if (!kept || me.value || !localStorage.getItem(mark)) return
  if (keepAccess.token && ownerOf(keepAccess.token) !== kept.value.account.user.id) return
  school.value = kept.value.school
  me.value = kept.value.account
  known.value = true
}

// The lock is shared by all tabs of the browser, and a page that is loaded again stays locked.
const lockMark = "locked"
const openMark = "opened" // this tab was unlocked
/** Notes the time at which the person was last here, in any tab. */
export function active(): void { localStorage.setItem("active", String(Date.now())) }
export function lastActive(): number { return Number(localStorage.getItem("active")) }

/** Whether the screen is covered until the person has shown the password or PIN again. */
export const locked = signal(localStorage.getItem(lockMark) !== null || (locks() && !sessionStorage.getItem(openMark)))
export function lock(on: boolean): void {
  if (on) localStorage.setItem(lockMark, "yes")
  else { localStorage.removeItem(lockMark); sessionStorage.setItem(openMark, "yes"); active() }
  locked.value = on
}
addEventListener("storage", (e) => { if (e.key === lockMark || e.key === null) locked.value = localStorage.getItem(lockMark) !== null })

/** Opens the lock with the person's own password or PIN. The session goes on; the one that the check has opened is ended at once. */
export async function unlock(secret: string, byPIN: boolean): Promise<void> {
  const { user, school } = me.value!
  const reply = byPIN
    ? await post("/auth/verify-pin", { phone: user.phone!, pin: secret, role: user.role, schoolId: school.id, deviceId: deviceId() }, { apart: "" })
    : await post("/auth/login", { email: user.email!, password: secret, deviceId: deviceId() }, { apart: "" })
  const { accessToken } = reply as SignedIn // none if a second factor is left, which the session has passed already
  if (accessToken) await post("/auth/logout", undefined, { apart: accessToken }).catch(() => {})
  lock(false)
}

/** Opens the lock by fingerprint or face, also without a network. */
export async function recognize(signal: AbortSignal): Promise<void> { if (await verified(signal)) lock(false) }

/** Tries to go on with the session of an earlier visit. A phone shows what was last seen, while the network answers or does not. */
export async function resume(): Promise<void> {
  if (leaving.value) void endSession()
  const reopened = pocket.includes(expected.value ?? "") ? reopenAccount() : undefined
  try {
    const renewed = !!localStorage.getItem(mark) && (await keepAccess.renew())
    await reopened
    if (renewed) await loadAccount()
  } catch (e) {
    if (!(e instanceof Fault && e.temporary)) throw e
    await reopened
  } finally {
    known.value = true
  }
}

// A sign-out that the service has not answered yet. Until it has, the cookie would open the session again.
const outMark = "leaving"
/** What is left of a sign-out: the call is under way, or it has failed and is made again. Nobody signs in meanwhile. */
export const leaving = signal<"" | "asking" | "failed">(localStorage.getItem(outMark) ? "asking" : "")
addEventListener("storage", (e) => {
  if (e.key !== outMark && e.key !== null) return
  leaving.value = e.newValue ? "asking" : ""
  if (e.newValue) void endSession()
})

/** Forgets the person at once, and ends the session. */
export async function leave(): Promise<void> {
  localStorage.setItem(outMark, "yes")
  localStorage.removeItem(mark)
  leaving.value = "asking"
  ended.value = undefined
  me.value = null
  unlockApp()
  lock(false)
  shared.postMessage("left")
  void unsubscribe()
  await Promise.all([destroy(), endSession()])
  keepAccess.token = ""
}

/** Ends the session that was signed out of, unless another tab has done it. */
export async function endSession(): Promise<void> {
  await navigator.locks.request("homeroom-leave", async () => {
    const fault: unknown = localStorage.getItem(outMark) && (await post("/auth/logout").catch((e: unknown) => e))
    if (fault instanceof Fault && fault.temporary) { leaving.value = "failed"; return }
    localStorage.removeItem(outMark)
    leaving.value = ""
  })
}

const shared = new BroadcastChannel("homeroom-session")
shared.onmessage = () => { keepAccess.token = ""; ended.value = undefined; me.value = null; void forgetSeen() }

// One tab renews at a time, because each refresh token works once.
keepAccess.renew = () => (keepAccess.renewing ??= alone().finally(() => { keepAccess.renewing = null }))

async function alone(): Promise<boolean> { return navigator.locks.request("homeroom-renew", renew) }

// The Idempotency-Key of a renewal that was sent and not answered. Sent again with it, also after a restart, the session goes on.
const renewal = "renewal"

async function renew(): Promise<boolean> {
  if (!localStorage.getItem(mark)) return false // a call that was under way at sign-out asks for no session
  try {
    keepAccess.token = ""
    const key = localStorage.getItem(renewal) ?? crypto.randomUUID()
    localStorage.setItem(renewal, key)
    const reply = await post("/auth/refresh", {} as never, { key }) // the cookie says which session
    localStorage.removeItem(renewal)
    const { accessToken = "" } = reply
    if (me.value && accessToken && ownerOf(accessToken) !== me.value.user.id) { // another tab has signed in as somebody else
      await forgetSeen()
      location.replace("/app/")
      return false
    }
    keepAccess.token = accessToken
    return accessToken !== ""
  } catch (e) {
    if (e instanceof Fault && e.temporary) throw e // the session may go on
    localStorage.removeItem(renewal)
    localStorage.removeItem(mark)
    unlockApp()
    ended.value = me.value?.user.id
    me.value = null
    await forgetSeen()
    return false
  }
}

/** The user that an access token is for. */
function ownerOf(token: string): string {
  const claims = token.split(".")[1]!.replaceAll("-", "+").replaceAll("_", "/")
  return (JSON.parse(atob(claims)) as { sub: string }).sub
}
