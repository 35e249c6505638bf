// The service worker: opens the app without a network, and shows push messages. It keeps no data of people; files only.
declare const self: ServiceWorkerGlobalScope

const files = "homeroom-files"
const patience = 2_500 // ms until a slow network counts as none

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
  const fresh = fetch(request).then((r) => (r.ok ? r : kept))
  const late = new Promise<Response>((done) => setTimeout(() => done(kept), patience))
  return Promise.race([fresh, late]).catch(() => kept)
}

/** A push message as the service sends it. */
interface Message { title?: string; body?: string; tag?: string; url?: string }

self.addEventListener("push", (e) => {
  const m = (e.data?.json() ?? {}) as Message
  e.waitUntil(self.registration.showNotification(m.title ?? "Homeroom", { body: m.body ?? "", data: { url: m.url ?? "/app/" }, icon: "/app/icon-192.png", ...(m.tag && { tag: m.tag }) }))
})

self.addEventListener("notificationclick", (e) => {
  e.notification.close()
  const { url } = e.notification.data as { url: string }
  e.waitUntil(open(new URL(url, self.location.origin).pathname.startsWith("/app") ? url : "/app/"))
})

async function open(url: string): Promise<void> {
  const [shown] = await self.clients.matchAll({ type: "window" })
  if (!shown) { await self.clients.openWindow(url); return }
  await shown.focus()
  shown.postMessage({ open: url })
}
