// Short messages at the bottom of the page, with Undo where there is a way back.
import { signal } from "@preact/signals"
import { useEffect, useLayoutEffect, useState } from "preact/hooks"
import { t } from "../words/words"
import { onKey } from "./keys"
import { asFault, changed } from "./load"

type Undo = () => Promise<unknown>
interface Toast { id: number; text: string; bad: boolean; undo?: Undo | undefined; other?: { text: string; undo: Undo } | undefined }

const toasts = signal<Toast[]>([])
let last = 0
const shown = 10_000

/** Says what has happened, for some ms. undo takes it back; other does so in another way, such as without telling anyone.
 * The result takes the message away, when it was taken back elsewhere. */
export function say(text: string, undo?: Undo, other?: { text: string; undo: Undo }, ms = shown): () => void { return show({ text, bad: false, undo, other }, ms) }
/** Says what went wrong. */
export function sayFault(e: unknown): void { void show({ text: asFault(e).message, bad: true }) }

function show(toast: Omit<Toast, "id">, ms = shown): () => void {
  const id = ++last
  toasts.value = [...toasts.value.slice(-2), { ...toast, id }]
  setTimeout(() => drop(id), ms)
  return () => drop(id)
}

function drop(id: number): void { toasts.value = toasts.value.filter((x) => x.id !== id) }

async function undo(toast: Toast, back: Undo): Promise<void> {
  drop(toast.id)
  try {
    await back()
    changed()
    say(t("Undone."))
  } catch (e) {
    sayFault(e)
  }
}

/** The open dialogs. What is behind one can't be used and is not announced: the last one shows the messages. */
const dialogs = signal<symbol[]>([])

/** The messages of the page, with the key for Undo. */
export function Toasts() {
  useEffect(() => onKey("ctrl+z", t("Undo"), () => {
    const latest = toasts.value.findLast((x) => x.undo)
    if (latest) void undo(latest, latest.undo!)
  }), [])
  return <Shown these={dialogs.value.length ? [] : toasts.value} />
}

/** The messages while a dialog is open. */
export function ToastsInside() {
  const [own] = useState(() => Symbol())
  useLayoutEffect(() => {
    dialogs.value = [...dialogs.value, own]
    return () => { dialogs.value = dialogs.value.filter((x) => x !== own) }
  }, [])
  return <Shown these={dialogs.value.at(-1) === own ? toasts.value : []} />
}

function Shown({ these }: { these: Toast[] }) {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {these.map((x) => (
        <div class={x.bad ? "toast bad" : "toast"} key={x.id}>
          <span>{x.text}</span>
          {x.undo && <button type="button" onClick={() => undo(x, x.undo!)}><span class="sr">{t("Undo: {what}", { what: x.text })}</span><span aria-hidden="true">{t("Undo")} <kbd>Ctrl Z</kbd></span></button>}
          {x.other && <button type="button" onClick={() => undo(x, x.other!.undo)}>{x.other.text}</button>}
          <button type="button" aria-label={t("Close message")} onClick={() => drop(x.id)}>×</button>
        </div>
      ))}
    </div>
  )
}
