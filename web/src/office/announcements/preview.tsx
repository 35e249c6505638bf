// Before it goes out: who gets it, how, what it costs, and how it looks.
import { useState } from "preact/hooks"
import { may, school } from "../../api/session"
import { useGet } from "../../shell/load"
import { Badge, Card, Icon, Segments } from "../../ui/basics"
import { useClasses, useDivisions } from "../../ui/choices"
import type { Values } from "../../ui/form"
import { Files, type Attached } from "../../ui/files"
import { count, money, time } from "../../words/format"
import { n, t } from "../../words/words"
import { smsParts } from "./words"

const roles = { PARENTS: "PARENT", TEACHERS: "TEACHER", DRIVERS: "DRIVER" } as const

export interface Reach { people?: number | undefined; children?: number | undefined }

/** How many get it: people, or children whose parents do, as far as it is known before it is sent. */
export function useReach(v: Values): Reach {
  const classes = useClasses()
  const divisions = useDivisions()
  const role = roles[v.audience as keyof typeof roles]
  const whole = v.audience === "ALL" || !!role
  const people = useGet(whole && may("read", "message") ? "/school-admin/message/recipients" : null, { limit: 1, ...(role && { role }) })
  const sum = (list: { id: string; students: number }[], ids: unknown) => list.filter((x) => (ids as string[] | undefined)?.includes(x.id)).reduce((a, x) => a + x.students, 0)
  if (whole) return { people: people.data?.total }
  return { children: v.audience === "CLASS" ? sum(classes.items, v.classIds) : sum(divisions.items, v.divisionIds) }
}

/** The reach in words: "61 people", "the parents of 30 children". */
export function reachText(r: Reach): string {
  if (r.people !== undefined) return n(r.people, "{n} person", "{n} people")
  return r.children === undefined ? "" : n(r.children, "the parents of {n} child", "the parents of {n} children")
}

export function WhoGetsIt({ values: v, reach }: { values: Values; reach: Reach }) {
  const setting = useGet(may("read", "setting") ? "/school-admin/setting" : null).data
  const parts = smsParts(String(v.title ?? ""), String(v.body ?? ""))
  const all = !!v.urgent || !!setting?.smsTypes.includes("ANNOUNCEMENT")
  const known = reach.people ?? reach.children
  const cost = setting?.smsCost && known ? money(known * parts * setting.smsCost) : ""
  const staff = v.audience === "TEACHERS" || v.audience === "DRIVERS"
  return (
    <Card title={t("Who gets it")} flush>
      <div class="reach">
        <strong>{known === undefined ? "–" : count(known)}
          </strong> {reach.children !== undefined ? n(reach.children, "child", "children") : n(reach.people ?? 0, "person", "people")}
        <p class="muted small">{reach.children !== undefined ? t("Their parents and teachers. Each family gets it once.") : t("Everyone of them with an account.")}</p>
      </div>
      <ul class="list">
        <li><span class="disc"><Icon name="bell" /></span>
          <div class="grow"><b>{t("In the app")}</b><p>{v.urgent ? t("At once, also at night. Free.") : t("With a push, outside quiet hours. Free.")}</p></div></li>
        <li><span class="disc"><Icon name="mail" /></span>
          <div class="grow"><b>{t("By e-mail")}</b><p>{v.urgent ? t("To all who have an address. Free.") : t("To those who have not switched it off. Free.")}</p></div></li>
        <li>
          <span class={all ? "disc warn" : "disc"}><Icon name="chat" /></span>
          <div class="grow"><b>{all ? t("By SMS to all") : staff ? t("No SMS") : t("By SMS to parents without the app")}</b>
            {(all || !staff) && <p>{n(parts, "{n} part each", "{n} parts each")}{cost && <>. {t("At most {sum}", { sum: cost })}</>}
              {!cost && setting && !setting.smsCost && <>. <a href="/app/settings">{t("Say what an SMS costs")}</a></>}</p>}</div>
        </li>
      </ul>
    </Card>
  )
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
