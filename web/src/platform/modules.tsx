import { useState } from "preact/hooks"
import { post } from "../api/client"
import { Button, Head } from "../ui/basics"
import { List } from "../ui/list"
import { RecordDialog } from "../ui/record"
import { when } from "../words/format"
import { t } from "../words/words"

export default function Modules() {
  const [adding, setAdding] = useState(false)
  return (
    <>
      <Head title={t("Modules")} sub={t("What roles can be given permissions for.")}><Button kind="go" icon="plus" onClick={() => setAdding(true)}>{t("Add a module")}</Button></Head>
      <List path="/super-admin/module/list" name="modules" search={t("Name")} limit={100} empty={{ icon: "cols", title: t("No modules") }} columns={[
        { key: "display", label: t("Name"), text: (m) => m.displayName, cell: (m) => <span class="strong">{m.displayName}</span> },
        { key: "name", label: t("Key"), text: (m) => m.name, cell: (m) => <code>{m.name}</code> },
        { key: "since", label: t("Since"), text: (m) => m.createdAt, cell: (m) => <span class="muted">{when(m.createdAt)}</span>, hide: "sm" },
      ]} />
      {adding && <RecordDialog title={t("Add a module")} onClose={() => setAdding(false)} done={t("The module is there.")}
        fields={[{ name: "displayName", label: t("Name"), required: true }, { name: "name", label: t("Key"), required: true, help: t("Lower-case letters, as in transport.") }]}
        save={(v, key) => post("/super-admin/module/create", v as { name: string; displayName: string }, { key })} />}
    </>
  )
}
