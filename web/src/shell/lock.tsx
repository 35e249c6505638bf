// The locked screen: the page below stays as it is, but nobody can see, read or use it.
import { useLayoutEffect, useRef, useState } from "preact/hooks"
import { locked, me, recognize, unlock } from "../api/session"
import { locks } from "../api/unlock"
import { Avatar, Button } from "../ui/basics"
import { Field } from "../ui/form"
import { t } from "../words/words"
import { asFault } from "./load"
import { useSignOut } from "./signout"

export function Lock() {
  return locked.value && me.value ? <Locked /> : null
}

function Locked() {
  const { user, school } = me.value!
  const at = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => {
    const app = document.getElementById("app")!
    const [focus, title] = [document.activeElement as HTMLElement | null, document.title]
    app.inert = true
    app.classList.add("covered")
    document.title = "Homeroom"
    at.current!.showModal()
    return () => { app.inert = false; app.classList.remove("covered"); document.title = title; focus?.focus?.() }
  }, [])
  const [out, question] = useSignOut()
  return (
    <dialog class="locked" ref={at} aria-labelledby="locked" onCancel={(e) => e.preventDefault()} onClose={() => at.current?.showModal()}>
      <div class="stack loose">
        <div class="row"><span class="crest" aria-hidden="true">{school.name.slice(0, 1)}</span><b class="cut"><bdi>{school.name}</bdi></b></div>
        <div><h1 id="locked">{t("This screen is locked")}</h1><p class="muted">{locks() ? t("Show that it is you.") : t("Nothing was touched for ten minutes. What you typed is still there.")}</p></div>
        <div class="row"><Avatar name={user.name} size="md" /><b class="cut"><bdi>{user.name}</bdi></b></div>
        {locks() && <Recognize />}
        {user.email && !locks() ? <Key name={user.email} label={t("Password")} autocomplete="current-password" open={(s) => unlock(s, false)} out={() => void out()} />
          : user.hasPin ? <Key label={t("PIN")} autocomplete="off" open={(s) => unlock(s, true)} out={() => void out()} />
            : <Button kind="go" size="tall" onClick={() => void out()}>{t("Sign out")}</Button>}
      </div>
      {question}
    </dialog>
  )
}

/** Asks the phone at once, and again when the button is pressed. */
function Recognize() {
  const [failed, setFailed] = useState(false)
  const stop = useRef(new AbortController())
  const ask = () => {
    stop.current.abort() // one question at a time
    const { signal } = (stop.current = new AbortController())
    void recognize(signal).catch(() => { if (!signal.aborted) setFailed(true) })
  }
  useLayoutEffect(() => { ask(); return () => stop.current.abort() }, [])
  return (
    <>
      <Button kind="go" size="tall" onClick={ask}>{t("Unlock with fingerprint or face")}</Button>
      <div role="alert">{failed && <p class="muted">{t("The phone did not recognize you. Try again, or use your PIN.")}</p>}</div>
    </>
  )
}

interface KeyProps { name?: string; label: string; autocomplete: string; open: (secret: string) => Promise<void>; out: () => void }

function Key({ name, label, autocomplete, open, out }: KeyProps) {
  const [secret, setSecret] = useState("")
  const [wrong, setWrong] = useState("")
  const [busy, setBusy] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  const focus = () => form.current?.querySelector("input")?.focus()
  useLayoutEffect(focus, [])
  async function send(e: Event) {
    e.preventDefault()
    setBusy(true)
    try {
      await open(secret)
    } catch (e) {
      setWrong(asFault(e).message)
      setSecret("")
      setBusy(false)
      focus()
    }
  }
  return (
    <form class="form" ref={form} onSubmit={send}>
      <div role="alert" class="sr">{wrong}</div>
      {name && <input hidden readOnly autocomplete="username" value={name} />}
      <Field spec={{ name: "secret", label, kind: "password", required: true, autocomplete }} value={secret} error={wrong || undefined} onChange={(v) => setSecret(String(v))} />
      <div class="row"><Button kind="plain" onClick={out}>{t("Sign out")}</Button><span class="push" /><Button kind={locks() ? undefined : "go"} type="submit" busy={busy}>{locks() ? t("Unlock with PIN") : t("Unlock")}</Button></div>
    </form>
  )
}
