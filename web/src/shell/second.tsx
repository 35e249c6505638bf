// The second step of a sign-in: a code of an authenticator app, which is set up first where the school or the operator requires one.
import { useState } from "preact/hooks"
import { post } from "../api/client"
import { thisDevice } from "../api/device"
import { enter, type SignedIn } from "../api/session"
import { Banner, Button } from "../ui/basics"
import { Form } from "../ui/form"
import { t } from "../words/words"
import { AppKey, type AppKeyParts } from "./authenticator"
import { sayFault } from "./toast"

export function SecondFactor({ step, onBack }: { step: SignedIn; onBack: () => void }) {
  const { token, methods } = step.secondFactor!
  const [secret, setSecret] = useState<AppKeyParts>()
  const [codes, setCodes] = useState<SignedIn>()
  if (codes) {
    return <><Banner tone="good">{t("Keep these codes in a safe place. Each works once if you lose your phone.")}</Banner>
      <pre class="codes">{codes.recoveryCodes?.join("\n")}</pre><Button kind="go" onClick={() => enter(codes)}>{t("I have written them down")}</Button></>
  }
  if ((methods as string[]).includes("setup") && !secret) {
    return <><p>{t("Administrators sign in here with a second step: a code from an authenticator app.")}</p>
      <Button kind="go" onClick={() => post("/auth/second-factor/setup", { token }).then((r) => setSecret(r), sayFault)}>{t("Set it up")}</Button></>
  }
  return (
    <>
      {secret && <AppKey {...secret} />}
      <Form single button={t("Sign in")} onCancel={onBack} fields={[{ name: "code", label: t("Code from your app, or a recovery code"), required: true, autocomplete: "one-time-code" }]}
        submit={async (v) => {
          const reply = (await post("/auth/second-factor", { token, code: String(v.code), ...thisDevice() })) as SignedIn
          if (reply.recoveryCodes?.length) setCodes(reply)
          else await enter(reply)
        }} />
    </>
  )
}
