// A shared computer: after ten minutes without a key or a touch the screen asks for the sign-in again.
import { useEffect } from "preact/hooks"
import { leave, me } from "../api/session"
import { forget } from "./load"

const patience = 10 * 60_000

export const idleLock = { on: () => localStorage.getItem("idle") !== "off", set: (on: boolean) => localStorage.setItem("idle", on ? "on" : "off") }

export function useIdleLock(): void {
  useEffect(() => {
    let last = Date.now()
    const touch = () => { last = Date.now() }
    const events = ["keydown", "pointerdown", "wheel", "touchstart"]
    for (const e of events) addEventListener(e, touch, { passive: true })
    const timer = setInterval(() => {
      if (me.value && idleLock.on() && Date.now() - last > patience) { forget(); void leave() }
    }, 15_000)
    return () => { clearInterval(timer); for (const e of events) removeEventListener(e, touch) }
  }, [])
}
