// Addresses: /app/students?classId=…; links are ordinary <a> elements.
import { computed, signal } from "@preact/signals"
import type { ComponentType } from "preact"

/** A page: its address with {names}, its title's source, and where its code is. */
export interface Page {
  path: string
  load: () => Promise<{ default: ComponentType<{ params: Record<string, string> }> }>
  module?: string // the page needs read on this module
  ahead?: () => void // begins its call when the app starts with this page, before the account is loaded
}

const here = signal(new URL(location.href))
export const path = computed(() => here.value.pathname)
export const query = computed(() => here.value.searchParams)

/** Asked before a page is left: false keeps the person there. A dialog's form asks beside that of its page. */
const guards = new Set<() => boolean>()
/** Asks before the page is left, until the function returned is called. */
export function guardLeaving(ask: () => boolean): () => void {
  guards.add(ask)
  return () => { guards.delete(ask) }
}
/** Asks, and tells whether the person leaves. */
export function mayLeave(): boolean { return [...guards].every((ask) => ask()) }

let at = Number(history.state?.at ?? 0) // place in the history of this tab, to go back to when Back is refused

export function go(to: string, o: { replace?: boolean; keepScroll?: boolean } = {}): void {
  const next = new URL(to, location.href)
  if (next.href === here.value.href) return
  if (next.pathname !== here.value.pathname) {
    if (!mayLeave()) return
    guards.clear()
  }
  if (!o.replace) at++
  history[o.replace ? "replaceState" : "pushState"]({ at }, "", next)
  here.value = next
  if (!o.keepScroll) scrollTo(0, 0)
}

/** Changes parameters of the address; "" and undefined take one away. */
export function setQuery(changes: Record<string, string | undefined>): void {
  const next = new URL(here.value)
  for (const [name, value] of Object.entries(changes)) {
    if (value) next.searchParams.set(name, value)
    else next.searchParams.delete(name)
  }
  go(next.href, { replace: true, keepScroll: true })
}

addEventListener("popstate", (e) => {
  const to = Number((e.state as { at?: number } | null)?.at ?? 0)
  if (location.pathname !== here.value.pathname) {
    if (!mayLeave()) { if (to === at) history.pushState({ at }, "", here.value); else history.go(at - to); return }
    guards.clear()
  }
  at = to
  here.value = new URL(location.href)
})
addEventListener("click", (e) => {
  const a = (e.target as Element).closest?.("a")
  if (!a || e.defaultPrevented || e.button !== 0 || e.ctrlKey || e.metaKey || e.shiftKey || e.altKey) return
  if (a.origin !== location.origin || a.target || a.hasAttribute("download") || !a.pathname.startsWith("/app")) return
  if (a.pathname === location.pathname && a.hash) return
  e.preventDefault()
  go(a.href)
})

/** The page of an address and its parameters. */
export function match(pages: Page[], address: string): { page: Page; params: Record<string, string> } | null {
  for (const page of pages) {
    const names: string[] = []
    const pattern = page.path.replace(/\{(\w+)\}/g, (_, name: string) => { names.push(name); return "([^/]+)" })
    const found = new RegExp(`^${pattern}/?$`).exec(address)
    if (found) return { page, params: Object.fromEntries(names.map((name, i) => [name, decodeURIComponent(found[i + 1]!)])) }
  }
  return null
}
