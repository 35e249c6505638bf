// OneRoster: the rosters of the year as files, and keys with which other systems read them.
import { useState } from "preact/hooks"
import { get, post, put, remove } from "../../api/client"
import type { Reply } from "../../api/contract"
import { may } from "../../api/session"
import { changed, useLoad } from "../../shell/load"
import { say, sayFault } from "../../shell/toast"
import { Badge, Banner, Button, Card, Ready } from "../../ui/basics"
import { saveFile } from "../../ui/csv"
import { Dialog } from "../../ui/dialog"
import { RecordDialog } from "../../ui/record"
import { date, when } from "../../words/format"
import { t } from "../../words/words"

type Key = Reply<"/school-admin/oneroster/keys", "get">["keys"][number]
interface Made { clientId: string; clientSecret: string; tokenUrl: string; baseUrl: string }

/** Whoever may not read all of it can neither save the files nor give a key. */
const reads = () => ["student", "employee", "class", "division", "subject"].every((m) => may("read", m))

export function OneRoster() {
  const loaded = useLoad("oneroster keys", () => get("/school-admin/oneroster/keys"))
  const [adds, add] = useState(false)
  const [made, setMade] = useState<Made>()
  const [renaming, rename] = useState<Key>()
  const [leaving, leave] = useState<Key>()
  return (
    <Card title="OneRoster" action={<span class="row wrap">
      {reads() && <Button size="sm" icon="save" onClick={() => saveFile("/school-admin/oneroster/export")}>{t("Save as OneRoster")}</Button>}
      {reads() && may("write", "setting") && <Button size="sm" icon="plus" onClick={() => add(true)}>{t("Add a key")}</Button>}
    </span>} flush>
      <p class="in muted">{t("Learning platforms and library systems read your students, staff, classes and enrolments in this format: from a file, or by themselves with a key.")}</p>
      <Ready of={loaded} rows={2}>{(list) => list.keys.length > 0 && <ul class="list">{list.keys.map((k) => (
        <li key={k.id}>
          <span class="grow"><b><bdi>{k.name}</bdi></b>
            <span class="block small muted">{t("by {name}, {time}", { name: k.creatorName, time: when(k.createdAt) })} · {
              k.lastUsedOn ? t("last used {day}", { day: date(k.lastUsedOn) }) : t("not used yet")}</span>
            {k.status === "STOPPED" && <span class="block small bad">{t("{name} may no longer read all of this.", { name: k.creatorName })}</span>}</span>
          {k.status === "ACTIVE" ? <Badge tone="good">{t("active")}</Badge> : <Badge tone="bad">{t("stopped|key")}</Badge>}
          {may("write", "setting") && <Button size="sm" aria-label={t("Rename {name}", { name: k.name })} onClick={() => rename(k)}>{t("Rename")}</Button>}
          {may("delete", "setting") && <Button size="sm" aria-label={t("Delete {name}", { name: k.name })} onClick={() => leave(k)}>{t("Delete")}</Button>}
        </li>
      ))}</ul>}</Ready>
      {adds && <RecordDialog title={t("Add a key")} button={t("Add")} onClose={() => add(false)}
        fields={[{ name: "name", label: t("Name of the other system"), required: true, wide: true, placeholder: "Moodle",
          help: t("The key can read what you can. It stops if you lose that right or your account.") }]}
        save={async (v) => setMade(await post("/school-admin/oneroster/keys", { name: String(v.name) }))} />}
      {made && <Shown made={made} onClose={() => setMade(undefined)} />}
      {renaming && <RecordDialog title={t("Rename {name}", { name: renaming.name })} record={{ name: renaming.name }} onClose={() => rename(undefined)}
        fields={[{ name: "name", label: t("Name of the other system"), required: true, wide: true }]}
        save={(v) => put("/school-admin/oneroster/keys/{id}", { name: String(v.name) }, { path: { id: renaming.id } })} />}
      {leaving && <Drop of={leaving} onClose={() => leave(undefined)} />}
    </Card>
  )
}

function Shown({ made, onClose }: { made: Made; onClose: () => void }) {
  const copy = async (text: string) => { try { await navigator.clipboard.writeText(text); say(t("Copied.")) } catch (e) { sayFault(e) } }
  const parts: [string, string][] = [[t("Client id"), made.clientId], [t("Client secret"), made.clientSecret], [t("Token URL"), made.tokenUrl], [t("Base URL"), made.baseUrl]]
  return (
    <Dialog title={t("The key")} onClose={onClose} wide footer={<Button kind="go" onClick={onClose}>{t("I have noted it")}</Button>}>
      <Banner tone="warn">{t("Enter this in the other system. The secret is not shown again.")}</Banner>
      {parts.map(([label, value]) => (
        <div key={label} class="stack"><div class="row"><b class="grow">{label}</b>
          <Button size="sm" aria-label={t("Copy {what}", { what: label })} onClick={() => void copy(value)}>{t("Copy|to the clipboard")}</Button></div>
          <pre class="codes small">{value}</pre></div>
      ))}
    </Dialog>
  )
}

function Drop({ of, onClose }: { of: Key; onClose: () => void }) {
  const drop = async () => {
    try {
      await remove("/school-admin/oneroster/keys/{id}", { path: { id: of.id } })
      onClose()
      changed()
      say(t("{name} is deleted.", { name: of.name }))
    } catch (e) { sayFault(e) }
  }
  return (
    <Dialog title={t("Delete {name}?", { name: of.name })} onClose={onClose}
      footer={<><Button onClick={onClose}>{t("Cancel")}</Button><Button kind="danger go" onClick={() => void drop()}>{t("Delete")}</Button></>}>
      <p>{t("The other system can't read from then on. A deleted key does not come back: the system would need a new one.")}</p>
    </Dialog>
  )
}
