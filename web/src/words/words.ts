// Words of the app. The sources speak English; es/*.json map each text to its Spanish. A test fails on a text without one.
import { signal } from "@preact/signals"

const chosen = signal(pick())
let texts: Record<string, string> = {}

export const languages = { en: "English", es: "Español" } as const
export type Language = keyof typeof languages

export function language(): Language { return chosen.value }

/** Loads the texts of the chosen language. */
export async function loadWords(): Promise<void> {
  document.documentElement.lang = chosen.value
  texts = chosen.value === "es" ? (await import("./spanish")).default : {}
}

export async function speak(l: Language): Promise<void> {
  localStorage.setItem("language", l)
  chosen.value = l
  await loadWords()
  location.reload()
}

/** Translates a text and fills in {names}. "approved|verb" tells two meanings of a word apart; the part after | is never shown. */
export function t(text: string, values: Record<string, string | number> = {}): string {
  return (texts[text] ?? text.split("|")[0]!).replace(/\{(\w+)\}/g, (whole, name: string) => (name in values ? held(String(values[name])) : whole))
}

/** A value that is written from right to left, between signs that keep it from turning the sentence around it. */
function held(value: string): string { return /[\u0590-\u08ff\u202a-\u202e\u2066-\u2069\ufb1d-\ufefc]/.test(value) ? `\u2068${value}\u2069` : value }

/** Chooses between one and several. */
export function n(count: number, one: string, several: string, values: Record<string, string | number> = {}): string {
  return t(count === 1 ? one : several, { n: count.toLocaleString(chosen.value), ...values })
}

function pick(): Language {
  const saved = localStorage.getItem("language") ?? navigator.language.slice(0, 2)
  return saved === "es" ? "es" : "en"
}
