// Leave of the children: what was applied for and decided, and what waits on this phone.
import { later, waiting } from "../api/queue"
import { may, me } from "../api/session"
import type { Schema } from "../api/contract"
import { Screen } from "../pocket/screen"
import { useGet } from "../shell/load"
import { say, sayFault } from "../shell/toast"
import { Badge, Button, Card, LinkButton, Ready, State, type Tone } from "../ui/basics"
import { Files } from "../ui/files"
import { range, today, when } from "../words/format"
import { t } from "../words/words"
import { useDay } from "./family"

type Leave = Schema["Leave"]

export function typeName(type: string): string { return type === "SICK" ? t("Ill") : type === "EMERGENCY" ? t("Emergency") : t("Family or other reasons") }

function statusOf(l: Leave): { text: string; tone: Tone } {
  switch (l.status) {
    case "APPROVED": return { text: t("approved"), tone: "good" }
    case "REJECTED": return { text: t("rejected"), tone: "bad" }
    case "CANCELLED": return { text: t("cancelled"), tone: "" }
    default: return { text: t("not decided yet"), tone: "warn" }
  }
}

export default function LeaveList() {
  useDay() // learns of a child whose link has ended
  const list = useGet("/parent/leave/list", { limit: 100 })
  const kept = waiting.value.filter((w) => w.path === "/parent/leave/apply")
  return (
    <Screen title={t("Leave")} back="/app/school" dock={may("write", "leave") && <LinkButton kind="go" icon="plus" href="/app/leave/new">{t("Apply for leave")}</LinkButton>}>
      {kept.map((w) => <Card key={w.id}><div class="row"><b class="grow"><bdi>{w.label}</bdi></b>
        <Badge tone={w.refused ? "bad" : "warn"}>{w.refused ? t("Not accepted") : t("Not sent yet")}</Badge></div>
        {w.refused && <p><a href="/app/leave/new">{w.refused.message}</a></p>}</Card>)}
      <Ready of={list} rows={5}>{(l) => l.items.length === 0 && kept.length === 0
        ? <State icon="door" title={t("No leave so far")} />
        : <>{l.items.map((x) => <One key={x.id} leave={x} />)}</>}</Ready>
    </Screen>
  )
}

function One({ leave }: { leave: Leave }) {
  const status = statusOf(leave)
  const going = waiting.value.some((w) => w.path === "/parent/leave/{id}/cancel" && w.params?.id === leave.id)
  const mine = leave.appliedBy === me.value!.user.id
  const open = leave.status === "PENDING" || (leave.status === "APPROVED" && leave.fromDate > today())
  async function cancel() {
    try {
      await later("/parent/leave/{id}/cancel", {} as never, { label: t("Cancel the leave of {name}", { name: leave.name ?? "" }), lane: "leave", params: { id: leave.id } })
      say(t("The leave is taken back."))
    } catch (e) {
      sayFault(e)
    }
  }
  return (
    <Card>
      <div class="stack">
        <div class="row"><b class="grow"><bdi>{leave.name}</bdi></b><Badge tone={status.tone}>{going ? t("is being cancelled") : status.text}</Badge></div>
        <p>{range(leave.fromDate, leave.toDate)}{leave.half && ` · ${leave.half === "FIRST" ? t("first half") : t("second half")}`} · {typeName(leave.type)}</p>
        {leave.reason && <p class="muted lines"><bdi>{leave.reason}</bdi></p>}
        <Files files={leave.attachmentFiles} />
        {leave.decidedByName && <p class="small muted"><bdi>{t("{name}, {when}", { name: leave.decidedByName, when: when(leave.decidedAt) })}</bdi>{leave.decisionNote
          && <bdi class="lines">: {leave.decisionNote}</bdi>}</p>}
        {mine && open && !going && <Button onClick={() => void cancel()}>{t("Cancel the leave")}</Button>}
      </div>
    </Card>
  )
}
