// "Not today": leave for today, which bus and teacher are told of at once. It waits on this phone without a network.
import { useState } from "preact/hooks"
import { discard, later, waiting } from "../../api/queue"
import { Fault } from "../../api/client"
import { may } from "../../api/session"
import { changed } from "../../shell/load"
import { say, sayFault } from "../../shell/toast"
import { Button } from "../../ui/basics"
import { Dialog } from "../../ui/dialog"
import { Field } from "../../ui/form"
import { t } from "../../words/words"
import { isSent, replyOf, type Child } from "../family"
import { notTodayKey } from "../state"

type Type = "SICK" | "CASUAL" | "EMERGENCY"

/** Takes an application back: deletes it while it waits here, else cancels it. */
export async function takeBack(call: number, leave: string | undefined): Promise<void> {
  const w = waiting.value.find((x) => x.id === call)
  if (w && (!w.tried || w.refused)) return discard(call)
  if (w && !leave) await isSent(call, 15_000)
  const id = leave ?? replyOf(call)?.id
  if (!id) throw new Fault(-1, "IN_FLIGHT", t("It is being sent at this moment. You can cancel it under Leave when it has arrived."))
  await later("/parent/leave/{id}/cancel", {} as never, { label: t("Cancel the leave"), lane: "leave", params: { id } })
}

export function NotToday({ child, date }: { child: Child; date: string }) {
  const [open, setOpen] = useState(false)
  const [type, setType] = useState<Type>("SICK")
  const [reason, setReason] = useState("")
  const name = child.firstName
  const kept = waiting.value.find((w) => w.about === notTodayKey(child.id) && !w.refused)
  const leave = child.leaveToday
  if (!may("write", "leave") || child.status !== "ACTIVE") return null
  async function send() {
    try {
      const call = await later("/parent/leave/apply", { studentId: child.id, type, fromDate: date, reason }, { label: t("{name} does not come today", { name }),
        lane: "leave", about: notTodayKey(child.id) })
      setOpen(false)
      const sent = await isSent(call)
      changed()
      say(sent ? t("Bus and teacher are told.") : t("Kept. Bus and teacher are told when there is a network."), call ? () => takeBack(call, undefined) : undefined)
    } catch (e) {
      sayFault(e)
    }
  }
  if (kept || (leave?.mine && leave.status === "PENDING" && !leave.half)) {
    return <Button icon="back" onClick={() => void takeBack(kept?.id ?? 0, leave?.id).then(() => { changed(); say(t("{name} comes after all.",
      { name })) }, sayFault)}>{t("Comes after all")}</Button>
  }
  if (leave && !leave.half) return <a class="btn" href="/app/leave">{t("See the leave")}</a>
  return (
    <>
      <Button icon="door" onClick={() => setOpen(true)}>{t("Not today")}</Button>
      {open && (
        <Dialog title={t("{name} does not come today", { name })} onClose={() => setOpen(false)}
          footer={<><Button onClick={() => setOpen(false)}>{t("Back")}</Button><Button kind="go" onClick={() => void send()}>{t("Tell bus and teacher")}</Button></>}>
          <div class="stack">
            <Field spec={{ name: "type", label: t("Why?"), kind: "choice", options: [{ value: "SICK", text: t("Ill") }, { value: "CASUAL",
              text: t("Family or other reasons") }, { value: "EMERGENCY", text: t("Emergency") }] }} value={type} onChange={(v) => setType(v as Type)} />
            <Field spec={{ name: "reason", label: t("A word to the teacher"), kind: "textarea" }} value={reason} onChange={(v) => setReason(v as string)} />
            <p class="help">{t("The bus does not wait for {name}. The class teacher reads this as an application for leave.", { name })}</p>
          </div>
        </Dialog>
      )}
    </>
  )
}
