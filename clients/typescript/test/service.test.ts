// Against a running demo, whose address is in HOMEROOM_URL: scripts/clients.sh test typescript.
import assert from "node:assert/strict"
import { after, before, test } from "node:test"
import { io } from "socket.io-client"
import { Fault, homeroom, type Reply, type Tokens } from "../src/index.js"
import { retrying } from "../src/retry.js"
import { live, type BusLocation } from "../src/socket.js"

const url = process.env.HOMEROOM_URL
assert.ok(url, "HOMEROOM_URL is the address of a demo service")
let kept: Tokens | null = null
const office = homeroom({ url, keep: (t) => { kept = t } })

before(async () => {
  const { user } = await office.signIn("admin@greenfield.test", "homeroom-demo")
  assert.equal(user?.role, "SCHOOL_ADMIN")
})
after(async () => {
  await office.signOut()
  assert.equal(kept, null)
  await assert.rejects(office.get("/auth/me"), (e) => e instanceof Fault && e.statusCode === 401)
})

test("lists students and marks one", async () => {
  const { items, total } = await office.get("/school-admin/student/list", { limit: 3, status: "ACTIVE" })
  assert.equal(items.length, 3)
  assert.ok(total > 3)
  const [student] = items
  const { school } = await office.get("/auth/me")
  const date = new Intl.DateTimeFormat("en-CA", { timeZone: school.timezone }).format()
  const marked = await office.post("/school-admin/attendance/mark", {
    classId: student!.classId!, date, records: [{ studentId: student!.id, status: "LATE", minutesLate: 5 }], quiet: true,
  })
  assert.equal(marked.marked, 1)
  const register = await office.get("/school-admin/attendance/list", { classId: student!.classId!, date, limit: 100 })
  assert.equal(register.items.find((r) => r.studentId === student!.id)?.status, "LATE")
})

test("uploads a file once under one key, and downloads it", async () => {
  const form = () => {
    const f = new FormData()
    f.append("file", new Blob(["Bring a raincoat.\n"], { type: "text/plain" }), "note.txt")
    return f
  }
  const key = crypto.randomUUID()
  const file = (await office.upload("/school-admin/file/upload", form(), { key })) as Reply<"/school-admin/file/upload", "post">
  assert.equal(file.name, "note.txt")
  const { blob, name } = await office.download(`/file/${file.id}`)
  assert.equal(await blob.text(), "Bring a raincoat.\n")
  assert.equal(name, "note.txt")
})

test("a repeated call is done once", async () => {
  const key = crypto.randomUUID()
  const body = { title: `Sports day ${key}`, eventDate: "2027-05-04" }
  const first = await office.post("/school-admin/event/create", body, { key })
  const again = await office.post("/school-admin/event/create", body, { key })
  assert.equal(again.id, first.id)
  await office.remove("/school-admin/event/{id}", { path: { id: first.id } })
})

test("failures have a status and details", async () => {
  await assert.rejects(office.post("/school-admin/event/create", { title: "", eventDate: "soon" }), (e) => {
    assert.ok(e instanceof Fault)
    assert.equal(e.statusCode, 422)
    assert.deepEqual(e.details.map((d) => d.field).sort(), ["eventDate", "title"])
    return true
  })
  const nobody = homeroom({ url: "http://127.0.0.1:1", attempts: 1 })
  await assert.rejects(nobody.get("/auth/setup"), (e) => e instanceof Fault && e.offline && e.temporary)
})

test("calls that find the token expired share one renewal", async () => {
  const before = kept!.refreshToken
  office.access.token = "expired"
  await Promise.all([office.get("/auth/me"), office.get("/school-admin/student/list"), office.get("/school-admin/event/list")])
  assert.notEqual(kept!.refreshToken, before)
})

test("a wrong password is tried once", async () => {
  const before = kept!.refreshToken
  const body = { currentPassword: "not the password", newPassword: "another long password" }
  await assert.rejects(office.post("/auth/change-password", body), (e) => e instanceof Fault && e.statusCode === 401)
  assert.equal(kept!.refreshToken, before)
})

test("sends again only what is safe", async () => {
  let sent = 0
  const busy = (async () => { sent++; return new Response("{}", { status: 503 }) }) as typeof fetch
  const send = retrying(2, busy)
  for (const [init, times] of [[{}, 2], [{ method: "POST" }, 1], [{ method: "POST", headers: { "Idempotency-Key": "k" } }, 2], [{ method: "DELETE" }, 1]] as const) {
    sent = 0
    assert.equal((await send("/", init)).status, 503)
    assert.equal(sent, times, JSON.stringify(init))
  }
})

test("watches a bus", async () => {
  const { items } = await office.get("/school-admin/transport/live")
  const bus = items[0]!.bus // the demo drives one
  office.access.token = "expired" // the socket renews it, too
  const socket = live(io, office)
  try {
    const seen = await new Promise<BusLocation>((done, fail) => {
      socket.on("bus-location", done)
      socket.watch(bus.id, fail)
      setTimeout(() => fail(new Error("the bus did not move within a minute")), 60_000).unref()
    })
    assert.equal(seen.busId, bus.id)
    const refused = await new Promise<Fault>((done) => socket.watch(crypto.randomUUID(), done))
    assert.equal(refused.statusCode, 404)
    const before = office.access.token
    const agreed = new Promise<string>((done) => socket.socket.onAnyOutgoing((event, sent: { token: string }) => { if (event === "authenticate") done(sent.token) }))
    for (const expiring of socket.socket.listeners("token-expiring")) expiring({}) // as the service says it a minute ahead
    assert.equal(await agreed, office.access.token)
    assert.notEqual(office.access.token, before)
  } finally {
    socket.close()
  }
})
