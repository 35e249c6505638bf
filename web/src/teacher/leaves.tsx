// Leave of the children of one's class, to decide.
import { useState } from "preact/hooks"
import { later, waiting } from "../api/queue"
import { may } from "../api/session"
import { Screen } from "../pocket/screen"
import { useGet } from "../shell/load"
import { query, setQuery } from "../shell/router"
import { say, sayFault } from "../shell/toast"
import { Avatar, Badge, Button, Card, Icon, LinkButton, Ready, Segments, State } from "../ui/basics"
import { Dialog } from "../ui/dialog"
import { Files } from "../ui/files"
import { when } from "../words/format"
import { n, t } from "../words/words"
import { daysOf, kindOf, StateBadge, type Leave } from "../pocket/leavewords"

type Which = "" | "decided"
const about = (l: Leave) => `leave/${l.id}`

export default function Leaves() {
  const which = (query.value.get("show") ?? "") as Which
  const list = useGet("/teacher/leave/student-requests", which ? { limit: 30 } : { status: "PENDING", limit: 50 })
  const [deciding, setDeciding] = useState<{ leave: Leave; approve: boolean }>()
  const shown = (list.data?.items ?? []).filter((l) => (which ? l.status !== "PENDING" : true))
  const left = shown.filter((l) => !waiting.value.some((w) => w.about === about(l))).length
  return (
    <Screen title={which || !list.data ? t("Leave of children") : left ? n(left, "{n} leave to decide", "{n} leaves to decide") : t("No leave to decide")} back="/app/home"
      action={<LinkButton kind="plain" size="sm" href="/app/leave">{t("My leave")}</LinkButton>}>
      <Segments label={t("Show")} value={which} options={[{ value: "" as Which, text: t("To decide") }, { value: "decided", text: t("Decided|several") }]} onChange={(v) => setQuery({ show: v })} />
      <Ready of={list}>{() => (
        shown.length === 0
          ? <State icon="check" title={t("Nothing here")}><p>{t("Parents of your class ask for leave in their app.")}</p></State>
          : <>{shown.map((l) => <One key={l.id} leave={l} onDecide={(approve) => setDeciding({ leave: l, approve })} />)}</>
      )}</Ready>
      {deciding && <Decide key={deciding.leave.id} {...deciding} onClose={() => setDeciding(undefined)} />}
    </Screen>
  )
}

function One({ leave: l, onDecide }: { leave: Leave; onDecide: (approve: boolean) => void }) {
  const call = waiting.value.find((w) => w.about === about(l))
  return (
    <Card>
      <div class="stack loose">
        <div class="row"><Avatar name={l.name ?? "?"} size="lg" /><div class="grow"><b><bdi>{l.name}</bdi></b><p class="small muted">{[l.className, l.divisionName].filter(Boolean).join(" ")} · {kindOf(l)}</p></div><StateBadge of={l.status} /></div>
        <p><b>{daysOf(l)}</b></p>
        {l.reason && <p class="prose clamp"><bdi>{l.reason}</bdi></p>}
        <Files files={l.attachmentFiles} />
        {l.decidedAt && <p class="small muted">{l.decidedByName && <><bdi>{l.decidedByName}</bdi>, </>}{when(l.decidedAt)}{l.decisionNote && <>: <bdi>{l.decisionNote}</bdi></>}</p>}
        {call?.refused && <p class="error" role="alert"><Icon name="alert" />{call.refused.message}</p>}
        {call && !call.refused ? <Badge tone="warn">{t("Decided, not sent yet")}</Badge>
          : l.status === "PENDING" && may("write", "leave") && (
            <div class="pair">
              <Button onClick={() => onDecide(false)} aria-label={t("Reject leave of {name}", { name: l.name ?? "" })}>{t("Reject")}</Button>
              <Button kind="go" onClick={() => onDecide(true)} aria-label={t("Approve leave of {name}", { name: l.name ?? "" })}>{t("Approve")}</Button>
            </div>
          )}
      </div>
    </Card>
  )
}

/** Nothing takes a decision back on the phone, so the button says what it does before it is done. */
function Decide({ leave: l, approve, onClose }: { leave: Leave; approve: boolean; onClose: () => void }) {
  const [note, setNote] = useState("")
  const name = l.name ?? ""
  async function decide() {
    try {
      const body = { ...(note.trim() && { decisionNote: note.trim() }) }
      const o = { params: { id: l.id }, lane: about(l), about: about(l), label: approve ? t("Approval of leave, {name}", { name }) : t("Rejection of leave, {name}", { name }) }
      await (approve ? later("/teacher/leave/{id}/approve", body, o) : later("/teacher/leave/{id}/reject", body, o))
      say(approve ? t("Leave of {name} is approved.", { name }) : t("Leave of {name} is rejected.", { name }))
      onClose()
    } catch (e) {
      sayFault(e)
    }
  }
  return (
    <Dialog title={approve ? t("Approve leave") : t("Reject leave")} onClose={onClose}
      footer={<Button kind={approve ? "go" : "danger go"} class="full" disabled={!approve && !note.trim()} onClick={() => void decide()}>{approve ? t("Approve leave of {name}", { name }) : t("Reject leave of {name}", { name })}</Button>}>
      <div class="stack loose">
        <p>{daysOf(l)}</p>
        <p class="muted">{approve ? t("The days are marked as leave, and the family is told.") : t("The family is told, with your reason.")}</p>
        <label class="field"><span>{approve ? t("Note to the family") : t("Reason")}</span><textarea class="input" maxLength={500} value={note} onInput={(e) => setNote(e.currentTarget.value)} /></label>
      </div>
    </Dialog>
  )
}
