import { post } from "../api/client"
import type { Row } from "../api/contract"
import { changed } from "../shell/load"
import { say, sayFault } from "../shell/toast"
import { Badge, Button, Head, type Tone } from "../ui/basics"
import { List, type Column } from "../ui/list"
import { when } from "../words/format"
import { n, t } from "../words/words"

type Job = Row<"/super-admin/job/list">

const states = (): Record<Job["state"], [string, Tone]> => ({ waiting: [t("waiting"), ""], running: [t("running"), "info"], done: [t("done"), "good"], dead: [t("gave up"), "bad"] })

const columns = (): Column<Job>[] => [
  { key: "kind", label: t("Job"), text: (j) => j.kind, cell: (j) => <span class="strong">{j.kind}</span> },
  { key: "state", label: t("State"), text: (j) => j.state, cell: (j) => { const [text, tone] = states()[j.state]; return <Badge tone={tone}>{text}</Badge> } },
  { key: "attempts", label: t("Attempts"), num: true, text: (j) => j.attempts, cell: (j) => j.attempts, hide: "sm" },
  { key: "error", label: t("Last error"), text: (j) => j.lastError, cell: (j) => j.lastError && <span class="one bad" title={j.lastError}>{j.lastError}</span>, hide: "sm" },
  { key: "run", label: t("Next or last run"), text: (j) => j.runAt, cell: (j) => <span class="muted nowrap">{when(j.finishedAt ?? j.runAt)}</span> },
]

export default function Jobs() {
  const retry = async (jobs: Job[], clear: () => void) => {
    try {
      for (const j of jobs) await post("/super-admin/job/retry", { schoolId: j.schoolId, jobId: j.id })
      clear()
      changed()
      say(n(jobs.length, "{n} job runs again.", "{n} jobs run again."))
    } catch (e) { sayFault(e) }
  }
  return (
    <>
      <Head title={t("Jobs")} sub={t("Messages, reports and clean-ups that run in the background.")} />
      <List path="/super-admin/job/list" name="jobs" columns={columns()} filters={[{ name: "state", label: t("State"), options: Object.entries(states()).map(([value, [text]]) => ({ value, text })) }]}
        bulk={[{ icon: "back", text: () => t("Run again"), run: (jobs, clear) => void retry(jobs, clear) }]}
        rowActions={(j) => j.state === "dead" && <Button size="sm" onClick={() => retry([j], () => {})}>{t("Run again")}</Button>}
        empty={{ icon: "queue", title: t("No jobs"), text: t("Nothing waits, nothing failed.") }} />
    </>
  )
}
