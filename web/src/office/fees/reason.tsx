import { RecordDialog } from "../../ui/record"
import { t } from "../../words/words"

/** Asks why something is taken back. The books keep it, with the reason. */
export function ReasonDialog({ title, help, button, run, onClose }: { title: string; help: string; button: string;
  run: (reason: string, key: string) => Promise<unknown>; onClose: (done: boolean) => void }) {
  return (
    <RecordDialog title={title} button={button} fields={[{ name: "reason", label: t("Reason"), required: true, wide: true, help }]}
      save={(v, key) => run(String(v.reason), key)} onClose={onClose} />
  )
}
