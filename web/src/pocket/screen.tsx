// A screen of the phone: top bar with the answer as its title, body, and a dock for the one thing to do.
import type { ComponentChildren } from "preact"
import { useEffect } from "preact/hooks"
import { me } from "../api/session"
import { Icon } from "../ui/basics"
import { t } from "../words/words"

interface Props {
  title: ComponentChildren
  sub?: ComponentChildren
  back?: string // address of the screen above
  lead?: ComponentChildren // before the title: a face, a bus number
  action?: ComponentChildren // at the end of the bar
  dock?: ComponentChildren
  full?: boolean // the body goes to the edges, under the bar: a map
  children: ComponentChildren
}

export function Screen({ title, sub, back, lead, action, dock, full, children }: Props) {
  useEffect(() => { if (typeof title === "string") document.title = `${title} · ${me.value?.school.name ?? "Homeroom"}` }, [title])
  return (
    <>
      <header class="top">
        {back && <a class="btn plain icon" href={back} aria-label={t("Back")}><Icon name="back" /></a>}
        {lead}
        <div class="grow"><h1 tabIndex={-1}>{title}</h1>{sub && <p>{sub}</p>}</div>
        {action}
      </header>
      <div class={full ? "body edge" : "body"}>{children}</div>
      {dock && <footer class="dock">{dock}</footer>}
    </>
  )
}

/** A row that opens another screen. */
export function Line({ href, lead, title, sub, end }: { href: string; lead?: ComponentChildren; title: ComponentChildren; sub?: ComponentChildren; end?: ComponentChildren }) {
  return <a class="line" href={href}>{lead}<span class="grow"><b>{title}</b>{sub && <span>{sub}</span>}</span>{end}<Icon name="right" /></a>
}
