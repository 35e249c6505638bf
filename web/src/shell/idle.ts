// A shared computer: after ten minutes without a key or a touch in any tab, the screen is locked.
import { useEffect } from "preact/hooks"
import { active, lastActive, lock, locked } from "../api/session"

const patience = 10 * 60_000
const every = 5_000 // ms between two notes of activity

export const idleLock = { on: () => localStorage.getItem("idle") !== "off", set: (on: boolean) => localStorage.setItem("idle", on ? "on" : "off") }

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
