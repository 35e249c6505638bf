// Before it goes out: who gets it, how, what it costs, and how it looks.
import type { ComponentChildren } from "preact"
import { useEffect, useState } from "preact/hooks"
import { post } from "../../api/client"
import type { Reply } from "../../api/contract"
import { may, school } from "../../api/session"
import { useLoad, type Loaded } from "../../shell/load"
import { Badge, Card, Icon, Segments, type Tone } from "../../ui/basics"
import type { Values } from "../../ui/form"
import { Files, type Attached } from "../../ui/files"
import { count, money, time } from "../../words/format"
import { n, t } from "../../words/words"
import type { IconName } from "../../ui/icons"

export type Reach = Reply<"/school-admin/announcement/preview", "post">

const pause = 400 // ms after the last key, before the service counts again

/** Whom it would reach, counted by the service. undefined while it is not known. */
export function useReach(v: Values): Loaded<Reach> {
  const chosen = (audience: string, ids: unknown) => (v.audience === audience ? ((ids as string[] | undefined) ?? []) : [])
  const ask = { title: String(v.title ?? ""), body: String(v.body ?? ""), audience: v.audience as "ALL", urgent: !!v.urgent,
    classIds: chosen("CLASS", v.classIds), divisionIds: chosen("DIVISION", v.divisionIds) }
  const [settled, settle] = useState(ask)
  const key = JSON.stringify(ask)
  useEffect(() => { const timer = setTimeout(() => settle(ask), pause); return () => clearTimeout(timer) }, [key])
  const narrow = ["CLASS", "DIVISION"].includes(settled.audience)
  const nobody = narrow && settled.classIds.length + settled.divisionIds.length === 0
  return useLoad(nobody ? "" : `reach ${JSON.stringify(settled)}`, (signal) => post("/school-admin/announcement/preview", settled, { signal }))
}

/** The reach in words: "61 people". */
export function reachText(r: Reach | undefined): string { return r ? n(r.people, "{n} person", "{n} people") : "" }

export function WhoGetsIt({ values: v, reach }: { values: Values; reach: Loaded<Reach> }) {
  const r = reach.data
  const parts = r && r.sms ? Math.round(r.smsParts / r.sms) : 1
  return (
    <Card title={t("Who gets it")} flush>
      <div class="reach" aria-live="polite">
        <strong>{r ? count(r.people) : "–"}</strong> {n(r?.people ?? 0, "person", "people")}
        <p class="muted small">{!r ? !reach.loading && t("Choose for whom it is.") : r.people === r.accounts ? t("Each family gets it once.")
          : n(r.people - r.accounts, "{n} of them has no account. Each family gets it once.", "{n} of them have no account. Each family gets it once.")}</p>
      </div>
      {r && <ul class="list">
        <Way icon="bell" name={t("By push")} n={r.push} note={v.urgent ? t("At once, also at night. Free.") : t("Outside quiet hours. Free.")} />
        <Way icon="mail" name={t("By e-mail")} n={r.email} note={v.urgent ? t("To all who have an address. Free.") : t("To those who have not switched it off. Free.")} />
        <Way icon="chat" name={t("By SMS")} n={r.sms} tone={r.sms > 0 ? "warn" : ""}
          note={<>{r.sms === 0 ? t("Nobody needs one.") : n(parts, "{n} part each", "{n} parts each")}{r.sms > 0 && (r.smsCost !== null
            ? <>. <b>{t("Costs {sum}", { sum: money(r.smsCost) })}</b></> : may("write", "setting") && <>. <a href="/app/settings">{t("Say what an SMS costs")}</a></>)}</>} />
        {r.unreachable > 0 && <Way icon="alert" name={t("Not reached")} n={r.unreachable} tone="bad"
          note={t("No app, no phone or address, or everything switched off. With an account they find it in the app.")} />}
      </ul>}
    </Card>
  )
}

function Way({ icon, name, n: many, note, tone }: { icon: IconName; name: string; n: number; note: ComponentChildren; tone?: Tone }) {
  return <li><span class={`disc ${tone ?? ""}`}><Icon name={icon} /></span><div class="grow"><b>{name}</b><p>{note}</p></div><strong class="num">{count(many)}</strong></li>
}

export function HowItLooks({ values: v }: { values: Values }) {
  const [channel, setChannel] = useState<"app" | "sms" | "mail">("app")
  const title = String(v.title || t("Title"))
  const body = String(v.body ?? "")
  const name = school.value?.name ?? ""
  return (
    <Card title={t("How it looks")}
      action={<Segments label={t("Channel")} value={channel} onChange={setChannel}
        options={[{ value: "app", text: t("App") }, { value: "sms", text: t("SMS") }, { value: "mail", text: t("E-mail") }]} />}>
      {channel === "sms" ? <div class="bubble theirs pre">{name}: {title}. {body.slice(0, 300)}</div> : (
        <div class="looks">
          <div class="row small muted"><span class="crest" aria-hidden="true">{name.slice(0, 1)}</span><span class="cut grow">{name}</span>
            <time>{time(new Date().toISOString())}</time></div>
          <h3>{title} {!!v.urgent && <Badge tone="bad">{t("urgent")}</Badge>}</h3>
          <p class="pre">{channel === "mail" || body.length < 220 ? body : `${body.slice(0, 220)}…`}</p>
          <Files files={(v.files as Attached[] | undefined) ?? []} />
        </div>
      )}
    </Card>
  )
}
