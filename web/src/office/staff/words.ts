import { t } from "../../words/words"
import type { Tone } from "../../ui/basics"

export const statuses = () => [{ value: "ACTIVE", text: t("working") }, { value: "ON_LEAVE", text: t("away for long") }, { value: "RESIGNED", text: t("has left") }]
export const tones: Record<string, Tone> = { ACTIVE: "", ON_LEAVE: "warn", RESIGNED: "bad" }
export const types = () => [{ value: "TEACHER", text: t("Teacher") }, { value: "DRIVER", text: t("Driver") }, { value: "SCHOOL_ADMIN", text: t("Administrator") }]
export const genders = () => [{ value: "FEMALE", text: t("Female") }, { value: "MALE", text: t("Male") }, { value: "OTHER", text: t("Other") }]
