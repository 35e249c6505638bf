// Two records of one person become one. Nothing brings the second back, so the person types the name.
import { useState } from "preact/hooks"
import { post } from "../../api/client"
import { changed } from "../../shell/load"
import { say } from "../../shell/toast"
import { Banner } from "../../ui/basics"
import { Dialog } from "../../ui/dialog"
import { Form } from "../../ui/form"
import { fullName } from "../../words/format"
import { t } from "../../words/words"
import type { Guardian } from "./list"

export function Merge({ two, onClose }: { two: Guardian[]; onClose: (merged: boolean) => void }) {
  const [keepId, setKeep] = useState(two[0]!.id)
  const [wrong, setWrong] = useState(false)
  const keep = two.find((g) => g.id === keepId)!
  const gone = two.find((g) => g.id !== keepId)!
  const rows: [string, (g: Guardian) => string | null][] = [
    [t("Name"), (g) => g.name], [t("Phone"), (g) => g.phone], [t("E-mail"), (g) => g.email], [t("Address"), (g) => g.address],
    [t("Children"), (g) => g.children.map(fullName).join(", ")], [t("App"), (g) => (g.userId ? t("has an account") : t("no account"))],
  ]
  return (
    <Dialog title={t("Merge two records")} wide onClose={() => onClose(false)}>
      <p>{t("Which one stays?")}</p>
      <div class="frame"><div class="scroll"><table>
        <thead><tr><th scope="col"><span class="sr">{t("Field")}</span></th>
          {two.map((g) => <th scope="col" key={g.id}><label class="check"><input type="radio" name="keep" checked={g.id === keepId} onChange={() => setKeep(g.id)} />
            {g.id === keepId ? t("stays") : t("goes")}</label></th>)}</tr></thead>
        <tbody>{rows.map(([label, show]) => <tr key={label}><th scope="row">{label}</th>
          {two.map((g) => <td key={g.id} class={g.id === keepId ? "" : "muted"}><bdi>{show(g) || "–"}</bdi></td>)}</tr>)}</tbody>
      </table></div></div>
      <Banner tone="warn" icon="alert">
        {t("Children, conversations, leave and notifications follow to the record that stays. Of two links to one child the stricter rights hold. Nothing brings the other record back.")}</Banner>
      <Form single button={t("Merge into {name}", { name: keep.name })} onCancel={() => onClose(false)}
        fields={[{ name: "name", label: t("To confirm, type {name}", { name: gone.name }), required: true }]}
        submit={async (v, key) => {
          const typed = String(v.name ?? "").trim() === gone.name
          setWrong(!typed)
          if (typed) await post("/school-admin/guardian/{id}/merge", { guardianId: gone.id }, { path: { id: keep.id }, key })
          return typed
        }}
        onDone={(typed) => { if (!typed) return; changed(); say(t("The two records of {name} are one.", { name: keep.name })); onClose(true) }} />
      {wrong && <p class="error" role="alert">{t("That is not the name of the record that goes.")}</p>}
    </Dialog>
  )
}
