// What was typed when a session ended by itself: whoever signs in again as the same person finds it. It is in the memory of
// this tab only. A sign-out forgets it, and so does a sign-in as somebody else.
import { effect, signal } from "@preact/signals"
import { useEffect, useRef, useState, type Dispatch, type StateUpdater } from "preact/hooks"
import { ended, me } from "../api/session"

const kept = new Map<string, unknown>() // by page and part of it
/** Whether something waits for the same person. */
export const keeps = signal(false)

/** Calls forget when what a person typed has to go. */
export function onOther(forget: () => void): void {
  let owner: string | undefined
  effect(() => {
    const now = me.value?.user.id ?? ended.value
    if (now !== owner) forget()
    owner = now
  })
}
onOther(() => { kept.clear(); keeps.value = false })

const placeOf = (name: string) => `${location.pathname}${location.search} ${name}`

/** State that outlives the end of a session, if it is dirty then. The name tells it from others of the page; "" keeps nothing. */
export function useKept<T>(name: string, initial: T, dirty: { current: boolean }): [T, Dispatch<StateUpdater<T>>] {
  const [value, set] = useState<T>(() => {
    const place = placeOf(name)
    if (!kept.has(place)) return initial
    dirty.current = true
    return kept.get(place) as T
  })
  const latest = useRef(value)
  latest.current = value
  useEffect(() => {
    const owner = me.value?.user.id
    return () => {
      const place = placeOf(name)
      if (!name || !owner || me.value || ended.value !== owner || !dirty.current) { kept.delete(place); return }
      kept.set(place, latest.current)
      keeps.value = true
    }
  }, [])
  return [value, set]
}
