// How one is told of what: by type and channel, in which language, and when not.
import { useState } from "preact/hooks"
import { put } from "../api/client"
import { may } from "../api/session"
import type { Reply } from "../api/contract"
import { changed, useGet } from "../shell/load"
import { say } from "../shell/toast"
import { Card, Ready } from "../ui/basics"
import { Form } from "../ui/form"
import { languages, t, type Language } from "../words/words"
import { kinds } from "./links"
import { routes } from "./routes"
import { Screen } from "./screen"

type Preferences = Reply<"/teacher/notification/preferences", "get">

const channels = ["push", "sms", "email"] as const

export default function HowTold() {
  const loaded = useGet(routes().preferences)
  return (
    <Screen title={t("How you are told")} back="/app/notifications">
      <Ready of={loaded} rows={9}>{(p) => <Card><Preferred key={JSON.stringify(p)} p={p} /></Card>}</Ready>
    </Screen>
  )
}

function Preferred({ p }: { p: Preferences }) {
  const [chosen, setChosen] = useState(p.channels)
  const names = { push: t("Phone"), sms: t("SMS"), email: t("E-mail") }
  const types = Object.entries(kinds()).filter(([type]) => chosen[type])
  const writes = may("write", "notification")
  return (
    <Form single button={t("Save")} initial={{ language: p.language ?? "", from: p.quietHours?.from ?? "", to: p.quietHours?.to ?? "" }}
      fields={[
        { name: "from", label: t("Quiet from"), kind: "time" }, { name: "to", label: t("Quiet until"), kind: "time", help: t("Absences and urgent messages come anyway.") },
        { name: "language", label: t("Language of messages to you"), kind: "select", options: p.languages.map((l) => ({ value: l, text: languages[l as Language] ?? l })), help: t("Without one: the school's.") },
      ]}
      submit={(v) => put(routes().preferences, { language: (v.language as string) || null, quietHours: v.from && v.to ? { from: String(v.from), to: String(v.to) } : null, channels: chosen })}
      onDone={() => { changed(); say(t("Saved."), () => put(routes().preferences, { language: p.language, quietHours: p.quietHours, channels: p.channels })) }}>
      {() => (
        <table class="told">
          <thead><tr><th scope="col">{t("About")}</th>{channels.map((c) => <th scope="col" key={c}>{names[c]}</th>)}</tr></thead>
          <tbody>{types.map(([type, kind]) => (
            <tr key={type}><th scope="row">{kind.text}</th>{channels.map((c) => (
              <td key={c}><label><span class="sr">{kind.text}: {names[c]}</span>
                <input type="checkbox" disabled={!writes} checked={chosen[type]![c]} onChange={(e) => setChosen({ ...chosen, [type]: { ...chosen[type]!, [c]: e.currentTarget.checked } })} /></label></td>
            ))}</tr>
          ))}</tbody>
        </table>
      )}
    </Form>
  )
}
