import { useState } from "preact/hooks"
import { post } from "../../api/client"
import type { Row } from "../../api/contract"
import { may } from "../../api/session"
import { changed } from "../../shell/load"
import { say, sayFault } from "../../shell/toast"
import { Badge, Button, Facts, Head, Icon, Tabs, type Tone } from "../../ui/basics"
import { Dialog } from "../../ui/dialog"
import type { Option } from "../../ui/form"
import type { IconName } from "../../ui/icons"
import { List, type Column } from "../../ui/list"
import { when } from "../../words/format"
import { n, t } from "../../words/words"
import { sections } from "./words"

type Delivery = Row<"/school-admin/notification/deliveries">

const channels = (): (Option & { icon: IconName })[] => [{ value: "sms", text: t("SMS"), icon: "chat" }, { value: "email", text: t("E-mail"), icon: "mail" },
  { value: "push", text: t("Push"), icon: "bell" }]
const statuses = (): (Option & { tone: Tone })[] => [
  { value: "QUEUED", text: t("waits"), tone: "info" }, { value: "SENT", text: t("sent"), tone: "" }, { value: "FAILED", text: t("did not arrive"), tone: "bad" },
]
/** The address in words: topics and devices are names of our own. */
const to = (d: Delivery) => (d.channel !== "push" || !d.to ? d.to
  : d.to === "device" ? t("a phone")
    : d.to.startsWith("school_") ? t("everybody") : d.to.startsWith("student_") ? t("parents of a child") : d.to.startsWith("teacher_") ? t("a teacher") : t("a driver"))
const status = (d: Delivery) => statuses().find((s) => s.value === d.status) ?? { text: t("under way"), tone: "info" as Tone }

const columns = (open: (d: Delivery) => void): Column<Delivery>[] => [
  { key: "subject", label: t("Message"), rest: true, text: (d) => d.subject ?? d.body,
    cell: (d) => <span class="gist"><button type="button" class="link strong" onClick={() => open(d)}>{d.subject ?? (d.secret ? t("Sign-in code") : t("Message"))}</button>
      <span class="cut muted">{d.body}</span></span> },
  { key: "to", label: t("To|recipient"), text: to, cell: (d) => <span class="one">{to(d)}</span>, hide: "sm" },
  { key: "channel", label: t("Channel"), text: (d) => d.channel,
    cell: (d) => { const c = channels().find((x) => x.value === d.channel); return c && <span class="row muted"><Icon name={c.icon} />{c.text}</span> }, hide: "md" },
  { key: "status", label: t("Status"), text: (d) => status(d).text,
    cell: (d) => (status(d).tone ? <Badge tone={status(d).tone}>{status(d).text}</Badge> : <span class="faint">{status(d).text}</span>) },
  { key: "why", label: t("Answer"), text: (d) => d.providerAnswer, cell: (d) => (d.status === "SENT" ? null : d.providerAnswer && <span class="one">{d.providerAnswer}</span>),
    hide: "md" },
  { key: "at", label: t("When"), sort: "createdAt", text: (d) => d.createdAt, cell: (d) => <time class="nowrap muted">{when(d.sentAt ?? d.createdAt)}</time> },
]

export default function Deliveries() {
  const [open, setOpen] = useState<Delivery>()
  const retries = may("write", "notification")
  return (
    <>
      <Head title={t("Deliveries")} sub={t("Every SMS, e-mail and push of the last 90 days.")} />
      <Tabs label={t("Communication")} items={sections()} current="deliveries" />
      <List path="/school-admin/notification/deliveries" name="deliveries" columns={columns(setOpen)} open={setOpen}
        filters={[{ name: "status", label: t("Status"), options: statuses() }, { name: "channel", label: t("Channel"), options: channels() }]}
        bulk={[{ icon: "swap", text: () => t("Send again"), hidden: !retries, run: (rows, clear) => void retry(rows.filter((r) => r.status === "FAILED")).then(clear) }]}
        rowActions={(d) => retries && d.status === "FAILED" && !d.secret && <Button size="sm" onClick={() => void retry([d])}>{t("Send again")}</Button>}
        empty={{ icon: "mail", title: t("Nothing was sent yet") }} />
      {open && <One d={open} retries={retries} onClose={() => setOpen(undefined)} />}
    </>
  )
}

function One({ d, retries, onClose }: { d: Delivery; retries: boolean; onClose: () => void }) {
  return (
    <Dialog title={d.subject ?? t("Message")} onClose={onClose} side
      footer={retries && d.status === "FAILED" && !d.secret && <Button kind="go" onClick={() => void retry([d]).then(onClose)}>{t("Send again")}</Button>}>
      {d.body ? <div class="bubble theirs pre">{d.body}</div> : <p class="muted">{d.secret ? t("The text is not kept, because it is a code or a link to sign in.") : "–"}</p>}
      <Facts items={[
        [t("To|recipient"), to(d)], [t("Channel"), channels().find((c) => c.value === d.channel)?.text], [t("Status"), <Badge key="s" tone={status(d).tone}>{status(d).text}</Badge>],
          [t("Written"), when(d.createdAt)],
        [t("Sent"), d.sentAt && when(d.sentAt)], [t("Waits until"), d.notBefore && when(d.notBefore)], [t("Attempts"), d.attempts], [t("Provider"), d.provider],
          [t("Answer"), d.providerAnswer],
      ]} />
    </Dialog>
  )
}

async function retry(failed: Delivery[]): Promise<void> {
  let done = 0
  for (const d of failed) {
    try {
      await post("/school-admin/notification/deliveries/{id}/retry", undefined, { path: { id: d.id } })
      done++
    } catch (e) {
      sayFault(e)
    }
  }
  if (done) { changed(); say(n(done, "{n} message is on its way again.", "{n} messages are on their way again.")) }
  else if (failed.length === 0) say(t("None of these has failed."))
}
