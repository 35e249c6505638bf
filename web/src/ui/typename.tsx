// Where nothing brings it back, the person types the name.
import { useState } from "preact/hooks"
import { sayFault } from "../shell/toast"
import { t } from "../words/words"
import { Button } from "./basics"
import { Dialog } from "./dialog"
import { Field } from "./form"

interface Props { title: string; text: string; name: string; button: string; run: () => Promise<unknown>; onClose: () => void }

export function TypeName({ title, text, name, button, run, onClose }: Props) {
  const [typed, setTyped] = useState("")
  const [busy, setBusy] = useState(false)
  const same = typed.trim().toLocaleLowerCase() === name.trim().toLocaleLowerCase()
  async function submit(e: Event) {
    e.preventDefault()
    if (!same) return
    setBusy(true)
    try { await run(); onClose() } catch (err) { sayFault(err); setBusy(false) }
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{text}</p>
      <form class="form" onSubmit={submit}>
        <Field spec={{ name: "name", label: t("Type “{name}” to go on", { name }), required: true }} value={typed} onChange={(v) => setTyped(String(v))} />
        <div class="row formfoot"><span class="push" /><Button kind="plain" onClick={onClose}>{t("Cancel")}</Button>
          <Button kind="danger go" type="submit" busy={busy} disabled={!same}>{button}</Button></div>
      </form>
    </Dialog>
  )
}
