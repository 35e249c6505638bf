// One's own account: password, second factor, PIN, sessions, and switching to another account of the phone.
import { useEffect, useState } from "preact/hooks"
import { post, remove } from "../api/client"
import { loadAccount, me, pocket } from "../api/session"
import type { Row } from "../api/contract"
import { canVerify, lockApp, locks, unlockApp } from "../api/unlock"
import { Badge, Banner, Button, Card, Head, Icon, Ready } from "../ui/basics"
import { Dialog } from "../ui/dialog"
import { Form } from "../ui/form"
import { when } from "../words/format"
import { t } from "../words/words"
import { AppKey, type AppKeyParts } from "./authenticator"
import { changed, useGet } from "./load"
import { SetPIN } from "./pin"
import { query } from "./router"
import { say, sayFault } from "./toast"

type Open = "password" | "pin" | "factor" | "switch" | undefined

export default function Account() {
  return <><Head title={t("Security and sessions")} sub={identity()} /><Security /></>
}

export function identity(): string {
  const { name, email, phone } = me.value!.user
  return [name, email, phone].filter(Boolean).join(" · ")
}

/** How one signs in and where one is signed in, without a heading. */
export function Security() {
  const { user, accounts } = me.value!
  const wanted = accounts?.find((a) => a.id === query.value.get("switch"))
  const [open, setOpen] = useState<Open>(wanted ? "switch" : undefined)
  const close = () => setOpen(undefined)
  return (
    <>
      <Card title={t("Signing in")} flush>
        <ul class="list">
          {user.email && <li><Icon name="lock" /><div class="grow"><b>{t("Password")}</b><p>{t("Changing it signs you out everywhere else.")}</p></div><Button size="sm" onClick={() => setOpen("password")}>{t("Change password")}</Button></li>}
          {user.phone && <li><Icon name="phone" /><div class="grow"><b>{t("PIN")}</b><p>{user.hasPin ? t("A PIN is set for your phone number.") : t("No PIN is set.")}</p></div><Button size="sm" onClick={() => setOpen("pin")}>{t("Set PIN")}</Button></li>}
          {user.hasPin && pocket.includes(user.role) && <AppLock />}
          {user.role.endsWith("ADMIN") && <li><Icon name="badge" /><div class="grow"><b>{t("Second step")} {user.hasSecondFactor && <Badge tone="good">{t("on")}</Badge>}</b><p>{t("A code from an authenticator app, after the password.")}</p></div>
            <Button size="sm" onClick={() => setOpen("factor")}>{user.hasSecondFactor ? t("Turn off") : t("Turn on")}</Button></li>}
        </ul>
      </Card>
      <Sessions />
      {open === "password" && <ChangePassword onClose={close} />}
      {open === "pin" && <SetPIN onClose={close} />}
      {open === "factor" && (user.hasSecondFactor ? <FactorOff onClose={close} /> : <FactorOn onClose={close} />)}
      {open === "switch" && wanted && <Switch account={wanted} onClose={close} />}
    </>
  )
}

/** The phone asks for a fingerprint or a face when the app is opened. */
function AppLock() {
  const [can, setCan] = useState(locks())
  const [on, setOn] = useState(locks())
  useEffect(() => { void canVerify().then((yes) => setCan(yes || locks())) }, [])
  const flip = () => { void (on ? Promise.resolve(unlockApp()) : lockApp()).then(() => setOn(locks()), () => say(t("This phone did not confirm that it is you."))) }
  if (!can) return null
  return (
    <li><Icon name="lock" /><div class="grow"><b>{t("Lock this app")} {on && <Badge tone="good">{t("on")}</Badge>}</b><p>{t("Opening it asks for your fingerprint, your face or the phone’s own code.")}</p></div>
      <Button size="sm" aria-label={on ? t("Turn off the lock of this app") : t("Turn on the lock of this app")} onClick={flip}>{on ? t("Turn off") : t("Turn on")}</Button></li>
  )
}

const ways: Record<Row<"/auth/sessions">["openedBy"], () => string> = { otp: () => t("by code"), pin: () => t("by PIN"), password: () => t("by password"), switch: () => t("by switching accounts") }

function Sessions() {
  const loaded = useGet("/auth/sessions", { limit: 100 })
  const end = async (id: string) => { try { await remove("/auth/sessions/{id}", { path: { id } }); changed(); say(t("The session is ended.")) } catch (e) { sayFault(e) } }
  const endOthers = async () => { try { await remove("/auth/sessions"); changed(); say(t("All other sessions are ended.")) } catch (e) { sayFault(e) } }
  return (
    <Card title={t("Where you are signed in")} action={<Button size="sm" onClick={endOthers}>{t("Sign out everywhere else")}</Button>} flush>
      <Ready of={loaded}>{(s) => (
        <ul class="list">{s.items.map((x) => (
          <li key={x.id}><Icon name="globe" /><div class="grow"><b>{x.device ?? t("A browser or app")} {x.current && <Badge tone="good">{t("this one")}</Badge>}</b>
            <p>{t("Signed in {way}, {time}. Last used {last}.", { way: ways[x.openedBy](), time: when(x.createdAt), last: when(x.lastUsedAt) })} {x.ip}</p></div>
            {!x.current && <Button size="sm" onClick={() => end(x.id)}>{t("End")}</Button>}</li>
        ))}</ul>
      )}</Ready>
    </Card>
  )
}

interface Close { onClose: () => void }

function ChangePassword({ onClose }: Close) {
  return (
    <Dialog title={t("Change password")} onClose={onClose}>
      <Form single button={t("Change password")} onCancel={onClose} fields={[
        { name: "currentPassword", label: t("Current password"), kind: "password", required: true, autocomplete: "current-password" },
        { name: "newPassword", label: t("New password"), kind: "password", required: true, autocomplete: "new-password", help: t("At least 10 characters. A few words are easier to remember than signs.") },
      ]} submit={(v) => post("/auth/change-password", v as { currentPassword: string; newPassword: string })} onDone={() => { say(t("The password is changed. Other sessions are ended.")); changed(); onClose() }} />
    </Dialog>
  )
}

function FactorOn({ onClose }: Close) {
  const [secret, setSecret] = useState<AppKeyParts>()
  const [codes, setCodes] = useState<string[]>()
  if (codes) {
    const close = () => { onClose(); void loadAccount() } // not before: this dialog is for an account without the second step
    return (
      <Dialog title={t("Recovery codes")} onClose={close} footer={<Button kind="go" onClick={close}>{t("I have written them down")}</Button>}>
        <Banner tone="good">{t("Keep these codes in a safe place. Each works once if you lose your phone.")}</Banner><pre class="codes">{codes.join("\n")}</pre>
      </Dialog>
    )
  }
  return (
    <Dialog title={t("Turn on the second step")} onClose={onClose}>
      {!secret
        ? <><p>{t("You need an authenticator app on your phone. It shows a new code every 30 seconds.")}</p>
            <Button kind="go" onClick={() => post("/auth/second-factor/setup", {}).then(setSecret, sayFault)}>{t("Show the key")}</Button></>
        : <><AppKey {...secret} />
            <Form single button={t("Turn on")} onCancel={onClose} fields={[{ name: "code", label: t("Code"), required: true, autocomplete: "one-time-code" }]}
              submit={(v) => post("/auth/second-factor/confirm", v as { code: string })} onDone={(r) => setCodes((r as { recoveryCodes: string[] }).recoveryCodes)} /></>}
    </Dialog>
  )
}

function FactorOff({ onClose }: Close) {
  return (
    <Dialog title={t("Turn off the second step")} onClose={onClose}>
      <Form single button={t("Turn off")} onCancel={onClose} fields={[{ name: "code", label: t("Code from your app, or a recovery code"), required: true, autocomplete: "one-time-code" }]}
        submit={(v) => post("/auth/second-factor/remove", v as { code: string })} onDone={() => { void loadAccount(); say(t("The second step is off.")); onClose() }} />
    </Dialog>
  )
}

function Switch({ account, onClose }: Close & { account: { id: string; schoolName: string; role: string } }) {
  const admin = account.role.endsWith("ADMIN")
  return (
    <Dialog title={t("Switch to {school}", { school: account.schoolName })} onClose={onClose}>
      {admin && <p>{t("An administrator's account may need a new code to your phone.")} <button type="button" class="link" onClick={() => post("/auth/send-otp", { phone: me.value!.user.phone! }).then(() => say(t("A code is on its way.")), sayFault)}>{t("Send me a code")}</button></p>}
      <Form single button={t("Switch")} onCancel={onClose} fields={admin ? [{ name: "otp", label: t("Code"), autocomplete: "one-time-code" }] : []}
        submit={async (v) => {
          await post("/auth/switch", { accountId: account.id, ...(v.otp ? { otp: String(v.otp) } : {}) })
          location.replace("/app/") // anew: socket, calls that wait and what was seen belong to the other account
        }} />
    </Dialog>
  )
}
