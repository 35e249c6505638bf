// A new announcement to the families and teachers of one's classes, kept while it is typed.
import { remove } from "../api/client"
import { answered, discard, waiting, type Attached } from "../api/queue"
import { useDraft } from "../pocket/draft"
import { Photos } from "../pocket/photo"
import { Screen } from "../pocket/screen"
import { changed } from "../shell/load"
import { go } from "../shell/router"
import { say, sayFault } from "../shell/toast"
import { Bones, Button } from "../ui/basics"
import { Field, type Option } from "../ui/form"
import { momentOf } from "../words/format"
import { t } from "../words/words"
import { useDivisions, type Classes } from "./classes"

const name = "announcement"
const recall = 30_000 // ms in which it can be called back

export default function Write() {
  const classes = useDivisions()
  const d = useDraft(name, { title: "", body: "", divisionIds: [] as string[], classIds: [] as string[], at: "", isPinned: false, attachments: [] as string[], files: [] as Attached[] })
  const v = d.value
  const options = optionsOf(classes.data)
  const chosen = v ? (v.divisionIds.length || v.classIds.length) > 0 : false
  async function send(e: Event) {
    e.preventDefault()
    try {
      const whole = v!.classIds.length > 0
      const id = await d.send("/teacher/announcement/create", {
        title: v!.title.trim(), body: v!.body, audience: whole ? "CLASS" : "DIVISION", ...(whole ? { classIds: v!.classIds } : { divisionIds: v!.divisionIds }), isPinned: v!.isPinned, attachments: [],
        publishAt: v!.at ? momentOf(v!.at) : new Date(Date.now() + recall).toISOString(),
      }, { label: t("Announcement: {title}", { title: v!.title.trim() }), lane: name })
      say(v!.at ? t("The announcement is scheduled.") : t("The announcement goes out in half a minute."), () => callBack(id))
      go("/app/news")
    } catch (e) {
      sayFault(e)
    }
  }
  return (
    <Screen title={t("New announcement")} back="/app/news">
      {!v ? <Bones /> : (
        <form class="form" onSubmit={(e) => void send(e)}>
          {d.refused && <div class="summary" role="alert"><b>{d.refused.message}</b></div>}
          <div class="fields one">
            <Field spec={{ name: "divisionIds", label: t("For whom"), kind: "many", options, help: t("Their parents and teachers get it.") }} value={[...v.divisionIds, ...v.classIds]} error={d.error("divisionIds") ?? d.error("classIds")}
              onChange={(x) => d.set(split(x as string[], classes.data))} />
            <Field spec={{ name: "title", label: t("Title"), required: true }} value={v.title} error={d.error("title")} onChange={(x) => d.set({ title: String(x) })} />
            <Field spec={{ name: "body", label: t("Text"), kind: "textarea" }} value={v.body} error={d.error("body")} onChange={(x) => d.set({ body: String(x) })} />
            <Field spec={{ name: "publishAt", label: t("Send later, at"), kind: "moment" }} value={v.at} error={d.error("publishAt")} onChange={(x) => d.set({ at: String(x ?? "") })} />
          </div>
          <Photos label={t("Add photos")} field="attachments" path="/teacher/file/upload" most={10} files={v.files} onChange={(files) => d.set({ files })} />
          <Button kind="go" type="submit" class="full" disabled={!chosen || !v.title.trim()}>{chosen ? t("Send to {names}", { names: [...v.divisionIds, ...v.classIds].map((id) => options.find((o) => o.value === id)?.text ?? "").join(", ") }) : t("Choose for whom")}</Button>
        </form>
      )}
    </Screen>
  )
}

function optionsOf(classes: Classes | undefined): Option[] {
  return (classes?.items ?? []).flatMap((c) => (c.divisions.length ? c.divisions.map((d) => ({ value: d.id, text: `${c.name} ${d.name}` })) : [{ value: c.id, text: c.name }]))
}

/** An announcement is for divisions or for classes without any. */
function split(ids: string[], classes: Classes | undefined): { divisionIds: string[]; classIds: string[] } {
  const whole = new Set((classes?.items ?? []).filter((c) => !c.divisions.length).map((c) => c.id))
  const classIds = ids.filter((id) => whole.has(id))
  return classIds.length ? { classIds, divisionIds: [] } : { classIds: [], divisionIds: ids }
}

/** Takes it back: from this phone if it was not sent, from the service otherwise. */
async function callBack(id: number): Promise<void> {
  if (waiting.value.some((w) => w.id === id && !w.tried)) return discard(id)
  const reply = answered.value?.id === id ? (answered.value.reply as { id: string }) : undefined
  if (!reply) throw new Error(t("It is on its way. Delete it in the list."))
  await remove("/teacher/announcement/{id}", { path: { id: reply.id } })
  changed()
}
