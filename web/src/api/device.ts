// What a sign-in says of this browser. It stays after signing out: others' wrong tries on the same network don't keep out whoever has signed in here before.
import { t } from "../words/words"

const slot = "device"

export function deviceId(): string { return (localStorage[slot] ??= crypto.randomUUID()) as string }

export function thisDevice(): { device: string; deviceId: string } { return { device: deviceName(), deviceId: deviceId() } }

/** "Firefox on Windows", for the list of sessions. */
function deviceName(): string {
  const says = (name: string) => navigator.userAgent.includes(name)
  const browser = says("Edg/") ? "Edge" : ["Firefox", "Chrome", "Safari"].find(says) ?? t("Browser")
  return t("{browser} on {system}", { browser, system: ["Android", "iPhone", "iPad", "Windows", "Mac OS"].find(says) ?? "Linux" })
}
