// Short messages at the bottom of the page, with Undo where there is a way back.
import { signal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { t } from "../words/words"
import { onKey } from "./keys"
import { asFault, changed } from "./load"

interface Toast { id: number; text: string; bad: boolean; undo?: (() => Promise<unknown>) | undefined }

const toasts = signal<Toast[]>([])
let last = 0
const shown = 10_000

/** Says what has happened. undo takes it back. */
export function say(text: string, undo?: () => Promise<unknown>): void { show({ text, bad: false, undo }) }
/** Says what went wrong. */
export function sayFault(e: unknown): void { show({ text: asFault(e).message, bad: true }) }

function show(toast: Omit<Toast, "id">): void {
  const id = ++last
  toasts.value = [...toasts.value.slice(-2), { ...toast, id }]
  setTimeout(() => drop(id), shown)
}

function drop(id: number): void { toasts.value = toasts.value.filter((x) => x.id !== id) }

async function undo(toast: Toast): Promise<void> {
  drop(toast.id)
  try {
    await toast.undo?.()
    changed()
    say(t("Undone."))
  } catch (e) {
    sayFault(e)
  }
}

export function Toasts() {
  useEffect(() => onKey("ctrl+z", t("Undo"), () => {
    const latest = toasts.value.findLast((x) => x.undo)
    if (latest) void undo(latest)
  }), [])
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map((x) => (
        <div class={x.bad ? "toast bad" : "toast"} key={x.id}>
          <span>{x.text}</span>
          {x.undo && <button type="button" onClick={() => undo(x)}>{t("Undo")} <kbd aria-hidden="true">Ctrl Z</kbd></button>}
          <button type="button" aria-label={t("Close message")} onClick={() => drop(x.id)}>×</button>
        </div>
      ))}
    </div>
  )
}
