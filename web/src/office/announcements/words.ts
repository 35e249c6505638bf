// What the values of announcements, events and deliveries are called.
import type { Row } from "../../api/contract"
import type { Tone } from "../../ui/basics"
import type { Option } from "../../ui/form"
import { n, t } from "../../words/words"

export type Announcement = Row<"/school-admin/announcement/list">

export const sections = () => [
  { key: "announcements", href: "/app/announcements", text: t("Announcements") },
  { key: "events", href: "/app/announcements/events", text: t("Events") },
  { key: "deliveries", href: "/app/announcements/deliveries", text: t("Deliveries") },
  { key: "notifications", href: "/app/announcements/notifications", text: t("For you") },
]

export const audiences = (): Option[] => [
  { value: "ALL", text: t("Everybody"), note: t("parents, teachers and drivers") }, { value: "PARENTS", text: t("All parents") }, { value: "TEACHERS", text: t("All teachers") },
  { value: "DRIVERS", text: t("All drivers") }, { value: "CLASS", text: t("Classes"), note: t("their parents and teachers") },
    { value: "DIVISION", text: t("Divisions"), note: t("their parents and teachers") },
]

export const statuses = (): (Option & { tone: Tone })[] => [
  { value: "SCHEDULED", text: t("scheduled"), tone: "info" }, { value: "PUBLISHED", text: t("sent"), tone: "good" }, { value: "EXPIRED", text: t("no longer shown"), tone: "" },
]

/** For whom: "Everybody", or the names of the classes. */
export function forWhom(a: { audience: string; classIds: string[]; divisionIds: string[] }, classes: Option[], divisions: Option[]): string {
  const names = [...named(a.classIds, classes), ...named(a.divisionIds, divisions)]
  if (a.audience !== "CLASS" && a.audience !== "DIVISION") return audiences().find((x) => x.value === a.audience)?.text ?? ""
  return names.length > 3 ? n(names.length - 2, "{names} and {n} more", "{names} and {n} more", { names: names.slice(0, 2).join(", ") }) : names.join(", ")
}

function named(ids: string[], options: Option[]): string[] {
  return ids.map((id) => options.find((o) => o.value === id)?.text ?? t("a class of another year"))
}
