// What a phone keeps for times without a network, in IndexedDB. It is encrypted by a key that scripts can use but not read;
// the key is made at sign-in and destroyed at sign-out, and what was kept can't be read after that.

interface Owner { user: string; key: CryptoKey }
interface Sealed { iv: Uint8Array<ArrayBuffer>; data: ArrayBuffer; at: number }

type Room = "owner" | "seen" | "waiting" // keyed by user; by user and name; by user and number, drafts by user and name

let opening: Promise<IDBDatabase> | null = null
let owner: Owner | null = null

/** Whether this browser can keep anything: the page must come over HTTPS or from this machine. */
export const able = isSecureContext && "indexedDB" in globalThis

/** Whether things are kept at this moment: somebody with a phone's role is signed in. */
export function keeping(): boolean { return owner !== null }

function open(): Promise<IDBDatabase> {
  return (opening ??= new Promise((done, fail) => {
    const req = indexedDB.open("homeroom", 1)
    req.onupgradeneeded = () => {
      req.result.createObjectStore("owner")
      req.result.createObjectStore("seen")
      req.result.createObjectStore("waiting")
    }
    req.onsuccess = () => done(req.result)
    req.onerror = () => fail(req.error!)
  }))
}

/** Runs one request in a transaction of its own, and waits until the result is on disk. */
async function run<T>(room: Room, mode: IDBTransactionMode, ask: (s: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  const db = await open()
  return new Promise((done, fail) => {
    const tx = db.transaction(room, mode, { durability: "strict" })
    const req = ask(tx.objectStore(room))
    tx.oncomplete = () => done(req.result)
    tx.onabort = () => fail(tx.error!)
  })
}

async function read<T>(room: Room, name: IDBValidKey): Promise<T | undefined> { return run(room, "readonly", (s) => s.get(name) as IDBRequest<T | undefined>) }

/** Opens what this person has kept, with a new key at the first sign-in. */
export async function openFor(user: string): Promise<void> {
  if (!able || owner?.user === user) return
  let key = (await read<Owner>("owner", user))?.key
  if (!key) {
    key = await crypto.subtle.generateKey({ name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"])
    await run("owner", "readwrite", (s) => s.put({ user, key }, user))
  }
  await run("owner", "readwrite", (s) => s.put(user, "last"))
  owner = { user, key }
}

/** Opens what the last person on this device has kept, without a network. Returns false if there is nothing. */
export async function reopen(): Promise<boolean> {
  if (!able) return false
  const last = await read<string>("owner", "last")
  owner = (last && (await read<Owner>("owner", last))) || null
  return owner !== null
}

/** Destroys the key and everything that this person has kept: at sign-out. */
export async function destroy(): Promise<void> {
  const gone = owner?.user
  await forgetSeen()
  if (!gone) return
  await run("waiting", "readwrite", (s) => s.delete(IDBKeyRange.bound([gone], [gone, []])))
  await run("owner", "readwrite", (s) => s.delete(gone))
}

/** Destroys what was seen, because the session has ended. What waits to be sent stays for the same person's next sign-in. */
export async function forgetSeen(): Promise<void> {
  owner = null
  if (!able) return
  await run("seen", "readwrite", (s) => s.clear())
  await run("owner", "readwrite", (s) => s.delete("last"))
}

async function seal(value: unknown, at = Date.now()): Promise<Sealed> {
  const iv = crypto.getRandomValues(new Uint8Array(12))
  const data = await crypto.subtle.encrypt({ name: "AES-GCM", iv }, owner!.key, new TextEncoder().encode(JSON.stringify(value)))
  return { iv, data, at }
}

async function unseal<T>(s: Sealed): Promise<T> {
  const raw = await crypto.subtle.decrypt({ name: "AES-GCM", iv: s.iv }, owner!.key, s.data)
  return JSON.parse(new TextDecoder().decode(raw)) as T
}

/** Keeps the newest answer under a name, with the time of its loading. */
export async function remember(name: string, value: unknown, at = Date.now()): Promise<void> {
  if (!owner) return
  const user = owner.user
  const sealed = await seal(value, at)
  if (owner?.user === user) await run("seen", "readwrite", (s) => s.put(sealed, [user, name])) // not after sign-out
}

/** What was kept under a name, and when. */
export async function recall<T>(name: string): Promise<{ value: T; at: number } | undefined> {
  if (!owner) return undefined
  const sealed = await read<Sealed>("seen", [owner.user, name])
  if (!sealed || !owner) return undefined
  const value = await unseal<T>(sealed).catch(() => undefined) // another tab has kept it by a key that is destroyed since
  return value === undefined ? undefined : { value, at: sealed.at }
}

/** Destroys what was kept under a name. */
export async function drop(name: string): Promise<void> {
  if (!owner) return
  const user = owner.user
  await run("seen", "readwrite", (s) => s.delete([user, name]))
}

/** Destroys what was seen except under these names, because a right has ended. */
export async function dropBut(names: string[]): Promise<void> {
  if (!owner) return
  const user = owner.user
  const kept = (await run("seen", "readonly", (s) => s.getAllKeys(IDBKeyRange.bound([user], [user, []])))) as [string, string][]
  for (const [, name] of kept) if (!names.includes(name)) await run("seen", "readwrite", (s) => s.delete([user, name]))
}

/** Something unfinished, by its name. Without a value it is taken away. */
export interface Draft { name: string; value?: unknown }

/** Adds something that waits to be sent, or writes it anew, and changes drafts in the same step. It is on disk when the promise resolves. */
export async function keepWaiting(id: number, value: unknown, drafts: Draft[] = []): Promise<void> { await write([...drafts, { name: id, value }]) }

/** Keeps what was entered but not sent, or takes it away. It stays for the same person's next sign-in. */
export async function keepDrafts(...drafts: Draft[]): Promise<void> { if (owner) await write(drafts) }

async function write(entries: { name: string | number; value?: unknown }[]): Promise<void> {
  const user = owner!.user
  const sealed = await Promise.all(entries.map((e) => (e.value === undefined ? undefined : seal(e.value))))
  await run("waiting", "readwrite", (s) => entries.map((e, i): IDBRequest => (sealed[i] ? s.put(sealed[i], [user, e.name]) : s.delete([user, e.name]))).at(-1)!)
}

/** What was entered but not sent. */
export async function draft<T>(name: string): Promise<T | undefined> {
  if (!owner) return undefined
  const sealed = await read<Sealed>("waiting", [owner.user, name])
  return sealed && owner ? unseal<T>(sealed) : undefined
}

/** The drafts whose names begin so. */
export async function drafts<T>(start: string): Promise<T[]> {
  if (!owner) return []
  const found = await run<Sealed[]>("waiting", "readonly", (s) => s.getAll(IDBKeyRange.bound([owner!.user, start], [owner!.user, start + "\uffff"])) as IDBRequest<Sealed[]>)
  return Promise.all(found.map((s) => unseal<T>(s)))
}

/** The names of all drafts. */
export async function draftNames(): Promise<string[]> {
  if (!owner) return []
  const { user } = owner
  return ((await run("waiting", "readonly", (s) => s.getAllKeys(IDBKeyRange.bound([user, ""], [user, []])))) as [string, string][]).map(([, name]) => name)
}

/** Everything that waits, oldest first. */
export async function allWaiting<T>(): Promise<{ id: number; value: T }[]> {
  if (!owner) return []
  const mine = IDBKeyRange.bound([owner.user], [owner.user, ""]) // numbers; drafts have names
  let keys!: IDBRequest<IDBValidKey[]>
  const sealed = await run<Sealed[]>("waiting", "readonly", (s) => { keys = s.getAllKeys(mine); return s.getAll(mine) as IDBRequest<Sealed[]> })
  const ids = keys.result as [string, number][]
  const all = await Promise.all(sealed.map((s) => unseal<T>(s)))
  return all.map((value, i) => ({ id: ids[i]![1], value }))
}

export async function dropWaiting(id: number): Promise<void> {
  if (!owner) return
  const user = owner.user
  await run("waiting", "readwrite", (s) => s.delete([user, id]))
}
