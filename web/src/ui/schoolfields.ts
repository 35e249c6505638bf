// The fields of a school, for the office's settings and the platform.
import { t } from "../words/words"
import type { FieldSpec, Option, Values } from "./form"

/** Name and contact, place, language, money. */
export function detailFields(): FieldSpec[] {
  return [
    { name: "name", label: t("Name"), required: true }, { name: "code", label: t("Code"), required: true, help: t("Short, in capitals, as in GREENFIELD.") },
    { name: "phone", label: t("Phone"), kind: "phone" }, { name: "email", label: t("E-mail"), kind: "email" },
    { name: "address", label: t("Address"), wide: true },
    { name: "timezone", label: t("Time zone"), kind: "select", options: zones() }, { name: "currency", label: t("Currency"), kind: "select", options: currencies() },
    { name: "locale", label: t("Language of messages"), kind: "select", options: languages },
  ]
}

/** The languages of messages, and the one that the school has, such as en-US. */
function languages({ locale }: Values): Option[] {
  const known = [{ value: "en", text: "English" }, { value: "es", text: "Español" }]
  if (typeof locale !== "string" || !locale || known.some((k) => k.value === locale)) return known
  return [...known, { value: locale, text: new Intl.DisplayNames([locale], { type: "language" }).of(locale) ?? locale }]
}

/** Where a school is on the map. */
export function placeFields(): FieldSpec[] {
  return [
    { name: "lat", title: t("On the map"), label: t("Latitude"), kind: "number", step: "any", min: -90, max: 90 },
    { name: "lng", label: t("Longitude"), kind: "number", step: "any", min: -180, max: 180 },
  ]
}

/** The rules of a school. */
export function ruleFields(): FieldSpec[] {
  return [
    { name: "weekendDays", label: t("Days without school"), kind: "many", options: days() },
    { name: "attendanceLockDays", label: t("Days after which only administrators change attendance"), kind: "number", min: 0 },
    { name: "dateFormat", label: t("Dates in letters"), kind: "select", required: true, options: ["YYYY-MM-DD", "DD/MM/YYYY", "MM/DD/YYYY"].map((v) => ({ value: v, text: v })) },
    { name: "evaluationMode", label: t("Evaluation mode"), kind: "switch", help: t("Teachers can look, and change only exams and results.") },
    { name: "classTeacherMarks", label: t("Class teachers enter marks of every subject"), kind: "switch" },
    { name: "strongPins", label: t("Refuse PINs such as 1111 and 1234"), kind: "switch" },
    { name: "requireSecondFactor", label: t("Administrators need a second step to sign in"), kind: "switch" },
  ]
}

/** Messages to families: which go by SMS, limits, costs, looks. */
export function messageFields(): FieldSpec[] {
  return [
    { name: "smsTypes", label: t("Also sent by SMS"), kind: "many", options: topics() },
    { name: "smsPerDay", label: t("SMS a day, at most"), kind: "number", min: 0 }, { name: "smsCost", label: t("Cost of one SMS"), kind: "money", min: 0 },
    { name: "emailPerDay", label: t("E-mails a day, at most"), kind: "number", min: 0 }, { name: "digestMinutes", label: t("Minutes between summaries"), kind: "number", min: 0, help: t("0 sends each message at once.") },
    { name: "pushDetails", label: t("Show details on the lock screen"), kind: "switch", help: t("Health and money are never shown there.") },
    { name: "emailFooter", label: t("Last lines of every e-mail"), kind: "textarea" },
  ]
}

const days = () => [t("Monday"), t("Tuesday"), t("Wednesday"), t("Thursday"), t("Friday"), t("Saturday"), t("Sunday")].map((text, i) => ({ value: String(i + 1), text }))

const topics = () => [
  { value: "ANNOUNCEMENT", text: t("announcements") }, { value: "ATTENDANCE", text: t("absences") }, { value: "RESULT", text: t("results") }, { value: "FEE", text: t("fees") },
  { value: "LEAVE_REQUEST", text: t("leave") }, { value: "MESSAGE", text: t("messages") }, { value: "TRANSPORT", text: t("the bus") }, { value: "LIBRARY", text: t("the library") },
  { value: "TIMETABLE", text: t("the timetable") }, { value: "CONTACT", text: t("contact data") },
]

export function zones() { return Intl.supportedValuesOf("timeZone").map((z) => ({ value: z, text: z.replaceAll("_", " ") })) }

export function currencies() {
  const names = new Intl.DisplayNames(undefined, { type: "currency" })
  return Intl.supportedValuesOf("currency").map((c) => ({ value: c, text: `${c} · ${names.of(c)}` }))
}

/** Turns a school's record into form values and back: weekend days are numbers in the API. */
export const weekend = {
  toForm: <T extends { weekendDays: number[] }>(s: T) => ({ ...s, weekendDays: s.weekendDays.map(String) }),
  fromForm: (v: Record<string, unknown>) => ("weekendDays" in v ? { ...v, weekendDays: (v.weekendDays as string[]).map(Number).sort() } : v),
}
