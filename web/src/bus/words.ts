// Words about buses, for the office and for families.
import type { Tone } from "../ui/basics"
import { n, t } from "../words/words"

interface Named { value: string; text: string }

export const incidentTypes = (): Named[] => [
  { value: "vehicle_breakdown", text: t("Breakdown") }, { value: "traffic_jam", text: t("Traffic jam") }, { value: "accident", text: t("Accident") },
    { value: "other", text: t("Incident") },
]
export const riderStatuses = (): Record<"waiting" | "boarded" | "alighted" | "absent" | "no_show", string> => ({ waiting: t("waits"), boarded: t("on board"),
  alighted: t("got off"), absent: t("absent"), no_show: t("did not come") })
export const riderTones = { waiting: "", boarded: "good", alighted: "", absent: "info", no_show: "warn" } as const
export const textOf = (options: Named[], value: string) => options.find((o) => o.value === value)?.text ?? ""

export const busName = (b: { name?: string | null; registrationNo: string }) => b.name ?? b.registrationNo
/** The few letters on the marker of a bus: "2" of "Bus 2". */
export const busLetters = (name: string) => /\d+$/.exec(name)?.[0] ?? name.slice(0, 2)

/** "on time", "4 min late"; a tone for it. */
export function delay(seconds: number): { text: string; tone: Tone } {
  const minutes = Math.round(seconds / 60)
  if (Math.abs(minutes) < 2) return { text: t("on time"), tone: "good" }
  if (minutes >= 100) return { text: t("{n} h late", { n: Math.round(minutes / 60) }), tone: "bad" }
  return minutes > 0 ? { text: t("{n} min late", { n: minutes }), tone: minutes > 4 ? "bad" : "warn" } : { text: t("{n} min early", { n: -minutes }), tone: "" }
}

/** "now", "4 min". */
export function minutes(seconds: number): string { return seconds < 45 ? t("now") : n(Math.max(1, Math.round(seconds / 60)), "{n} min", "{n} min") }
