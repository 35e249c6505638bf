// The parent's own contact data: a change is proposed, and the office decides.
import { useState } from "preact/hooks"
import { later, waiting } from "../api/queue"
import type { Input } from "../api/contract"
import { Screen } from "../pocket/screen"
import { useGet } from "../shell/load"
import { say, sayFault } from "../shell/toast"
import { Badge, Banner, Button, Card, Facts, Ready } from "../ui/basics"
import { Form, type Values } from "../ui/form"
import { when } from "../words/format"
import { t } from "../words/words"

type Change = Input<"/parent/contact/change", "post">
const about = "contact"

export default function Contact() {
  const contact = useGet("/parent/contact")
  const [editing, setEditing] = useState(false)
  const kept = waiting.value.find((w) => w.about === about && !w.refused)
  async function cancel() {
    try {
      await later("/parent/contact/change/cancel", {} as never, { label: t("Take back the change of your contact data"), lane: about, about: "contact-cancel" })
      say(t("The change is taken back."))
    } catch (e) {
      sayFault(e)
    }
  }
  return (
    <Screen title={t("Your contact data")} back="/app/school">
      <Ready of={contact} rows={6}>{(c) => {
        const now = { name: c.name, phone: c.phone, email: c.email, address: c.address }
        async function propose(v: Values): Promise<number> {
          const body = Object.fromEntries(Object.entries(v).filter(([k, x]) => x !== null && x !== (now[k as keyof typeof now] ?? ""))) as Change
          return later("/parent/contact/change", body, { label: t("Change of your contact data"), lane: about, about })
        }
        return (
          <>
            {kept && <Banner tone="warn" icon="cloud">{t("The change is kept on this phone and not sent yet.")}</Banner>}
            {c.pending && (
              <Card title={t("You asked for a change")} badge={<Badge tone="warn">{t("not decided yet")}</Badge>}>
                <div class="stack">
                  <Facts start items={fields().filter((f) => c.pending![f.name]).map((f) => [f.label, <bdi class="lines">{c.pending![f.name]}</bdi>])} />
                  <p class="small muted">{t("Sent {when}. The office looks at it.", { when: when(c.pending.createdAt) })}</p>
                  <Button onClick={() => void cancel()}>{t("Take it back")}</Button>
                </div>
              </Card>
            )}
            <Card title={t("The school reaches you here")}>
              {editing ? (
                <Form single button={t("Send to the office")} initial={now} submit={propose} onCancel={() => setEditing(false)}
                  onDone={() => { setEditing(false); say(t("The office looks at the change.")) }}
                  fields={[{ name: "name", label: t("Name"), required: true, autocomplete: "name" }, { name: "phone", label: t("Phone"), kind: "phone",
                    autocomplete: "tel", help: t("With the country: +1 555 …") },
                    { name: "email", label: t("E-mail"), kind: "email", autocomplete: "email" }, { name: "address", label: t("Address"), kind: "textarea",
                      autocomplete: "street-address" }]} />
              ) : (
                <div class="stack">
                  <Facts start items={fields().map((f) => [f.label, c[f.name] && <bdi class="lines">{c[f.name]}</bdi>])} />
                  <Button icon="pen" onClick={() => setEditing(true)}>{t("Something is wrong")}</Button>
                </div>
              )}
            </Card>
          </>
        )
      }}</Ready>
    </Screen>
  )
}

function fields() {
  return [{ name: "name", label: t("Name") }, { name: "phone", label: t("Phone") }, { name: "email", label: t("E-mail") }, { name: "address", label: t("Address") }] as const
}
