// The service worker: opens the app without a network, and shows push messages. It keeps no data of people; files only.
declare const self: ServiceWorkerGlobalScope

const files = "homeroom-files"
const patience = 1_000 // ms until a slow network counts as none

self.addEventListener("install", () => void self.skipWaiting())
self.addEventListener("activate", (e) => e.waitUntil(self.clients.claim()))

self.addEventListener("fetch", (e) => {
  const url = new URL(e.request.url)
  if (e.request.method !== "GET" || url.origin !== self.location.origin) return
  if (url.pathname.startsWith("/app/assets/")) e.respondWith(file(e.request))
  else if (e.request.mode === "navigate" && /^\/app(\/|$)/.test(url.pathname)) e.respondWith(page(e.request))
})

/** A file's name has a hash of its content: what is kept is right. */
async function file(request: Request): Promise<Response> { return (await caches.match(request)) ?? fetch(request) }

/** The page from the network, or the kept one if the network is gone or slow. */
async function page(request: Request): Promise<Response> {
  const kept = await caches.match("/app/")
  if (!kept) return fetch(request)
  if (!navigator.onLine) return kept
  const fresh = fetch(request).then((r) => (r.ok ? r : kept))
  const late = new Promise<Response>((done) => setTimeout(() => done(kept), patience))
  return Promise.race([fresh, late]).catch(() => kept)
}

/** A push message as the service sends it. */
interface Message { title?: string; body?: string; lang?: string; tag?: string; badge?: number; data?: { type?: string; id?: string; studentId?: string } }

self.addEventListener("push", (e) => {
  const m = (e.data?.json() ?? {}) as Message
  const count = (navigator as unknown as { setAppBadge?: (n: number) => Promise<void> }).setAppBadge
  e.waitUntil(Promise.all([
    self.registration.showNotification(m.title ?? "Homeroom", { body: m.body ?? "", data: { url: address(m) }, icon: "/app/icon-192.png", ...(m.lang && { lang: m.lang }), ...(m.tag && { tag: m.tag }) }),
    m.badge === undefined ? undefined : count?.call(navigator, m.badge).catch(() => {}),
  ]))
})

/** Where a message leads: the page of the notifications knows which page of the role shows the record. */
function address(m: Message): string {
  const q = new URLSearchParams()
  for (const [name, value] of [["type", m.data?.type], ["id", m.data?.id], ["student", m.data?.studentId]] as const) if (value) q.set(name, value)
  return q.size ? `/app/notifications?${q}` : "/app/notifications"
}

self.addEventListener("notificationclick", (e) => {
  e.notification.close()
  e.waitUntil(open((e.notification.data as { url: string }).url))
})

async function open(url: string): Promise<void> {
  const [shown] = await self.clients.matchAll({ type: "window" })
  if (!shown) { await self.clients.openWindow(url); return }
  await shown.focus()
  shown.postMessage({ open: url })
}
