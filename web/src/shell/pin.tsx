// Choosing a PIN: in the account's settings, and offered after a sign-in by code.
import { post } from "../api/client"
import { byCode, loadAccount, me } from "../api/session"
import { Dialog } from "../ui/dialog"
import { Form } from "../ui/form"
import { t } from "../words/words"
import { say } from "./toast"

export function SetPIN({ offered, onClose }: { offered?: boolean; onClose: () => void }) {
  return (
    <Dialog title={offered ? t("Next time without a code") : t("Set PIN")} onClose={onClose}>
      {offered && <p>{t("Choose a PIN. With it and your phone number you sign in without waiting for a text message.")}</p>}
      <Form single button={t("Set PIN")} onCancel={onClose} fields={[
        { name: "pin", label: t("PIN"), kind: "pin", required: true, autocomplete: "new-password", help: t("Four to six digits.") },
        ...(me.value!.user.hasPin ? [{ name: "currentPin", label: t("The PIN before"), kind: "pin" as const, help: t("Not needed within ten minutes of signing in by code or password.") }] : []),
      ]} submit={(v) => post("/auth/set-pin", v as { pin: string })} onDone={() => { void loadAccount(); say(t("The PIN is set.")); onClose() }} />
    </Dialog>
  )
}

/** After a sign-in by code: the next one needs no text message. */
export default function OfferPIN() { return <SetPIN offered onClose={() => { byCode.value = false }} /> }
