import { useState } from "preact/hooks"
import type { Row } from "../../api/contract"
import { Head, Tabs } from "../../ui/basics"
import { Changes, differences, fieldOf } from "../../ui/changes"
import { Dialog } from "../../ui/dialog"
import { List } from "../../ui/list"
import { when } from "../../words/format"
import { t } from "../../words/words"

export function AuditTabs({ current }: { current: string }) {
  return <Tabs label={t("Parts of the log")} current={current} items={[
    { key: "changes", text: t("Changes"), href: "/app/audit" }, { key: "reads", text: t("Who saw whom"), href: "/app/audit/reads" }, { key: "sign-ins", text: t("Sign-ins"), href: "/app/audit/sign-ins" },
  ]} />
}

export default function AuditLog() {
  const [open, setOpen] = useState<Row<"/school-admin/audit/list">>()
  return (
    <>
      <Head title={t("Audit log")} sub={t("Who changed what. Nothing here can be changed or deleted.")} />
      <AuditTabs current="changes" />
      <List path="/school-admin/audit/list" name="audit" open={(e) => setOpen(e)} columns={[
        { key: "what", label: t("What happened"), text: (e) => `${e.userName ?? ""} ${e.action}`, cell: (e) => <Changes entry={e} /> },
        { key: "at", label: t("When"), text: (e) => e.at, cell: (e) => <time class="muted nowrap">{when(e.at)}</time> },
        { key: "ip", label: t("Address"), text: (e) => e.ip, cell: (e) => <span class="muted">{e.ip}</span>, off: true },
      ]} filters={[{ name: "from", label: t("From"), kind: "date" }, { name: "to", label: t("Until"), kind: "date" }]} empty={{ icon: "list", title: t("Nothing has been changed yet") }} />
      {open && (
        <Dialog title={t("Before and after")} wide onClose={() => setOpen(undefined)}>
          <Changes entry={open} />
          <div class="frame"><table>
            <thead><tr><th scope="col">{t("Field")}</th><th scope="col">{t("Before")}</th><th scope="col">{t("After")}</th></tr></thead>
            <tbody>{differences(open).map(([field, before, after]) => <tr key={field}><th scope="row">{fieldOf(field)}</th><td>{before && <del>{before}</del>}</td><td>{after && <ins>{after}</ins>}</td></tr>)}</tbody>
          </table></div>
        </Dialog>
      )}
    </>
  )
}
