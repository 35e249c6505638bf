// Signing in to the demo with one click.
import { useState } from "preact/hooks"
import { Fault, post } from "../api/client"
import { thisDevice } from "../api/device"
import type { SignedIn } from "../api/session"
import { Avatar, Badge, Icon } from "../ui/basics"
import { t } from "../words/words"
import { config } from "./config"
import { sayFault } from "./toast"

interface Take { take: (reply: SignedIn) => Promise<void> }

export function Demo({ take }: Take) {
  const schools = [...new Set(config.accounts.map((a) => a.school))].filter(Boolean)
  const [busy, setBusy] = useState("")
  async function click(a: (typeof config.accounts)[number]) {
    setBusy(a.email || a.phone)
    try {
      if (a.email) await take(await post("/auth/login", { email: a.email, password: a.password, ...thisDevice() }))
      else await demoCode(a.phone, a.role, take)
    } catch (e) {
      sayFault(e)
    } finally {
      setBusy("")
    }
  }
  const list = (school: string) => (
    <ul>{config.accounts.filter((a) => a.school === school).map((a) => (
      <li key={a.label}><button type="button" class="demo" disabled={!!busy} aria-busy={busy === (a.email || a.phone)} onClick={() => click(a)}>
        <Avatar name={a.label} size="md" /><span class="grow"><b>{t(a.label)}</b><span>{a.email || a.phone}</span></span><Icon name="right" />
      </button></li>
    ))}</ul>
  )
  return (
    <div class="enter-demo"><div class="stack loose">
      <div><Badge tone="brand">{t("Demo")}</Badge><h2>{t("Look around a living school")}</h2><p class="muted">{t("One click signs you in. Change what you like.")}</p></div>
      <div class="demo-cols">{schools.map((s) => <div key={s}><h3>{s}</h3>{list(s)}</div>)}</div>
      <div><h3>{t("The platform")}</h3>{list("")}</div>
      <p class="small muted">{t("Codes by SMS do not leave this computer.")} <a href="/dev/outbox">{t("Read them in the outbox")}</a></p>
    </div></div>
  )
}

/** Signs in to a demo account by the code that the outbox shows. */
async function demoCode(phone: string, role: string, take: Take["take"]): Promise<void> {
  await post("/auth/send-otp", { phone })
  const otp = await sentCode(phone)
  if (!otp) throw new Fault(-1, "NO_CODE", t("The code has not arrived yet. Try again."))
  await take((await post("/auth/verify-otp", { phone, ...thisDevice(), otp, role: role as never })) as SignedIn)
}

/** The newest code in the outbox. A demo that was just made still sends other messages first. */
async function sentCode(phone: string): Promise<string | undefined> {
  for (let i = 0; i < 10; i++) {
    const res = await fetch(`/dev/outbox?channel=sms&to=${encodeURIComponent(phone)}`, { headers: { Accept: "application/json" } })
    const sent = (await res.json()) as { data: { items: { body: string | null }[] } }
    const otp = sent.data.items.map((m) => /\b\d{6}\b/.exec(m.body ?? "")?.[0]).find(Boolean)
    if (otp) return otp
  }
  return undefined
}
