// An application for leave, with a photo of the note. What is typed is kept, also when the tab is closed.
import { useState } from "preact/hooks"
import type { Attached } from "../api/queue"
import { useDraft } from "../pocket/draft"
import { Photos } from "../pocket/photo"
import { Screen } from "../pocket/screen"
import { changed } from "../shell/load"
import { go, query } from "../shell/router"
import { say, sayFault } from "../shell/toast"
import { Banner, Button, Ready, State } from "../ui/basics"
import { Field, type FieldSpec } from "../ui/form"
import { today } from "../words/format"
import { t } from "../words/words"
import { takeBack } from "./bus/nottoday"
import { applying, isSent, nameOf, useDay, type Day } from "./family"

export default function Apply() {
  const day = useDay()
  return <Screen title={t("Apply for leave")} back="/app/leave"><Ready of={day} rows={6}>{(d) => <Ask day={d} />}</Ready></Screen>
}

interface Answers extends Record<string, unknown> { studentId: string; type: string; fromDate: string; toDate: string; half: string; reason: string; files: Attached[] }

function Ask({ day }: { day: Day }) {
  const children = day.children.filter((c) => c.status === "ACTIVE")
  const chosen = children.find((c) => c.id === query.value.get("child")) ?? children[0]
  const d = useDraft<Answers>(applying, { studentId: chosen?.id ?? "", type: "SICK", fromDate: today(), toDate: "", half: "", reason: "", files: [] })
  const [busy, setBusy] = useState(false)
  const v = d.value
  if (!chosen) return <State icon="person" title={t("No child is linked to your account")} />
  if (!v) return null
  const child = children.find((c) => c.id === v.studentId) ?? chosen
  const half = v.half === "FIRST" || v.half === "SECOND" ? v.half : undefined
  async function send(e: Event) {
    e.preventDefault()
    setBusy(true)
    try {
      const call = await d.send("/parent/leave/apply", {
        studentId: child.id, type: v!.type as "SICK", fromDate: v!.fromDate, reason: v!.reason.trim(), attachments: [], ...(half ? { half } : v!.toDate && { toDate: v!.toDate }),
      }, { label: t("Leave of {name}", { name: child.firstName }), lane: "leave" })
      const sent = await isSent(call)
      changed()
      say(sent ? t("The class teacher is told.") : t("Kept. It is sent when there is a network."), () => takeBack(call, undefined))
      go("/app/leave", { replace: true })
    } catch (e) {
      sayFault(e)
    } finally {
      setBusy(false)
    }
  }
  const fields: FieldSpec[] = [
    { name: "studentId", label: t("Child"), kind: "choice", options: children.map((c) => ({ value: c.id, text: nameOf(c) })) },
    { name: "type", label: t("Why?"), kind: "choice", options: [
      { value: "SICK", text: t("Ill") }, { value: "CASUAL", text: t("Family or other reasons") }, { value: "EMERGENCY", text: t("Emergency") }] },
    { name: "half", label: t("How long"), kind: "choice", options: [
      { value: "", text: t("Whole days") }, { value: "FIRST", text: t("First half of the day") }, { value: "SECOND", text: t("Second half of the day") }] },
    { name: "fromDate", label: half ? t("Day") : t("From"), kind: "date", required: true },
    ...(half ? [] : [{ name: "toDate", label: t("Until"), kind: "date" as const, min: v.fromDate, help: t("Empty: a single day.") }]),
    { name: "reason", label: t("A word to the teacher"), kind: "textarea" },
  ]
  return (
    <form class="stack" onSubmit={send}>
      {d.refused && <Banner tone="bad" icon="alert"><span role="alert">{d.refused.message}</span></Banner>}
      {fields.map((f) => <Field key={f.name} spec={f} value={v[f.name]} error={d.error(f.name)} onChange={(x) => d.set({ [f.name]: x })} />)}
      <Photos label={t("Photo of the note")} field="attachments" path="/parent/file/upload" most={5} files={v.files} onChange={(files) => d.set({ files })} />
      <Button kind="go" type="submit" busy={busy}>{t("Send the application")}</Button>
    </form>
  )
}
