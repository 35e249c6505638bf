// Caches the page itself, so that it opens offline. API replies are never
// cached. Network first: a new version is seen at once.
const KEEP = "homeroom-live-1";
const SHELL = ["/live", "/live/live.css", "/live/live.js", "/live/session.js", "/live/map.js", "/live/icon.svg", "/live/live.webmanifest", "/live/socket.io.min.js"];

self.addEventListener("install", (e) => {
  e.waitUntil(caches.open(KEEP).then((c) => c.addAll(SHELL)).then(() => self.skipWaiting()));
});

self.addEventListener("activate", (e) => {
  e.waitUntil(caches.keys().then((names) => Promise.all(names.filter((n) => n !== KEEP).map((n) => caches.delete(n)))).then(() => self.clients.claim()));
});

self.addEventListener("fetch", (e) => {
  const { pathname, origin } = new URL(e.request.url);
  if (e.request.method !== "GET" || origin !== self.location.origin || !SHELL.includes(pathname)) return;
  e.respondWith(fetch(e.request).then((res) => {
    if (res.ok) {
      const copy = res.clone();
      caches.open(KEEP).then((c) => c.put(pathname, copy));
    }
    return res;
  }).catch(() => caches.match(pathname)));
});
