import { useState } from "preact/hooks"
import { get, post, put, upload } from "../../api/client"
import { loadAccount, may } from "../../api/session"
import type { Input, Reply } from "../../api/contract"
import { config } from "../../shell/config"
import { BusMap, type Place } from "../../bus/map"
import { changed, useGet } from "../../shell/load"
import { query } from "../../shell/router"
import { say } from "../../shell/toast"
import { Button, Card, Head, LinkButton, Ready, Tabs } from "../../ui/basics"
import { Form, type FieldSpec, type Values } from "../../ui/form"
import { Providers } from "../../ui/providers"
import { RecordDialog } from "../../ui/record"
import { detailFields, messageFields, placeFields, ruleFields, weekend } from "../../ui/schoolfields"
import { t } from "../../words/words"
import { about } from "../staff/modules"

type Setting = Reply<"/school-admin/setting", "get">
type Change = Input<"/school-admin/setting", "put">

const parts = (): { key: string; text: string; fields: FieldSpec[] }[] => [
  { key: "details", text: t("School"), fields: [...detailFields().filter((f) => f.name !== "code").map((f) => ({ ...f, required: f.required || f.kind === "select" })), ...placeFields()] },
  { key: "rules", text: t("Rules"), fields: ruleFields() },
  { key: "messages", text: t("Messages"), fields: messageFields() },
]

export default function Settings() {
  const loaded = useGet("/school-admin/setting")
  const modules = useGet("/school-admin/module/list", { limit: 100 })
  const at = query.value.get("part") ?? "details"
  const part = parts().find((p) => p.key === at) ?? parts()[0]!
  return (
    <>
      <Head title={t("Settings")}>
        <LinkButton href="/app/calendar" icon="cal">{t("Years and holidays")}</LinkButton><LinkButton href="/app/staff/roles" icon="badge">{t("Roles")}</LinkButton><LinkButton href="/app/settings/webhooks" icon="cloud">{t("Webhooks and OneRoster")}</LinkButton>
      </Head>
      <Tabs label={t("Parts of the settings")} current={part.key} items={parts().map((p) => ({ key: p.key, text: p.text, href: `/app/settings?part=${p.key}` }))} />
      <Ready of={loaded}>{(s) => (
        <div class="cols">
          <Edit key={`${part.key} ${s.version}`} setting={s} fields={part.fields} />
          <div class="stack far">
            {part.key === "messages" ? <Sending /> : <Look setting={s} />}
            <Card title={t("Modules")}><p class="small muted">{(modules.data?.items ?? []).map((m) => about()[m.name]?.[0] ?? m.displayName).join(", ")}</p></Card>
          </div>
        </div>
      )}</Ready>
    </>
  )
}

/** Saves a part. If someone else was faster, their values are loaded and what was typed is kept in the form. */
function Edit({ setting, fields }: { setting: Setting; fields: FieldSpec[] }) {
  const [version, setVersion] = useState(setting.version)
  async function save(v: Values, key: string) {
    try {
      return await put("/school-admin/setting", { ...weekend.fromForm(v), version } as Change, { key })
    } catch (e) {
      setVersion((await get("/school-admin/setting")).version)
      throw e
    }
  }
  if (!may("write", "setting")) return <Card><p>{t("You can look at the settings, but not change them.")}</p></Card>
  return (
    <Card>
      <Form fields={fields} initial={weekend.toForm(setting)} button={t("Save")} submit={save}
        onDone={() => {
          const before = Object.fromEntries(fields.map((f) => [f.name, setting[f.name as keyof Setting]]))
          say(t("The settings are saved."), async () => { await put("/school-admin/setting", before as Change); await loadAccount() })
          changed()
          void loadAccount()
        }}>
        {(v, set) => fields.some((f) => f.name === "lat") ? <SchoolMap of={v} set={set} /> : null}
      </Form>
    </Card>
  )
}

/** The school's place, chosen by a click or a drag. */
function SchoolMap({ of: v, set }: { of: Values; set: (name: string, value: unknown) => void }) {
  const here = v.lat || v.lat === 0 ? { lat: Number(v.lat), lng: Number(v.lng) } : undefined
  const valid = here && v.lng !== "" && v.lng != null && Math.abs(here.lat) <= 90 && Math.abs(here.lng) <= 180
  const put = (p: Place) => { set("lat", p.lat); set("lng", p.lng) }
  const buses = useGet(may("read", "transport") ? "/school-admin/transport/route/list" : null, { limit: 100 })
  const lines = (buses.data?.items ?? []).map((r) => ({ key: r.id, points: r.stops, look: "quiet" as const }))
  const stops = valid ? [{ id: "school", name: t("The school"), look: "coming" as const, ...here }] : []
  if (!config.map && !valid && !lines.length) return null // the schematic needs something to measure by
  return (
    <figure class="field wide">
      <div class="minimap"><BusMap label={t("The school's place on the map")} lines={lines} stops={stops} frame={`${lines.length}`} onPlace={put} onMove={(_, p) => put(p)} /></div>
      <figcaption class="help">{t("Click on the map where the school is. Maps without a bus or a stop begin there.")}</figcaption>
    </figure>
  )
}

/** Whether messages reach people, with a test to oneself. */
function Sending() {
  const reads = may("read", "notification")
  const loaded = useGet(reads ? "/school-admin/notification/providers" : null)
  const tester = { send: (channel: "sms" | "email" | "push") => post("/school-admin/notification/test", { channel }),
    look: (id: string) => get("/school-admin/notification/test/{id}", undefined, { path: { id } }) }
  return <>{loaded.data && <Providers channels={loaded.data.providers} tester={may("write", "notification") ? tester : undefined} />}</>
}

function Look({ setting }: { setting: Setting }) {
  const [open, setOpen] = useState(false)
  return (
    <Card title={t("Logo and colour")} action={may("write", "setting") && <Button size="sm" onClick={() => setOpen(true)}>{t("Change")}</Button>}>
      <div class="row">{setting.logoUrl ? <img class="crest big" src={setting.logoUrl} alt={t("The school's logo")} /> : <span class="crest big" aria-hidden="true">{setting.name.slice(0, 1)}</span>}
        <span class="muted">{setting.brandColor ?? t("The usual blue")}</span></div>
      {open && (
        <RecordDialog title={t("Logo and colour")} record={{ brandColor: setting.brandColor ?? "#2f4db5", version: setting.version }} onClose={() => setOpen(false)} done={t("The new look is saved.")}
          fields={[{ name: "brandColor", label: t("Colour"), kind: "color" }, { name: "file", label: t("Logo"), kind: "file", help: t("PNG, JPEG or WebP, best with a transparent ground.") }]}
          save={async (v, key) => {
            const { file, ...rest } = v
            const change: Values = { ...rest }
            if (file) {
              const form = new FormData()
              form.set("file", file as File)
              form.set("purpose", "LOGO")
              change.logoFileId = ((await upload("/school-admin/file/upload", form)) as { id: string }).id
            }
            await put("/school-admin/setting", change as Change, { key })
            await loadAccount()
          }} />
      )}
    </Card>
  )
}
