// The keyboard. Single letters work only while no field has the focus, and can be switched off (WCAG 2.1.4).
import { signal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { locked } from "../api/session"

export interface Shortcut { keys: string; label: string; run: () => void }

/** The keys of this page, shown by "?". Later ones win. */
export const shortcuts = signal<Shortcut[]>([])
export const lettersOn = signal(localStorage.getItem("letters") !== "off")
export function switchLetters(on: boolean): void {
  localStorage.setItem("letters", on ? "on" : "off")
  lettersOn.value = on
}

/** Adds a shortcut such as "n", "ctrl+k", "alt+1" or "g t"; the returned function takes it away. */
export function onKey(keys: string, label: string, run: () => void): () => void {
  const s = { keys, label, run }
  shortcuts.value = [...shortcuts.value, s]
  return () => { shortcuts.value = shortcuts.value.filter((x) => x !== s) }
}

/** A shortcut while the component is shown. */
export function useKey(keys: string, label: string, run: () => void): void {
  useEffect(() => onKey(keys, label, run))
}

let first = "" // of a pair such as "g t"
addEventListener("keydown", (e) => {
  const ctrl = e.ctrlKey || e.metaKey
  const digit = /^Digit(\d)$/.exec(e.code)?.[1] // with Alt a Mac types another sign
  if (locked.value || e.defaultPrevented || e.isComposing || (e.altKey && (ctrl || !digit))) return
  const pressed = e.altKey ? `alt+${digit}` : (ctrl ? "ctrl+" : "") + e.key.toLowerCase()
  const letter = !ctrl && !e.altKey && e.key.length === 1
  if (letter && (!lettersOn.value || typing(e.target) || document.querySelector("dialog[open]"))) return
  const pair = first ? `${first} ${pressed}` : ""
  const found = shortcuts.value.findLast((s) => s.keys === pair) ?? shortcuts.value.findLast((s) => s.keys === pressed)
  first = letter && shortcuts.value.some((s) => s.keys.startsWith(pressed + " ")) ? pressed : ""
  if (!found || (ctrl && pressed === "ctrl+z" && typing(e.target))) return
  e.preventDefault()
  first = ""
  found.run()
})

function typing(target: EventTarget | null): boolean {
  const el = target as HTMLElement | null
  return !!el && (el.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(el.tagName) && !/^(checkbox|radio|button|submit)$/.test((el as HTMLInputElement).type))
}
