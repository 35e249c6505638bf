// Reminding the teachers who have not marked, and who of them has to be called.
import { useState } from "preact/hooks"
import { post } from "../../api/client"
import type { Reply } from "../../api/contract"
import { changed } from "../../shell/load"
import { say, sayFault } from "../../shell/toast"
import { Button } from "../../ui/basics"
import { Dialog } from "../../ui/dialog"
import { n, t } from "../../words/words"

type Answer = Reply<"/school-admin/attendance/remind", "post">
type Outcome = Answer["divisions"][number]["outcome"]

/** A button that tells every teacher who has not marked today. */
export function Remind({ size }: { size?: "sm" }) {
  const [busy, setBusy] = useState(false)
  const [answer, setAnswer] = useState<Answer>()
  const remind = async () => {
    setBusy(true)
    try {
      const a = await post("/school-admin/attendance/remind", {}, { key: crypto.randomUUID() })
      changed()
      say(inShort(a))
      if (a.unreachable > 0) setAnswer(a)
    } catch (e) { sayFault(e) } finally { setBusy(false) }
  }
  return (
    <>
      <Button {...(size && { size })} icon="bell" busy={busy} onClick={remind}>{t("Remind the teachers")}</Button>
      {answer && <Unreached answer={answer} onClose={() => setAnswer(undefined)} />}
    </>
  )
}

function inShort(a: Answer): string {
  if (a.told > 0) return n(a.told, "One teacher is reminded.", "{n} teachers are reminded.")
  if (a.divisions.length === 0) return t("Every division is marked.")
  return a.unreachable === a.divisions.length ? t("Nobody could be reminded.") : t("They were reminded less than 15 minutes ago.")
}

const why = (o: Outcome): string | undefined => ({
  TOLD: undefined, ALREADY_TOLD: undefined, NO_DEVICE: t("has neither the app nor an e-mail address"), ON_LEAVE: t("is on leave"),
  NO_ACCOUNT: t("has no account"), NO_TEACHER: t("No class teacher"),
})[o]

function Unreached({ answer, onClose }: { answer: Answer; onClose: () => void }) {
  const left = answer.divisions.filter((d) => why(d.outcome))
  return (
    <Dialog title={n(left.length, "One division could not be reached", "{n} divisions could not be reached")} onClose={onClose}
      footer={<Button kind="go" onClick={onClose}>{t("Close")}</Button>}>
      <ul class="list">{left.map((d) => (
        <li key={d.divisionId ?? d.classId}>
          <div class="grow"><b>{d.className} {d.divisionName}</b>
            <p>{d.teacherName ? <><a href={`/app/staff/${d.teacherId}`}><bdi>{d.teacherName}</bdi></a> {why(d.outcome)}</> : why(d.outcome)}</p></div>
          <a class="btn sm" href={`/app/attendance/${d.classId}/${d.divisionId ?? ""}`} hidden={!d.divisionId}>{t("Mark it")}</a>
        </li>
      ))}</ul>
    </Dialog>
  )
}
