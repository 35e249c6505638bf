// How a student is charged: the fee category, and the optional lines that were chosen.
import { useState } from "preact/hooks"
import { put } from "../../api/client"
import { may } from "../../api/session"
import { useGet, useLoad } from "../../shell/load"
import { say } from "../../shell/toast"
import { Button, Card, Facts, Ready } from "../../ui/basics"
import { RecordDialog } from "../../ui/record"
import { money } from "../../words/format"
import { t } from "../../words/words"
import { findStructure } from "./structure"
import { frequencyText, type Item } from "./words"

export function ProfileCard({ studentId, classId }: { studentId: string; classId: string | null }) {
  const profile = useGet("/school-admin/fee/student/{studentId}", undefined, { studentId })
  const structure = useLoad(`structure ${classId}`, async (signal) => (classId ? findStructure(classId, signal) : null))
  const [editing, setEditing] = useState(false)
  const optional = structure.data?.items.filter((i) => i.isOptional) ?? []
  const save = (v: { category: string | null; optionalItemIds: string[] }, key?: string) => put("/school-admin/fee/student/{studentId}", v,
    { path: { studentId }, ...(key && { key }) })
  return (
    <Card title={t("How this student is charged")} action={may("write", "fee") && profile.data
      && <Button size="sm" icon="pen" onClick={() => setEditing(true)}>{t("Change")}</Button>}>
      <Ready of={profile} rows={2}>{(p) => (
        <>
          <Facts items={[[t("Category"), p.category], [t("Chose"), optional.filter((i) => p.optionalItemIds.includes(i.id)).map(itemText).join(", ")]]} />
          {editing && <RecordDialog title={t("How this student is charged")} record={{ category: p.category, optionalItemIds: p.optionalItemIds }} onClose={() => setEditing(false)}
            fields={[
              { name: "category", label: t("Category"), help: t("Lines of this category are charged, such as “Staff”."), wide: true },
              { name: "optionalItemIds", label: t("Chosen extras"), kind: "many", options: optional.map((i) => ({ value: i.id, text: itemText(i) })),
                help: optional.length === 0 ? t("The fee structure of the class has no extras.") : "" },
            ]}
            save={async (v, key) => {
              const saved = await save({ category: (v.category as string | null) ?? null, optionalItemIds: v.optionalItemIds as string[] }, key)
              say(t("Saved. It counts from the next charges on."), () => save({ category: p.category, optionalItemIds: p.optionalItemIds }))
              return saved
            }} />}
        </>
      )}</Ready>
    </Card>
  )
}

function itemText(i: Item): string { return `${i.feeHead} ${money(i.amount)} ${frequencyText(i.frequency)}` }
