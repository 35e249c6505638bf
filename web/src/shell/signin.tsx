// Sign-in: e-mail and password, second factor, phone and code, PIN.
import type { JSX } from "preact"
import { useEffect, useState } from "preact/hooks"
import { post } from "../api/client"
import { deviceId, thisDevice } from "../api/device"
import { byCode, endSession, enter, leaving, type SignedIn } from "../api/session"
import { Banner, Bones, Button, Segments } from "../ui/basics"
import { Form } from "../ui/form"
import { language, languages, speak, t, type Language } from "../words/words"
import { config } from "./config"
import { keeps } from "./kept"
import { path } from "./router"
import { sayFault } from "./toast"

/** A part that few need, loaded only then: the first start, the demo, the second step. */
function Part({ load }: { load: () => Promise<JSX.Element> }) {
  const [part, set] = useState<JSX.Element>()
  useEffect(() => { load().then(set, sayFault) }, [])
  return part ?? <Bones />
}

type Way = "email" | "phone" | "pin"

export function SignIn({ first }: { first?: Way }) {
  const [way, setWay] = useState<Way>(first ?? usual())
  const [second, setSecond] = useState<SignedIn>()
  const take = async (reply: SignedIn) => { if (reply.secondFactor) setSecond(reply); else await enter(reply) }
  const demo = config.demo && !leaving.value
  if (path.value === "/app/setup") return <Part load={() => import("./setup").then((m) => <m.Setup take={take} />)} />
  return (
    <main class={demo ? "enter" : "enter alone"}>
      <div class="enter-form">
        <div class="row"><span class="crest" aria-hidden="true">H</span><b>Homeroom</b></div>
        <div class="stack loose">
          <h1>{leaving.value ? t("Signing out") : second ? t("One more step") : t("Sign in")}</h1>
          {keeps.value && <Banner icon="info">{t("Your session has ended. What you typed is kept until you sign in again here.")}</Banner>}
          {leaving.value ? <Leaving /> : second ? <Part load={() => import("./second").then((m) => <m.SecondFactor step={second} onBack={() => setSecond(undefined)} />)} /> : (
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
      {demo && <Part load={() => import("./demo").then((m) => <m.Demo take={take} />)} />}
    </main>
  )
}

/** Nobody signs in before the last person is signed out. */
function Leaving() {
  const again = () => void endSession()
  useEffect(() => {
    const timer = setInterval(again, 10_000)
    addEventListener("online", again)
    return () => { clearInterval(timer); removeEventListener("online", again) }
  }, [])
  if (leaving.value === "asking") return <Bones />
  return (
    <>
      <Banner tone="warn" icon="info">{t("The service does not answer, so your session has not ended yet. Keep this page open: we try again until it has.")}</Banner>
      <Button onClick={again}>{t("Try again")}</Button>
    </>
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
    ]} submit={async (v) => take(await post("/auth/login", { ...(v as { email: string; password: string }), ...thisDevice() }))}
      secondary={<button type="button" class="link" onClick={() => setForgot("asking")}>{t("Forgot the password?")}</button>} />
  )
}

function ByCode({ take }: Take) {
  const [phone, setPhone] = useState("")
  if (!phone) {
    return <Form single fields={[{ name: "phone", label: t("Phone"), kind: "phone", required: true, autocomplete: "tel", help: t("With the country: +1 555 …") }]} button={t("Send me a code")}
      submit={async (v) => { await post("/auth/send-otp", { ...(v as { phone: string }), deviceId: deviceId() }); setPhone(String(v.phone)) }} />
  }
  return <Code phone={phone} take={take} onBack={() => setPhone("")} />
}

function Code({ phone, take, onBack }: Take & { phone: string; onBack: () => void }) {
  const send = async (otp: string) => {
    const reply = (await post("/auth/verify-otp", { phone, otp, ...thisDevice() })) as SignedIn
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
    ]} submit={async (v) => take((await post("/auth/verify-pin", { ...(v as { phone: string; pin: string }), ...thisDevice() })) as SignedIn)} />
  )
}
