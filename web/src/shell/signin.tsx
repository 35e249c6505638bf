// Sign-in: e-mail and password, second factor, phone and code, PIN; one click in the demo.
import type { ComponentType } from "preact"
import { useEffect, useState } from "preact/hooks"
import { Fault, post } from "../api/client"
import { byCode, enter, type SignedIn } from "../api/session"
import { Avatar, Badge, Banner, Bones, Button, Facts, Icon, Segments } from "../ui/basics"
import { Form } from "../ui/form"
import { language, languages, speak, t, type Language } from "../words/words"
import { config } from "./config"
import { keeps } from "./kept"
import { path } from "./router"
import { sayFault } from "./toast"

interface Taking { take: (reply: SignedIn) => Promise<void> }

/** The page of the first start, loaded only then. */
function FirstStart({ take }: Taking) {
  const [Setup, set] = useState<ComponentType<Taking>>()
  useEffect(() => { import("./setup").then((m) => set(() => m.Setup), sayFault) }, [])
  return Setup ? <Setup take={take} /> : <Bones />
}

type Way = "email" | "phone" | "pin"

export function SignIn({ first }: { first?: Way }) {
  const [way, setWay] = useState<Way>(first ?? usual())
  const [second, setSecond] = useState<SignedIn>()
  const take = async (reply: SignedIn) => { if (reply.secondFactor) setSecond(reply); else await enter(reply) }
  if (path.value === "/app/setup") return <FirstStart take={take} />
  return (
    <main class={config.demo ? "enter" : "enter alone"}>
      <div class="enter-form">
        <div class="row"><span class="crest" aria-hidden="true">H</span><b>Homeroom</b></div>
        <div class="stack loose">
          <h1>{second ? t("One more step") : t("Sign in")}</h1>
          {keeps.value && <Banner icon="info">{t("Your session has ended. What you typed is kept until you sign in again here.")}</Banner>}
          {second ? <SecondFactor step={second} onBack={() => setSecond(undefined)} /> : (
            <>
              <Segments label={t("Way to sign in")} value={way} onChange={setWay} options={[{ value: "email", text: t("E-mail") }, { value: "phone", text: t("Phone and code") }, { value: "pin", text: t("PIN") }]} />
              {way === "email" ? <ByPassword take={take} /> : way === "phone" ? <ByCode take={take} /> : <ByPIN take={take} />}
            </>
          )}
          <p class="help">{t("On a shared computer? We lock the screen after 10 minutes and forget you when you sign out.")}</p>
        </div>
        <footer class="row small">
          {(Object.keys(languages) as Language[]).map((l) => <button type="button" class="link" key={l} aria-current={l === language()} onClick={() => speak(l)}>{languages[l]}</button>)}
          <span class="push faint">Homeroom {config.version}</span>
        </footer>
      </div>
      {config.demo && <Demo take={take} />}
    </main>
  )
}

/** Parents, teachers and drivers sign in by phone, and on one. */
function usual(): Way { return matchMedia("(max-width: 700px)").matches ? "phone" : "email" }

interface Take { take: (reply: SignedIn) => Promise<void> }

function ByPassword({ take }: Take) {
  const [forgot, setForgot] = useState<"asking" | "sent">()
  if (forgot === "sent") return <><Banner tone="good" icon="mail">{t("If this address has an account, a link is on its way. It works for one hour.")}</Banner><Button onClick={() => setForgot(undefined)}>{t("Back to sign-in")}</Button></>
  if (forgot) {
    return <Form single fields={[{ name: "email", label: t("E-mail"), kind: "email", required: true, autocomplete: "username" }]} button={t("Send me a link")}
      onCancel={() => setForgot(undefined)} submit={(v) => post("/auth/forgot-password", v as { email: string })} onDone={() => setForgot("sent")} />
  }
  return (
    <Form single button={t("Sign in")} fields={[
      { name: "email", label: t("E-mail"), kind: "email", required: true, autocomplete: "username" },
      { name: "password", label: t("Password"), kind: "password", required: true, autocomplete: "current-password" },
    ]} submit={async (v) => take(await post("/auth/login", { ...(v as { email: string; password: string }), device: deviceName() }))}
      secondary={<button type="button" class="link" onClick={() => setForgot("asking")}>{t("Forgot the password?")}</button>} />
  )
}

function ByCode({ take }: Take) {
  const [phone, setPhone] = useState("")
  if (!phone) {
    return <Form single fields={[{ name: "phone", label: t("Phone"), kind: "phone", required: true, autocomplete: "tel", help: t("With the country: +1 555 …") }]} button={t("Send me a code")}
      submit={async (v) => { await post("/auth/send-otp", v as { phone: string }); setPhone(String(v.phone)) }} />
  }
  return <Code phone={phone} take={take} onBack={() => setPhone("")} />
}

function Code({ phone, take, onBack }: Take & { phone: string; onBack: () => void }) {
  const send = async (otp: string) => {
    const reply = (await post("/auth/verify-otp", { phone, otp, device: deviceName() })) as SignedIn
    byCode.value = true
    await take(reply)
  }
  useEffect(() => readCode((otp) => void send(otp).catch(sayFault)), [])
  return <Form single button={t("Sign in")} onCancel={onBack} submit={(v) => send(String(v.otp))}
    fields={[{ name: "otp", label: t("Code sent to {phone}", { phone }), kind: "code", required: true, autocomplete: "one-time-code", help: t("Six digits. It works for five minutes.") }]} />
}

/** Takes the code from the text message, where the browser can and the person agrees (WebOTP). Returns how to stop. */
function readCode(take: (otp: string) => void): () => void {
  const stop = new AbortController()
  if ("OTPCredential" in window) {
    const ask = { otp: { transport: ["sms"] }, signal: stop.signal } as CredentialRequestOptions
    navigator.credentials.get(ask).then((c) => { if (c) take((c as Credential & { code: string }).code) }, () => {})
  }
  return () => stop.abort()
}

function ByPIN({ take }: Take) {
  return (
    <Form single button={t("Sign in")} fields={[
      { name: "phone", label: t("Phone"), kind: "phone", required: true, autocomplete: "tel" },
      { name: "pin", label: t("PIN"), kind: "pin", required: true, autocomplete: "current-password" },
    ]} submit={async (v) => take((await post("/auth/verify-pin", { ...(v as { phone: string; pin: string }), device: deviceName() })) as SignedIn)} />
  )
}

function SecondFactor({ step, onBack }: { step: SignedIn; onBack: () => void }) {
  const { token, methods } = step.secondFactor!
  const [secret, setSecret] = useState<{ secret: string; uri: string }>()
  const [codes, setCodes] = useState<SignedIn>()
  if (codes) {
    return <><Banner tone="good">{t("Keep these codes in a safe place. Each works once if you lose your phone.")}</Banner>
      <pre class="codes">{codes.recoveryCodes?.join("\n")}</pre><Button kind="go" onClick={() => enter(codes)}>{t("I have written them down")}</Button></>
  }
  if ((methods as string[]).includes("setup") && !secret) {
    return <><p>{t("Your school requires a second step: a code from an authenticator app.")}</p>
      <Button kind="go" onClick={() => post("/auth/second-factor/setup", { token }).then((r) => setSecret(r), sayFault)}>{t("Set it up")}</Button></>
  }
  return (
    <>
      {secret && <Facts start items={[[t("Key for your app"), <code key="s">{secret.secret}</code>]]} />}
      <Form single button={t("Sign in")} onCancel={onBack} fields={[{ name: "code", label: t("Code from your app, or a recovery code"), required: true, autocomplete: "one-time-code" }]}
        submit={async (v) => {
          const reply = (await post("/auth/second-factor", { token, code: String(v.code), device: deviceName() })) as SignedIn
          if (reply.recoveryCodes?.length) setCodes(reply)
          else await enter(reply)
        }} />
    </>
  )
}

function Demo({ take }: Take) {
  const schools = [...new Set(config.accounts.map((a) => a.school))].filter(Boolean)
  const [busy, setBusy] = useState("")
  async function click(a: (typeof config.accounts)[number]) {
    setBusy(a.email || a.phone)
    try {
      if (a.email) await take(await post("/auth/login", { email: a.email, password: a.password, device: deviceName() }))
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
  await take((await post("/auth/verify-otp", { phone, device: deviceName(), otp, role: role as never })) as SignedIn)
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

/** "Firefox on Windows", for the list of sessions. */
function deviceName(): string {
  const agent = navigator.userAgent
  const browser = /Edg\//.test(agent) ? "Edge" : /Firefox\//.test(agent) ? "Firefox" : /Chrome\//.test(agent) ? "Chrome" : /Safari\//.test(agent) ? "Safari" : t("Browser")
  const system = /Android/.test(agent) ? "Android" : /iPhone|iPad/.test(agent) ? "iOS" : /Windows/.test(agent) ? "Windows" : /Mac OS/.test(agent) ? "macOS" : "Linux"
  return t("{browser} on {system}", { browser, system })
}
