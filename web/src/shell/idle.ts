// A shared computer: after ten minutes without a key or a touch in any tab, the screen is locked.
import { useEffect } from "preact/hooks"
import { active, lastActive, lock, locked } from "../api/session"
import { locks } from "../api/unlock"

const patience = 10 * 60_000
const every = 5_000 // ms between two notes of activity

export const idleLock = { on: () => localStorage.getItem("idle") !== "off", set: (on: boolean) => localStorage.setItem("idle", on ? "on" : "off") }

const away = 5 * 60_000

/** On a phone whose app is locked: coming back to it after five minutes asks again who is there. */
export function useAppLock(): void {
  useEffect(() => {
    let left = 0
    const look = () => { if (document.hidden) left = Date.now(); else if (left && locks() && Date.now() - left > away) lock(true) }
    document.addEventListener("visibilitychange", look)
    return () => document.removeEventListener("visibilitychange", look)
  }, [])
}

export function useIdleLock(): void {
  useEffect(() => {
    let noted = Date.now()
    const check = () => { if (!locked.value && idleLock.on() && Date.now() - lastActive() > patience) lock(true) }
    const touch = () => {
      check() // the first key on a computer that wakes up
      if (locked.value || Date.now() - noted < every) return
      noted = Date.now()
      active()
    }
    check()
    const events = ["keydown", "pointerdown", "wheel", "touchstart"]
    for (const e of events) addEventListener(e, touch, { passive: true })
    document.addEventListener("visibilitychange", check)
    const timer = setInterval(check, 15_000)
    return () => { clearInterval(timer); document.removeEventListener("visibilitychange", check); for (const e of events) removeEventListener(e, touch) }
  }, [])
}
