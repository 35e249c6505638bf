// The app opens without a network: a service worker answers with the files that were kept.
// Kept are the page itself, and every file that this visit has loaded; pages of the role are loaded ahead, so that all of them are.
import type { Page } from "../shell/router"

const files = "homeroom-files"

/** Registers the service worker. Browsers offer to install the app then. */
export async function register(): Promise<void> {
  if ("serviceWorker" in navigator) await navigator.serviceWorker.register("/app/worker.js", { scope: "/app/", type: "module" }).catch(() => undefined)
}

let ahead: Page[] = []
/** Tells which pages to keep. */
export function keepPages(pages: Page[]): void { ahead = pages }

/** Loads the role's pages once the first one is shown, and keeps their files. Files of older versions are dropped. */
export async function keepFiles(): Promise<void> {
  if (!("caches" in globalThis) || !navigator.onLine) return
  await new Promise((done) => setTimeout(done, 2_000))
  try {
    await register()
    await Promise.all(ahead.map((p) => p.load()))
    await import("socket.io-client")
    const page = await fetch("/app/")
    const script = document.querySelector<HTMLScriptElement>("script[src]")!
    if (!page.ok || !(await page.clone().text()).includes(script.getAttribute("src")!)) return // a new version: its first visit keeps it
    const now = new Set(performance.getEntriesByType("resource").map((e) => e.name).filter((name) => new URL(name).pathname.startsWith("/app/assets/")))
    for (const e of document.querySelectorAll<HTMLLinkElement | HTMLScriptElement>("link[rel=stylesheet], script[src]")) now.add("href" in e ? e.href : e.src)
    const kept = await caches.open(files)
    const old = (await kept.keys()).map((r) => r.url)
    await kept.addAll([...now].filter((url) => !old.includes(url)))
    await kept.put("/app/", page)
    for (const url of old) if (!now.has(url) && new URL(url).pathname !== "/app/") await kept.delete(url)
  } catch {
    // The network went away: the next visit keeps what is missing.
  }
}
