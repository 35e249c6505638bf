// The line in which a message is written. What is typed is kept until it is sent, and what is sent goes out once.
import { useState } from "preact/hooks"
import type { Attached } from "../api/queue"
import { sayFault } from "../shell/toast"
import { Banner, Button } from "../ui/basics"
import { t } from "../words/words"
import { useDraft } from "./draft"
import { Photos } from "./photo"
import { routes } from "./routes"

/** Whom a message goes to: a conversation, or somebody about a student. */
export interface To { threadId?: string; recipientId?: string; studentId?: string | null }

/** The name of the draft, and of the calls that come of it. */
export function nameOf(to: To): string { return `message-${to.threadId ?? `${to.recipientId}-${to.studentId ?? ""}`}` }

interface Answers extends Record<string, unknown> { body: string; files: Attached[] }

export function Write({ to, name, onSent }: { to: To; name: string; onSent?: (call: number) => void }) {
  const d = useDraft<Answers>(nameOf(to), { body: "", files: [] })
  const [busy, setBusy] = useState(false)
  const v = d.value ?? { body: "", files: [] }
  const empty = !v.body.trim() && v.files.length === 0
  const label = t("Message to {name}", { name })
  async function send(e: Event) {
    e.preventDefault()
    if (empty) return
    setBusy(true)
    try {
      const call = await d.send(routes().send, { ...to, body: v.body.trim(), attachments: [] }, { label, lane: nameOf(to) })
      onSent?.(call)
    } catch (err) {
      sayFault(err)
    } finally {
      setBusy(false)
    }
  }
  return (
    <form class="talkbox" onSubmit={send}>
      {d.refused && <Banner tone="bad" icon="alert"><span role="alert">{d.refused.message}</span></Banner>}
      <Photos small label={t("Add photo or file")} field="attachments" path={routes().upload} most={10} files={v.files} onChange={(files) => d.set({ files })} />
      <textarea class="input" rows={1} maxLength={4000} dir="auto" aria-label={label} placeholder={t("Message")} value={v.body} onInput={(e) => d.set({ body: e.currentTarget.value })} />
      <Button kind="go" type="submit" busy={busy} aria-disabled={empty}>{t("Send")}</Button>
    </form>
  )
}
