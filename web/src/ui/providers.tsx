// SMS, e-mail and push: whether they work, and a test message to oneself. For the platform and for a school.
import type { JSX } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import type { Reply } from "../api/contract"
import { asFault, changed } from "../shell/load"
import { config } from "../shell/config"
import { count, when } from "../words/format"
import { t } from "../words/words"
import { Badge, Button, Card, Facts, Icon } from "./basics"
import type { IconName } from "./icons"

type Channel = Reply<"/super-admin/notification/providers", "get">["providers"][number]
type Delivery = Reply<"/super-admin/notification/test/{id}", "get">

/** How this person sends a test and asks for its result. */
export interface Tester { send: (channel: Channel["channel"]) => Promise<Delivery>; look: (id: string) => Promise<Delivery> }

const names = (): Record<Channel["channel"], [string, IconName]> => ({ sms: [t("SMS"), "chat"], email: [t("E-mail"), "mail"], push: [t("Push"), "bell"] })

export function Providers({ channels, tester }: { channels: Channel[]; tester: Tester | undefined }) {
  return <div class="tiles">{channels.map((c) => <Provider key={c.channel} channel={c} tester={tester} />)}</div>
}

function Provider({ channel: c, tester }: { channel: Channel; tester: Tester | undefined }) {
  const [name, icon] = names()[c.channel]
  return (
    <Card title={<span class="row"><Icon name={icon} />{name}</span>} badge={<Health channel={c} />}>
      {!c.configured && <p class="small muted">{config.demo ? t("Nothing is sent in the demo. Messages are kept in the outbox.")
        : t("No provider is set: messages are only recorded, and reach nobody. Whoever runs the service can set one.")}</p>}
      <Facts items={[
        [t("Provider"), c.configured ? c.provider : t("none, recorded only")], [t("Last sent"), when(c.lastSentAt)], [t("Sent in 24 hours"), count(c.sentLastDay)],
        [t("Waiting"), count(c.waiting)], [t("Failed in 24 hours"), count(c.failedLastDay)],
        ...(c.lastFailure ? [[t("Last failure"), <Last failure={c.lastFailure} />] as [string, JSX.Element]] : []),
      ]} />
      {tester && <Test channel={c} name={name} tester={tester} />}
    </Card>
  )
}

function Last({ failure: f }: { failure: NonNullable<Channel["lastFailure"]> }) {
  return <><span class="bad">{f.reason ?? t("without a reason")}</span> <span class="muted nowrap">{when(f.at)}</span></>
}

function Health({ channel: c }: { channel: Channel }) {
  const failed = c.lastFailure && (!c.lastSentAt || c.lastFailure.at > c.lastSentAt)
  if (!c.configured) return <Badge tone={config.demo ? "info" : "warn"}>{config.demo ? t("demo") : t("not set up")}</Badge>
  if (failed) return <Badge tone="bad">{t("fails")}</Badge>
  return c.lastSentAt ? <Badge tone="good">{t("works")}</Badge> : <Badge>{t("not used yet")}</Badge>
}

const looks = 20 // for the result, a second apart

function Test({ channel: c, name, tester }: { channel: Channel; name: string; tester: Tester }) {
  const [state, set] = useState<{ busy: boolean; text: string; bad: boolean }>({ busy: false, text: "", bad: false })
  const here = useRef(true)
  useEffect(() => () => { here.current = false }, [])
  async function run() {
    set({ busy: true, text: t("The test message is on its way …"), bad: false })
    try {
      let d = await tester.send(c.channel)
      for (let i = 0; d.status === "QUEUED" && i < looks && here.current; i++) {
        await new Promise((done) => setTimeout(done, 1000))
        d = await tester.look(d.id)
      }
      set({ busy: false, ...result(d) })
      changed()
    } catch (e) { set({ busy: false, text: asFault(e).message, bad: true }) }
  }
  return (
    <div class="row wrap">
      <Button size="sm" busy={state.busy} aria-label={t("Send me a test by {channel}", { channel: name })} onClick={run}>{t("Send me a test")}</Button>
      <span role="status" class={state.bad ? "small bad" : "small muted"}>{state.text}</span>
    </div>
  )
}

function result(d: Delivery): { text: string; bad: boolean } {
  if (d.status === "SENT") return { text: d.channel === "push" ? t("Sent to your device.") : t("Sent to {to}.", { to: d.to! }), bad: false }
  if (d.status === "FAILED") return { text: t("It failed: {reason}", { reason: d.providerAnswer ?? t("without a reason") }), bad: true }
  return { text: t("It still waits. Look again in a minute."), bad: false }
}
