// How one is told of what: by type and channel, in which language, and when not.
import { useState } from "preact/hooks"
import { laterPut, waiting } from "../api/queue"
import { may } from "../api/session"
import type { Reply } from "../api/contract"
import { useGet } from "../shell/load"
import { say } from "../shell/toast"
import { Card, Ready } from "../ui/basics"
import { Form } from "../ui/form"
import { languages, t, type Language } from "../words/words"
import { kinds } from "./links"
import { routes } from "./routes"
import { Screen } from "./screen"

type Preferences = Reply<"/teacher/notification/preferences", "get">

type Change = Pick<Preferences, "language" | "quietHours" | "channels">

const channels = ["push", "sms", "email"] as const
const name = "preferences"

/** Keeps the change until it is sent. The newest one counts. */
function save(change: Change): Promise<number> {
  return laterPut(routes().preferences, change, { label: t("How you are told"), lane: name, about: name, merge: () => change })
}

export default function HowTold() {
  const loaded = useGet(routes().preferences)
  const kept = waiting.value.findLast((w) => w.about === name && !w.refused)
  return (
    <Screen title={t("How you are told")} back="/app/notifications">
      <Ready of={loaded} rows={9}>{(p) => {
        const now = { ...p, ...(kept?.body as Change | undefined) }
        return <Card><Preferred key={JSON.stringify(now)} p={now} /></Card>
      }}</Ready>
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
      submit={(v) => save({ language: (v.language as string) || null, quietHours: v.from && v.to ? { from: String(v.from), to: String(v.to) } : null, channels: chosen })}
      onDone={() => say(t("Saved."), () => save({ language: p.language, quietHours: p.quietHours, channels: p.channels }))}>
      {() => (
        <table class="told">
          <thead><tr><th scope="col">{t("About|notification")}</th>{channels.map((c) => <th scope="col" key={c}>{names[c]}</th>)}</tr></thead>
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
