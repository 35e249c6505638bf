// What a cashier does with the till: open it with a float, correct the float, count it, open it again.
import { useState } from "preact/hooks"
import { post, put } from "../../api/client"
import type { Reply, Row } from "../../api/contract"
import { say } from "../../shell/toast"
import { Badge } from "../../ui/basics"
import { Dialog } from "../../ui/dialog"
import { RecordDialog } from "../../ui/record"
import { Form } from "../../ui/form"
import { changed } from "../../shell/load"
import { money } from "../../words/format"
import { t } from "../../words/words"
import { cents } from "./amount"
import { ReasonDialog } from "./reason"

export type Till = Row<"/school-admin/fee/till/list">
export type Sheet = Reply<"/school-admin/fee/till/{id}", "get">
export type TillTask = "open" | "float" | "close" | "reopen"

const floatField = () => ({ name: "float", label: t("Cash in the drawer"), kind: "money" as const, min: 0, required: true, help: t("The float that you start with.") })

/** The dialog of a task. */
export function TillDialog({ task, till, onClose }: { task: TillTask; till?: Till | undefined; onClose: () => void }) {
  if (task === "open") {
    return <RecordDialog title={t("Open a till")} button={t("Open the till")} fields={[floatField()]} record={{ float: 0 }} onClose={onClose}
      save={(v, key) => post("/school-admin/fee/till/open", { float: Number(v.float) }, { key })} done={t("Your till is open.")} />
  }
  if (!till) return null
  const path = { id: till.id }
  if (task === "float") {
    const back = async (saved: unknown) => put("/school-admin/fee/till/{id}", { float: till.float, version: (saved as Till).version }, { path })
    return <RecordDialog title={t("Correct the float")} fields={[floatField()]} record={{ float: till.float, version: till.version }} onClose={onClose}
      save={(v, key) => put("/school-admin/fee/till/{id}", v as { float: number }, { path, key })} done={t("The float is corrected.")} undo={back} />
  }
  if (task === "close") return <Count till={till} onClose={onClose} />
  return <ReasonDialog title={t("Open the till again")} button={t("Open it again")} help={t("The count is taken back. What was taken since is in this till, too.")}
    run={async (reason, key) => { const x = await post("/school-admin/fee/till/{id}/reopen", { reason }, { path, key }); say(t("The till is open again.")); return x }}
    onClose={onClose} />
}

/** Counts the drawer, and asks why if it is not what is expected. */
function Count({ till, onClose }: { till: Till; onClose: () => void }) {
  const [counted, setCounted] = useState<unknown>("")
  const gap = counted === "" || counted === null || counted === undefined ? null : (cents(Number(counted)) - cents(till.expected)) / 100
  const reopen = () => post("/school-admin/fee/till/{id}/reopen", { reason: t("Closed by mistake") }, { path: { id: till.id } })
  return (
    <Dialog title={t("Close the till")} onClose={onClose}>
      <Form single button={t("Close the till")} onCancel={onClose} onValues={(v) => setCounted(v.counted)}
        fields={[
          { name: "counted", label: t("Cash counted"), kind: "money", min: 0, required: true,
            help: t("{sum} is expected: the float and cash taken, less cash given back.", { sum: money(till.expected) }) },
          { name: "note", label: t("Why it differs"), kind: "textarea", required: true, hidden: () => !gap },
        ]}
        submit={(v, key) => post("/school-admin/fee/till/{id}/close", v as { counted: number }, { path: { id: till.id }, key })}
        onDone={() => { changed(); say(t("The till is closed."), reopen); onClose() }}>
        {() => gap !== null && <p role="status"><Gap of={gap} /></p>}
      </Form>
    </Dialog>
  )
}

/** The difference in words: never by colour alone. */
export function Gap({ of }: { of: number | null }) {
  if (of === null) return <>–</>
  if (of === 0) return <Badge tone="good">{t("right")}</Badge>
  return <Badge tone={of < 0 ? "bad" : "warn"}>{of < 0 ? t("{sum} missing", { sum: money(-of) }) : t("{sum} too much", { sum: money(of) })}</Badge>
}
