// The dock refines the mark of the child that was tapped last.
import type { ComponentChildren } from "preact"
import { Button, Segments } from "../ui/basics"
import { Dialog } from "../ui/dialog"
import { fullName } from "../words/format"
import { t } from "../words/words"
import type { Child } from "./marking"
import type { Mark } from "./marks"

interface Props { last: Child | undefined; period: boolean; onSet: (c: Child, m: Mark) => void; onRemark: (c: Child) => void; children: ComponentChildren }

const minutes = [5, 10, 15, 30]

export function Dock({ last, period, onSet, onRemark, children }: Props) {
  return (
    <>
      {last && last.mark.status !== "HOLIDAY" && (
        <>
          <div class="row"><b class="grow cut" role="status">{sentence(last)}</b>
            <Button kind="plain" size="sm" onClick={() => onRemark(last)} aria-label={t("Remark about {name}", { name: fullName(last.row) })}>{t("Remark")}</Button></div>
          <Refine mark={last.mark} period={period} onChange={(m) => onSet(last, m)} />
        </>
      )}
      {children}
    </>
  )
}

function Refine({ mark, period, onChange }: { mark: Mark; period: boolean; onChange: (m: Mark) => void }) {
  const said = mark.remark ? { remark: mark.remark } : {}
  if (mark.status === "LATE") {
    return (
      <Segments label={t("How late")} value={String(mark.minutesLate ?? "")}
        options={[...minutes.map((n) => ({ value: String(n), text: mark.minutesLate === n ? t("{n} min", { n }) : String(n) })), ...(period ? [] : [{ value: "half", text: t("Half day") }])]}
        onChange={(v) => onChange(v === "half" ? { status: "ABSENT", halfDay: "FIRST", ...said } : { status: "LATE", ...(v !== String(mark.minutesLate) && { minutesLate: Number(v) }), ...said })} />
    )
  }
  if (mark.status !== "ABSENT") return null
  const value = mark.halfDay ?? "whole"
  return (
    <Segments label={t("How long")} value={value}
      options={[{ value: "whole", text: t("Whole day") }, ...(period ? [] : [{ value: "FIRST", text: t("Morning") }, { value: "SECOND", text: t("Afternoon") }]), { value: "leave", text: t("On leave") }]}
      onChange={(v) => onChange(v === "leave" ? { status: "LEAVE", ...said } : { status: "ABSENT", ...(v !== "whole" && { halfDay: v as "FIRST" | "SECOND" }), ...said })} />
  )
}

function sentence({ row, mark }: Child): string {
  const name = fullName(row)
  if (mark.status === "PRESENT") return t("{name} is here", { name })
  if (mark.status === "LATE") return t("{name} is late", { name })
  return mark.status === "LEAVE" ? t("{name} is on leave", { name }) : t("{name} is absent", { name })
}

/** A remark, kept while it is typed. */
export function Remark({ name, mark, onSet, onClose }: { name: string; mark: Mark; onSet: (m: Mark) => void; onClose: () => void }) {
  return (
    <Dialog title={t("Remark about {name}", { name })} onClose={onClose} footer={<Button kind="go" onClick={onClose}>{t("Done")}</Button>}>
      <textarea class="input" rows={4} maxLength={500} aria-label={t("Remark")} value={mark.remark ?? ""} onInput={(e) => onSet({ ...mark, remark: e.currentTarget.value || undefined })} />
    </Dialog>
  )
}
