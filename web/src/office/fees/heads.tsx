import { useState } from "preact/hooks"
import { get, post, put, remove } from "../../api/client"
import type { Row } from "../../api/contract"
import { may } from "../../api/session"
import { changed } from "../../shell/load"
import { useKey } from "../../shell/keys"
import { say, sayFault } from "../../shell/toast"
import { Badge, Button, Head, LinkButton } from "../../ui/basics"
import { Menu } from "../../ui/dialog"
import { List, type Column } from "../../ui/list"
import { RecordDialog } from "../../ui/record"
import { date } from "../../words/format"
import { t } from "../../words/words"
import { FeeTabs } from "./tabs"

type FeeHead = Row<"/school-admin/fee/head/list">

const columns = (): Column<FeeHead>[] => [
  { key: "name", label: t("Name"), sort: "name", text: (h) => h.name, cell: (h) => <b>{h.name}</b> },
  { key: "code", label: t("Code for the accounts"), text: (h) => h.code, cell: (h) => h.code },
  { key: "kind", label: t("Made by"), text: (h) => (h.system ? t("Homeroom") : t("the school")), cell: (h) => (h.system ? <Badge>{t("Homeroom")}</Badge> : "–"), hide: "sm" },
  { key: "created", label: t("Since"), sort: "createdAt", text: (h) => h.createdAt, cell: (h) => <span class="muted nowrap">{date(h.createdAt)}</span>, hide: "sm" },
]

export default function Heads() {
  const writes = may("write", "fee")
  const [editing, setEditing] = useState<FeeHead | "new">()
  useKey("n", t("Add a fee head"), () => { if (writes) setEditing("new") })
  async function drop(h: FeeHead) {
    try {
      await remove("/school-admin/fee/head/{id}", { path: { id: h.id } })
      changed()
      say(t("{name} is deleted.", { name: h.name }), () => post("/school-admin/fee/head/create", { name: h.name, ...(h.code && { code: h.code }) }))
    } catch (e) { sayFault(e) }
  }
  return (
    <>
      <Head title={t("Fee heads")} sub={t("What money is charged for: tuition, transport, books.")}>
        <LinkButton href="/app/fees/structures">{t("Fee structures")}</LinkButton>
        {writes && <Button kind="go" icon="plus" hint="N" onClick={() => setEditing("new")}>{t("Add a fee head")}</Button>}
      </Head>
      <FeeTabs current="structures" />
      <List path="/school-admin/fee/head/list" name="fee-heads" search={t("Name of the fee head")} columns={columns()} open={(h) => { if (writes) setEditing(h) }}
        rowActions={writes ? (h) => <Menu size="sm" label={t("More for {name}", { name: h.name })} items={[
          { text: t("Edit"), icon: "pen", run: () => setEditing(h) },
          { text: t("Delete"), icon: "x", danger: true, hidden: !may("delete", "fee") || !!h.system, run: () => void drop(h) },
        ]} /> : undefined}
        empty={{ icon: "coin", title: t("No fee heads yet"), text: t("A fee structure makes the ones that it needs.") }} />
      {editing && <HeadDialog head={editing === "new" ? undefined : editing} onClose={() => setEditing(undefined)} />}
    </>
  )
}

function HeadDialog({ head, onClose }: { head: FeeHead | undefined; onClose: () => void }) {
  const path = { id: head?.id ?? "" }
  return (
    <RecordDialog title={head ? t("Edit {name}", { name: head.name }) : t("Add a fee head")} onClose={onClose}
      {...(head && { record: { ...head }, latest: async () => ({ ...(await get("/school-admin/fee/head/{id}", undefined, { path })) }) })}
      fields={[{ name: "name", label: t("Name"), required: true }, { name: "code", label: t("Code for the accounts") }]}
      save={async (v, key) => {
        const h = head ? await put("/school-admin/fee/head/{id}", v, { path, key }) : await post("/school-admin/fee/head/create", v as { name: string }, { key })
        say(t("{name} is saved.", { name: h.name }), head
          ? () => put("/school-admin/fee/head/{id}", { name: head.name, code: head.code }, { path })
          : () => remove("/school-admin/fee/head/{id}", { path: { id: h.id } }))
        return h
      }} />
  )
}
