// The small words of every page: icon, avatar, badge, card, figures, states.
import type { ComponentChildren, JSX } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import { Fault } from "../api/client"
import { t } from "../words/words"
import { icons, type IconName } from "./icons"

export type Tone = "good" | "bad" | "warn" | "info" | "note" | "brand" | ""
type Children = { children?: ComponentChildren }

export function Icon({ name, size }: { name: IconName; size?: "xs" | "md" | "lg" }) {
  return <svg class={`i ${size ?? ""}`} viewBox="0 0 24 24" aria-hidden="true"><path d={icons[name]} /></svg>
}

type ButtonProps = Omit<JSX.IntrinsicElements["button"], "icon" | "size"> & {
  icon?: IconName; kind?: "go" | "plain" | "danger" | "danger go" | "dash"; size?: "sm" | "tall"; hint?: string; busy?: boolean
}

/** A button. hint is its key; without children, aria-label must name it. */
export function Button({ icon, kind, size, hint, busy, children, class: more, ...rest }: ButtonProps) {
  const look = `btn ${kind ?? ""} ${size ?? ""} ${children ? "" : "icon"} ${more ?? ""}`
  return (
    <button type="button" {...rest} class={look} aria-busy={busy} disabled={busy || rest.disabled}>
      {icon && <Icon name={icon} />}{children}{hint && <kbd aria-hidden="true">{hint}</kbd>}
    </button>
  )
}

export function LinkButton({ icon, kind, size, href, children, hint }: Children & { icon?: IconName; kind?: "go" | "plain" | "dash"; size?: "sm"; href: string; hint?: string }) {
  return <a class={`btn ${kind ?? ""} ${size ?? ""}`} href={href}>{icon && <Icon name={icon} />}{children}{hint && <kbd aria-hidden="true">{hint}</kbd>}</a>
}

export function Badge({ tone, children }: Children & { tone?: Tone }) { return <span class={`badge ${tone ?? ""}`}>{children}</span> }

/** A face: the photo, or the initials on a colour that stays with the name. */
export function Avatar({ name, photo, size }: { name: string; photo?: string | null | undefined; size?: "md" | "lg" | "xl" }) {
  if (photo) return <img class={`av ${size ?? ""}`} src={photo} alt="" />
  const words = name.trim().split(/\s+/)
  const letters = [...(words[0] ?? "")].slice(0, 1).concat(words.length > 1 ? [...words.at(-1)!].slice(0, 1) : []).join("").toUpperCase()
  let hash = 0
  for (const c of name) hash = (hash * 31 + c.codePointAt(0)!) % 9973
  return <span class={`av ${size ?? ""} h${hash % 10}`} aria-hidden="true">{letters}</span>
}

/** A person as a link: face and name. */
export function Who({ name, photo, href, note }: { name: string; photo?: string | null | undefined; href?: string; note?: ComponentChildren }) {
  const inside = <><Avatar name={name} photo={photo} /><span class="cut"><bdi>{name}</bdi>{note && <span class="faint"> {note}</span>}</span></>
  return href ? <a class="who" href={href}>{inside}</a> : <span class="who">{inside}</span>
}

export function Card({ title, badge, action, children, flush }: Children & { title?: ComponentChildren; badge?: ComponentChildren; action?: ComponentChildren; flush?: boolean }) {
  return (
    <section class="card">
      {title && <header><h2>{title}</h2>{badge}<span class="push" />{action}</header>}
      {flush ? children : <div class="in">{children}</div>}
    </section>
  )
}

/** The head of a page: its answer as the title, and what can be done. */
export function Head({ title, sub, children }: Children & { title: ComponentChildren; sub?: ComponentChildren }) {
  return <div class="head"><div><h1 tabIndex={-1}>{title}</h1>{sub && <p>{sub}</p>}</div>{children}</div>
}

export interface Figure { label: string; value: ComponentChildren; small?: string; note?: string; tone?: Tone; href?: string }

export function Figures({ label, items }: { label: string; items: Figure[] }) {
  return (
    <section class="figures" aria-label={label}>
      {items.map((f) => {
        const inside = <><span>{f.label}</span><strong>{f.value} {f.small && <small>{f.small}</small>}</strong><span class={f.tone ?? ""}>{f.note}</span></>
        return f.href ? <a href={f.href} key={f.label}>{inside}</a> : <div key={f.label}>{inside}</div>
      })}
    </section>
  )
}

export function Facts({ items, start }: { items: [string, ComponentChildren][]; start?: boolean }) {
  return <dl class={start ? "facts start" : "facts"}>{items.map(([k, v]) => <><dt>{k}</dt><dd>{v || "–"}</dd></>)}</dl>
}

/** What is shown in place of content: empty, no permission, an error. */
export function State({ icon, tone, title, children }: Children & { icon: IconName; tone?: "bad"; title: string }) {
  return <div class="state"><span class={`disc ${tone ?? ""}`}><Icon name={icon} size="md" /></span><h2>{title}</h2>{children}</div>
}

export function FaultState({ fault, retry }: { fault: Fault; retry?: () => void }) {
  if (fault.statusCode === 403) return <State icon="lock" title={t("This page is not open to you")}><p>{fault.message}</p></State>
  if (fault.statusCode === 404) return <State icon="search" title={t("This record does not exist")}><p>{t("It may have been deleted, or the link is wrong.")}</p></State>
  return (
    <State icon={fault.offline ? "off" : "alert"} tone="bad" title={fault.offline ? t("No connection") : t("That did not work")}>
      <p role="alert">{fault.message}</p>{retry && <Button onClick={retry}>{t("Try again")}</Button>}
    </State>
  )
}

/** Keeps the shape of the page while it loads, after 200 ms. */
export function Bones({ rows = 6 }: { rows?: number }) {
  const [late, set] = useState(false)
  useEffect(() => { const timer = setTimeout(() => set(true), 200); return () => clearTimeout(timer) }, [])
  return <div class="bones" role="status" aria-label={t("Loading")}>{late && Array.from({ length: rows }, (_, i) => <span class={`bone ${["", "l", "s"][i % 3]}`} key={i} />)}</div>
}

/** Shows content once loaded, and bones or the fault before. */
export function Ready<T>({ of, rows, children }: { of: { data: T | undefined; fault: Fault | undefined; reload: () => void }; rows?: number; children: (data: T) => ComponentChildren }) {
  if (of.data !== undefined) return <>{children(of.data)}</>
  if (of.fault) return <FaultState fault={of.fault} retry={of.reload} />
  return rows ? <Bones rows={rows} /> : <Bones />
}

export function Banner({ tone, icon, children }: Children & { tone?: Tone; icon?: IconName }) {
  return <div class={`banner ${tone ?? ""}`}><Icon name={icon ?? "info"} /><div class="grow">{children}</div></div>
}

export function Tabs({ label, items, current }: { label: string; items: { href: string; text: string; count?: number; key: string }[]; current: string }) {
  const nav = useRef<HTMLElement>(null)
  useEffect(() => nav.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" }), [current])
  return (
    <nav class="tabs" ref={nav} aria-label={label}>
      {items.map((x) => <a key={x.key} href={x.href} aria-current={x.key === current ? "page" : undefined}>{x.text} {x.count !== undefined && <span class="count">{x.count}</span>}</a>)}
    </nav>
  )
}

/** Buttons of which one is on. */
export function Segments<T extends string>({ label, options, value, onChange }: { label: string; options: { value: T; text: string }[]; value: T; onChange: (v: T) => void }) {
  return (
    <div class="seg" role="group" aria-label={label}>
      {options.map((o) => <button type="button" key={o.value} aria-pressed={o.value === value} onClick={() => onChange(o.value)}>{o.text}</button>)}
    </div>
  )
}
