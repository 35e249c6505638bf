// The form of an announcement, new or changed.
import { now } from "../../api/client"
import { useClasses, useDivisions } from "../../ui/choices"
import type { FieldSpec, Values } from "../../ui/form"
import { filesField, type Attached } from "../../ui/files"
import { momentOf } from "../../words/format"
import { t } from "../../words/words"
import { audiences } from "./words"

/** The fields. Once people were told, when and how urgently is past. */
export function useFields(told: boolean): FieldSpec[] {
  const classes = useClasses()
  const divisions = useDivisions()
  return [
    { name: "audience", label: t("For whom"), kind: "select", required: true,
      options: audiences().map((a) => ({ value: a.value, text: a.note ? `${a.text}: ${a.note}` : a.text })), wide: true },
    { name: "classIds", label: t("Classes"), kind: "many", options: classes.options, hidden: (v) => v.audience !== "CLASS" },
    { name: "divisionIds", label: t("Divisions"), kind: "many", options: divisions.options, hidden: (v) => v.audience !== "DIVISION" },
    { name: "title", label: t("Title"), required: true, wide: true },
    { name: "body", label: t("Text"), kind: "textarea" },
    filesField("ANNOUNCEMENT"),
    {
      name: "when", label: t("When"), kind: "choice", hidden: () => told,
      options: [{ value: "now", text: t("Now"), note: t("You have 30 seconds to call it back.") },
        { value: "later", text: t("Later"), note: t("You can change or call it back until then.") }],
    },
    { name: "urgent", label: t("Urgent: at once by every channel"), kind: "switch", help: t("Push, SMS and e-mail, past quiet hours and daily limits."), hidden: () => told },
    { name: "publishAt", label: t("Send at"), kind: "moment", required: true, hidden: (v) => told || v.when !== "later" },
    { name: "expiresAt", label: t("Show until"), kind: "moment", help: t("Without a time it stays in the list.") },
    { name: "isPinned", label: t("Keep it on top of the list"), kind: "switch" },
  ]
}

export const recall = 30_000 // ms in which an announcement can be called back

/** What the service takes, from what the form has. */
export function bodyOf(v: Values, told: boolean, from = now()) {
  const files = (v.files as Attached[] | undefined)?.map((f) => f.id)
  return {
    title: String(v.title), body: (v.body as string | null) ?? "", audience: v.audience as "ALL",
    classIds: (v.classIds as string[] | undefined) ?? [], divisionIds: (v.divisionIds as string[] | undefined) ?? [], attachments: files ?? [],
    expiresAt: v.expiresAt ? momentOf(String(v.expiresAt)) : null, isPinned: !!v.isPinned,
    ...(!told && { urgent: !!v.urgent, publishAt: v.when === "later" ? momentOf(String(v.publishAt)) : new Date(from.getTime() + recall).toISOString() }),
  }
}
