// Minutes on foot to the stop, which the parent sets once and can correct.
import { useState } from "preact/hooks"
import { later, waiting } from "../../api/queue"
import { say, sayFault } from "../../shell/toast"
import { Button, Icon } from "../../ui/basics"
import { Dialog } from "../../ui/dialog"
import { Field } from "../../ui/form"
import { n, t } from "../../words/words"
import type { Rides } from "./bus"

export function Walk({ plan }: { plan: Rides[number] }) {
  const [open, setOpen] = useState(false)
  const [minutes, setMinutes] = useState<unknown>(plan.walkMinutes ?? "")
  const about = `walk:${plan.stopId}`
  const kept = waiting.value.find((w) => w.about === about && !w.refused)
  const known = kept ? (kept.body as { minutes: number | null }).minutes : plan.walkMinutes
  async function save(e: Event) {
    e.preventDefault()
    const value = minutes === "" ? null : Math.min(120, Math.max(0, Math.round(Number(minutes))))
    try {
      await later("/parent/transport/walk", { stopId: plan.stopId, minutes: value }, { label: t("Minutes on foot to {stop}", { stop: plan.stopName }), lane: about, about })
      say(t("Saved."))
      setOpen(false)
    } catch (e) {
      sayFault(e)
    }
  }
  return (
    <>
      <button type="button" class="line card" onClick={() => setOpen(true)}><Icon name="clock" size="md" />
        <span class="grow"><b>{known === null ? t("How long do you walk to the stop?") : n(known, "{n} minute on foot to the stop", "{n} minutes on foot to the stop")}</b>
          <span>{known === null ? t("Then we can say when to leave.") : t("Change|minutes on foot")}</span></span><Icon name="pen" /></button>
      {open && (
        <Dialog title={t("On foot to {stop}", { stop: plan.stopName })} onClose={() => setOpen(false)}>
          <form class="stack" onSubmit={save}>
            <Field spec={{ name: "minutes", label: t("Minutes"), kind: "number", min: 0, max: 120, step: 1,
              help: t("Only you see them. Leave it empty if you don't need to know when to leave.") }} value={minutes} onChange={setMinutes} />
            <div class="row"><span class="push" /><Button kind="go" type="submit">{t("Save")}</Button></div>
          </form>
        </Dialog>
      )}
    </>
  )
}
