// What is typed into a form on the phone is kept until it is sent, also when the tab is closed.
import { useEffect, useRef, useState } from "preact/hooks"
import { discard, later, waiting, type Attached, type Later } from "../api/queue"
import type { Input, PathsOf } from "../api/contract"
import { draft, keepDrafts } from "../api/vault"

const pause = 250 // ms without typing until it is written

/** The answers of a form, named as the API names them, with photos in files. */
export type Answers = Record<string, unknown> & { files: Attached[] }

function same(a: Answers, b: Answers): boolean { return JSON.stringify(a) === JSON.stringify(b) }

/** A form that keeps what is typed. A call that was refused brings its answers and what is wrong with them back. */
export function useDraft<T extends Answers>(name: string, initial: T) {
  const [value, setValue] = useState<T>()
  const latest = useRef<T>(initial)
  const typed = useRef<Partial<T>>({}) // since the draft was asked for, which takes a moment
  const timer = useRef(0)
  const refused = waiting.value.find((w) => w.about === name && w.refused)
  const write = () => { clearTimeout(timer.current); timer.current = 0; return keepDrafts({ name, value: same(latest.current, initial) ? undefined : latest.current }) }
  useEffect(() => {
    void draft<T>(name).then((d) => {
      latest.current = { ...initial, ...(refused && { ...(refused.body as object), files: refused.files ?? [] }), ...d, ...typed.current }
      setValue(latest.current)
    })
    const hide = () => { if (timer.current) void write() }
    document.addEventListener("visibilitychange", hide)
    return () => { hide(); typed.current = {}; document.removeEventListener("visibilitychange", hide) }
  }, [name, refused?.id])
  const set = (part: Partial<T>) => {
    typed.current = { ...typed.current, ...part }
    latest.current = { ...latest.current, ...part }
    setValue(latest.current)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => void write(), pause)
  }
  const clear = () => { typed.current = {}; latest.current = initial; setValue(initial) }
  /** Keeps the call and ends the draft in one step. */
  async function send<P extends PathsOf<"post">>(path: P, body: Input<P, "post">, o: Pick<Later, "label" | "lane">): Promise<number> {
    clearTimeout(timer.current)
    timer.current = 0
    const id = await later(path, body, { ...o, about: name, files: latest.current.files, drafts: [{ name }] })
    if (refused) await discard(refused.id)
    clear()
    return id
  }
  const error = (field: string) => refused?.refused?.details.find((d) => d.field === field || d.field === `data.${field}` || d.field.startsWith(`${field}[`))?.message
  return { value, set, send, error, refused: refused?.refused, clear: () => { clear(); return keepDrafts({ name }) } }
}
