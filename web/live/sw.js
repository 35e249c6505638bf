// Caches /live and the app's files that it loads, so that the page opens without a network. API replies are never cached.
const KEEP = "homeroom-live-2"
const ASSETS = "/app/assets/" // their names have a hash of their content

self.addEventListener("install", (e) => {
  e.waitUntil((async () => {
    const cache = await caches.open(KEEP)
    const page = await fetch("/live")
    const files = (await page.clone().text()).match(/\/app\/assets\/[\w.-]+/g) ?? []
    await Promise.all([cache.put("/live", page), cache.addAll([...new Set(files)])])
    await self.skipWaiting()
  })())
})

self.addEventListener("activate", (e) => {
  e.waitUntil(caches.keys().then((names) => Promise.all(names.filter((n) => n.startsWith("homeroom-live") && n !== KEEP).map((n) => caches.delete(n)))).then(() => self.clients.claim()))
})

async function keep(key, res) {
  if (res.ok) await (await caches.open(KEEP)).put(key, res.clone())
  return res
}

// Fetches the page. A new version names other files, so the old ones are deleted.
async function newest(request) {
  const res = await fetch(request)
  const kept = await caches.match("/live")
  if (res.ok && kept && (await kept.text()) !== (await res.clone().text())) await caches.delete(KEEP)
  return keep("/live", res)
}

self.addEventListener("fetch", (e) => {
  const { pathname, origin } = new URL(e.request.url)
  if (e.request.method !== "GET" || origin !== self.location.origin) return
  if (pathname.startsWith(ASSETS)) e.respondWith(caches.match(pathname).then((kept) => kept ?? fetch(e.request).then((res) => keep(pathname, res))))
  else if (pathname === "/live") e.respondWith(newest(e.request).catch(() => caches.match("/live")))
})
