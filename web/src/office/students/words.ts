// What codes of the API are called in the office.
import { t } from "../../words/words"
import { today } from "../../words/format"

export const statuses = () => [
  { value: "ACTIVE", text: t("attending") }, { value: "TRANSFERRED", text: t("transferred") },
  { value: "GRADUATED", text: t("graduated") }, { value: "LEFT", text: t("left") },
]
export const genders = () => [{ value: "FEMALE", text: t("Girl") }, { value: "MALE", text: t("Boy") }, { value: "OTHER", text: t("Other") }]
export const relations = () => [{ value: "MOTHER", text: t("Mother") }, { value: "FATHER", text: t("Father") }, { value: "GUARDIAN", text: t("Guardian") }]
export const bloodGroups = ["A+", "A-", "B+", "B-", "AB+", "AB-", "O+", "O-"].map((value) => ({ value, text: value.replace("-", "−") }))
export const outcomes = () => [
  { value: "ENROLLED", text: t("in this class") }, { value: "PROMOTED", text: t("moved up") }, { value: "DETAINED", text: t("repeats") },
  { value: "GRADUATED", text: t("graduated") }, { value: "LEFT", text: t("left") },
]

export function named(options: { value: string; text: string }[], value: string | null | undefined): string {
  return options.find((o) => o.value === value)?.text ?? ""
}

/** The age in years on this day. */
export function age(born: string): number {
  const now = today()
  return Number(now.slice(0, 4)) - Number(born.slice(0, 4)) - (now.slice(5) < born.slice(5) ? 1 : 0)
}
