// The page that links in e-mails open: a person chooses a password.
import { useState } from "preact/hooks"
import { Fault, post } from "../api/client"
import { Banner, Button } from "../ui/basics"
import { Form } from "../ui/form"
import { t } from "../words/words"
import { go, query } from "./router"

const shortest = 10

export default function Reset() {
  const [token] = useState(() => {
    const secret = query.value.get("token") ?? ""
    go("/reset", { replace: true }) // the link is a secret: it leaves the address bar and the history at once
    return secret
  })
  const [done, setDone] = useState(false)
  return (
    <main class="enter alone">
      <div class="enter-form">
        <div class="row"><span class="crest" aria-hidden="true">H</span><b>Homeroom</b></div>
        <div class="stack loose">
          <h1 tabIndex={-1}>{done ? t("Your password is set") : t("Choose a password")}</h1>
          {done ? <><p>{t("You are signed out everywhere. Sign in with the new password.")}</p>
            <p><a class="btn go" href="/" target="_self">{t("Sign in")}</a></p></>
            : token ? <Choose token={token} onDone={() => setDone(true)} />
              : <div role="alert"><Banner tone="bad" icon="alert">{t("This link is not complete. Open it from the e-mail again, or ask for a new one.")}</Banner></div>}
        </div>
        <span />
      </div>
    </main>
  )
}

function Choose({ token, onDone }: { token: string; onDone: () => void }) {
  const [shown, setShown] = useState(false)
  const kind = shown ? "text" : "password"
  return (
    <Form single button={t("Set password")} fields={[
      { name: "password", label: t("New password"), kind, required: true, autocomplete: "new-password", help: t("At least 10 characters. A few words are easier to remember than signs.") },
      { name: "again", label: t("The same again"), kind, required: true, autocomplete: "new-password" },
    ]} submit={async (v) => {
      const password = String(v.password)
      if ([...password].length < shortest) throw wrong("password", t("needs at least 10 characters"))
      if (password !== v.again) throw wrong("again", t("is not the same as the first one"))
      await post("/auth/reset-password", { token, password })
    }} onDone={onDone}
      secondary={<Button kind="plain" icon="eye" aria-pressed={shown} onClick={() => setShown(!shown)}>{t("Show what I type")}</Button>} />
  )
}

const wrong = (field: string, message: string) => new Fault(422, "", message, [{ field, message }])
