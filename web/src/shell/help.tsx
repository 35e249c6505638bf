import { Dialog } from "../ui/dialog"
import { t } from "../words/words"
import { lettersOn, shortcuts, switchLetters } from "./keys"
import { idleLock } from "./idle"
import { useState } from "preact/hooks"

/** All keys of this page, and the switch for single letters. */
export function Help({ onClose }: { onClose: () => void }) {
  const [idle, setIdle] = useState(idleLock.on())
  return (
    <Dialog title={t("Keys of this page")} onClose={onClose}>
      <dl class="facts">{shortcuts.value.map((s) => <><dt>{s.label}</dt><dd>{s.keys.split(/[+ ]/).map((k) => <kbd key={k}>{k}</kbd>)}</dd></>)}</dl>
      <label class="check"><input type="checkbox" class="switch" checked={lettersOn.value} onChange={(e) => switchLetters(e.currentTarget.checked)} />{t("Single letters work as keys")}</label>
      <label class="check"><input type="checkbox" class="switch" checked={idle} onChange={(e) => { idleLock.set(e.currentTarget.checked); setIdle(e.currentTarget.checked) }} />{t("Lock the screen after ten minutes without a key, for shared computers")}</label>
    </Dialog>
  )
}
