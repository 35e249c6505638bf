// The first start: the link that the server printed makes the super-administrator and the first school.
import { useState } from "preact/hooks"
import { post } from "../api/client"
import type { Input } from "../api/contract"
import type { SignedIn } from "../api/session"
import { State } from "../ui/basics"
import { Form, type FieldSpec } from "../ui/form"
import { currencies, zones } from "../ui/schoolfields"
import { language, t } from "../words/words"
import { go } from "./router"
import { useGet } from "./load"

const fields = (): FieldSpec[] => [
  { name: "name", label: t("Your name"), required: true, autocomplete: "name" }, { name: "email", label: t("Your e-mail"), kind: "email", required: true, autocomplete: "username" },
  { name: "password", label: t("Your password"), kind: "password", required: true, wide: true, autocomplete: "new-password", help: t("At least 10 characters. A few words are easier to remember than signs.") },
  { name: "schoolName", label: t("The school's name"), required: true, wide: true },
  { name: "timezone", label: t("Time zone"), kind: "select", options: zones() }, { name: "currency", label: t("Currency"), kind: "select", options: currencies() },
  { name: "officeName", label: t("Who runs the office"), required: true }, { name: "officeEmail", label: t("The office's e-mail"), kind: "email", required: true, help: t("Another one than yours: each e-mail signs in to one account.") },
  { name: "officePassword", label: t("The office's password"), kind: "password", autocomplete: "new-password", wide: true, help: t("Left empty, the office gets a link to set one.") },
]

export function Setup({ take }: { take: (reply: SignedIn) => Promise<void> }) {
  const needed = useGet("/auth/setup")
  const [token] = useState(() => location.hash.slice(1))
  if (needed.data && !needed.data.needed) return <main class="page"><State icon="check" title={t("Homeroom is set up already")}><p><a href="/app/sign-in">{t("Sign in")}</a></p></State></main>
  if (!token) return <main class="page"><State icon="flag" title={t("This link is not whole")}><p>{t("Copy the whole link that the server printed when it was started.")}</p></State></main>
  return (
    <main class="enter alone wide">
      <div class="enter-form">
        <div class="row"><span class="crest" aria-hidden="true">H</span><b>Homeroom</b></div>
        <div class="stack loose">
          <div><h1>{t("Welcome")}</h1><p class="muted">{t("You run this installation. The office runs the school.")}</p></div>
          <Form fields={fields()} button={t("Set up Homeroom")} initial={{ timezone: Intl.DateTimeFormat().resolvedOptions().timeZone, currency: "USD" }}
            submit={async (v) => {
              const reply = await post("/auth/setup", { ...v, token, locale: language() } as Input<"/auth/setup", "post">)
              history.replaceState(null, "", "/app/setup") // the token is used
              await take(reply as SignedIn)
            }} onDone={() => go("/app/platform", { replace: true })} />
        </div>
      </div>
    </main>
  )
}
