// The answer below a conversation. What was typed stays until it is sent.
import { useEffect, useRef, useState } from "preact/hooks"
import { post } from "../../api/client"
import { Fault } from "../../api/client"
import { onOther } from "../../shell/kept"
import { asFault, changed } from "../../shell/load"
import { Button } from "../../ui/basics"
import { Attach, type Attached } from "../../ui/files"
import { useWarning } from "../../ui/form"
import { t } from "../../words/words"

const drafts = new Map<string, string>() // by conversation, until the page is closed or the person has left
onOther(() => drafts.clear())

export function Write({ threadId, name }: { threadId: string; name: string }) {
  const [body, setBody] = useState(drafts.get(threadId) ?? "")
  const [files, setFiles] = useState<Attached[]>([])
  const [fault, setFault] = useState<Fault>()
  const [busy, setBusy] = useState(false)
  const key = useRef(crypto.randomUUID())
  const field = useRef<HTMLTextAreaElement>(null)
  const dirty = useRef(false)
  dirty.current = files.length > 0
  useWarning(dirty)
  useEffect(() => { if (matchMedia("(min-width: 52.01rem)").matches) field.current?.focus({ preventScroll: true }) }, [])
  const type = (text: string) => { setBody(text); drafts.set(threadId, text) }
  async function send(e?: Event) {
    e?.preventDefault()
    if (busy || (!body.trim() && files.length === 0)) return
    setBusy(true)
    try {
      await post("/school-admin/message/send", { threadId, body: body.trim(), attachments: files.map((f) => f.id) }, { key: key.current })
      key.current = crypto.randomUUID()
      const now = drafts.get(threadId) ?? "" // more may have been typed meanwhile
      type(now.startsWith(body) ? now.slice(body.length).trimStart() : now)
      setFiles((old) => old.filter((f) => !files.includes(f)))
      setFault(undefined)
      changed()
    } catch (err) {
      setFault(asFault(err))
    } finally {
      setBusy(false)
      field.current?.focus()
    }
  }
  return (
    <form class="write" onSubmit={send}>
      {fault && <div class="summary" role="alert"><b>{fault.message}</b></div>}
      <textarea ref={field} class="input" rows={2} maxLength={4000} aria-label={t("Message to {name}", { name })} placeholder={t("Write to {name}", { name })} value={body}
        onInput={(e) => type(e.currentTarget.value)} onKeyDown={(e) => { if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) void send(e) }} />
      <div class="row"><Attach label={t("Attach files")} purpose="MESSAGE" files={files} onChange={setFiles} small /><span class="push" />
        <Button kind="go" type="submit" busy={busy} disabled={!body.trim() && files.length === 0} hint="Ctrl ↵">{t("Send")}</Button></div>
    </form>
  )
}
