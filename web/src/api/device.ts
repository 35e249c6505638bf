// What a sign-in says of this browser. It stays after signing out: others' wrong tries on the same network don't keep out whoever has signed in here before.
import { t } from "../words/words"

const slot = "device"

export function deviceId(): string {
  const id = localStorage.getItem(slot) ?? crypto.randomUUID()
  localStorage.setItem(slot, id)
  return id
}

export function thisDevice(): { device: string; deviceId: string } { return { device: deviceName(), deviceId: deviceId() } }

/** "Firefox on Windows", for the list of sessions. */
function deviceName(): string {
  const agent = navigator.userAgent
  const browser = /Edg\//.test(agent) ? "Edge" : /Firefox\//.test(agent) ? "Firefox" : /Chrome\//.test(agent) ? "Chrome" : /Safari\//.test(agent) ? "Safari" : t("Browser")
  const system = /Android/.test(agent) ? "Android" : /iPhone|iPad/.test(agent) ? "iOS" : /Windows/.test(agent) ? "Windows" : /Mac OS/.test(agent) ? "macOS" : "Linux"
  return t("{browser} on {system}", { browser, system })
}
