import { useRef, useState } from "preact/hooks"
import { now, post, remove } from "../../api/client"
import { may } from "../../api/session"
import { changed } from "../../shell/load"
import { go } from "../../shell/router"
import { say } from "../../shell/toast"
import { Head, State } from "../../ui/basics"
import { Form, type Values } from "../../ui/form"
import { addDays, momentOf, time, today, when } from "../../words/format"
import { t } from "../../words/words"
import { bodyOf, recall, useFields } from "./fields"
import { HowItLooks, reachText, useReach, WhoGetsIt } from "./preview"
import type { Announcement } from "./words"

const start: Values = { audience: "ALL", title: "", body: "", when: "now", files: [] }

export default function NewAnnouncement() {
  const fields = useFields(false)
  const [values, setValues] = useState<Values>(start)
  const reach = useReach(values)
  const first = useRef({ of: "", at: now() }) // the same once more is the same call, also seconds later
  if (!may("write", "announcement")) return <State icon="lock" title={t("This page is not open to you")}><p>{t("Your role may read announcements, but not write them.")}</p></State>
  function sent(a: Announcement) {
    changed()
    say(values.when === "later" ? t("It goes out at {time}.", { time: when(a.publishAt) }) : t("It goes out in 30 seconds."),
      async () => { await remove("/school-admin/announcement/{id}", { path: { id: a.id } }); go("/app/announcements") }, undefined, recall)
    go(`/app/announcements/${a.id}`)
  }
  return (
    <>
      <Head title={t("New announcement")} />
      <div class="cols compose">
        <Form fields={fields} initial={{ ...start, publishAt: `${addDays(today(), 1)}T16:00` }} onValues={setValues} button={buttonText(values, reachText(reach.data))}
          onCancel={() => go("/app/announcements")}
          submit={(v, key) => {
            const of = JSON.stringify(v)
            if (first.current.of !== of) first.current = { of, at: now() }
            return post("/school-admin/announcement/create", bodyOf(v, false, first.current.at), { key })
          }} onDone={(a) => sent(a as Announcement)} />
        <aside class="stack far beside" aria-label={t("Preview")}><WhoGetsIt values={values} reach={reach} /><HowItLooks values={values} /></aside>
      </div>
    </>
  )
}

function buttonText(v: Values, who: string): string {
  if (v.when !== "later" || !v.publishAt) return who ? t("Send to {who}", { who }) : t("Send")
  const at = momentOf(String(v.publishAt))
  const at2 = String(v.publishAt).startsWith(today()) ? time(at) : when(at)
  return who ? t("Send at {time} to {who}", { time: at2, who }) : t("Send at {time}", { time: at2 })
}
