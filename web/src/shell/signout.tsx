// Signing out of a phone, which deletes what is kept on it only: then the person is asked.
import { useState } from "preact/hooks"
import type { JSX } from "preact"
import { unsent } from "../api/queue"
import { leave } from "../api/session"
import { Button } from "../ui/basics"
import { Dialog } from "../ui/dialog"
import { n, t } from "../words/words"

/** Returns what signs out, and the question to render. */
export function useSignOut(): [() => Promise<void>, JSX.Element | false] {
  const [lost, setLost] = useState(0) // things that signing out would delete
  const out = () => void leave()
  const ask = async () => { const count = await unsent(); if (count) setLost(count); else out() }
  return [ask, lost > 0 && (
    <Dialog title={t("Not everything is sent")} onClose={() => setLost(0)}
      footer={<><Button onClick={() => setLost(0)}>{t("Stay signed in")}</Button><Button kind="danger" onClick={out}>{t("Delete them and sign out")}</Button></>}>
      <p>{n(lost, "{n} thing is kept on this phone only. Signing out deletes it.", "{n} things are kept on this phone only. Signing out deletes them.")}</p>
    </Dialog>
  )]
}
