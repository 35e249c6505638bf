// Dialogs and menus, on the browser's own <dialog> and popover.
import { createContext, type ComponentChildren } from "preact"
import { useEffect, useId, useRef, useState } from "preact/hooks"
import { ToastsInside } from "../shell/toast"
import { Button, Icon } from "./basics"
import type { IconName } from "./icons"
import { t } from "../words/words"

interface Props { title: string; onClose: () => void; children: ComponentChildren; footer?: ComponentChildren; side?: boolean; wide?: boolean }

/** What says, in a dialog, whether something is typed that closing it would lose. */
export const Inside = createContext<Set<() => boolean> | undefined>(undefined)

/** A modal dialog; side shows it as a sheet at the edge. With a keyboard one types in its first field at once. Escape closes it, after a question if something is typed, and the focus returns. */
export function Dialog({ title, onClose, children, footer, side, wide }: Props) {
  const ref = useRef<HTMLDialogElement>(null)
  const id = useId()
  const [typed] = useState(() => new Set<() => boolean>())
  const leave = () => { if (![...typed].some((is) => is()) || confirm(t("Close this? What you typed is not saved."))) onClose() }
  useEffect(() => {
    const before = document.activeElement as HTMLElement | null
    ref.current?.showModal()
    if (!matchMedia("(pointer: coarse)").matches) ref.current?.querySelector<HTMLElement>(field)?.focus()
    return () => before?.focus?.()
  }, [])
  return (
    <dialog ref={ref} class={`${side ? "slide" : "dialog"} ${wide ? "wide" : ""}`} aria-labelledby={id}
      onCancel={(e) => { if (e.target === e.currentTarget && e.cancelable) { e.preventDefault(); leave() } } /* a file chooser's comes here, too */}
      onClose={() => { ref.current?.showModal(); leave() } /* by a second Escape, which can't be cancelled */}>
      <header class="row"><h2 id={id} class="grow">{title}</h2><Button kind="plain" icon="x" aria-label={t("Close")} onClick={leave} /></header>
      <Inside.Provider value={typed}><div class="body">{children}</div></Inside.Provider>
      {footer && <footer>{footer}</footer>}
      <ToastsInside />
    </dialog>
  )
}

const field = ".body :is(input:not([type=file], [type=checkbox], [type=radio]), select, textarea):enabled"

export interface MenuItem { text: string; icon?: IconName; run?: () => void; href?: string; danger?: boolean; hidden?: boolean }

/** A button with a menu of actions. */
export function Menu({ label, icon = "dots", text, items, size }: { label: string; icon?: IconName; text?: ComponentChildren; items: MenuItem[]; size?: "sm" }) {
  const id = useId()
  const shown = items.filter((x) => !x.hidden)
  if (shown.length === 0) return null
  const close = () => (document.getElementById(id) as HTMLElement).hidePopover()
  return (
    <span class="menuwrap">
      <Button kind={text ? undefined : "plain"} size={size} icon={text ? undefined : icon} aria-label={label} popovertarget={id}>{text}{text && <Icon name="down" size="xs" />}</Button>
      <div class="menu" id={id} popover="auto" onToggle={(e) => place(e.currentTarget)} onKeyDown={moveFocus}>
        {shown.map((x) => x.href
          ? <a key={x.text} href={x.href} onClick={close}>{x.icon && <Icon name={x.icon} />}{x.text}</a>
          : <button key={x.text} type="button" class={x.danger ? "danger" : ""} onClick={() => { close(); x.run?.() }}>{x.icon && <Icon name={x.icon} />}{x.text}</button>)}
      </div>
    </span>
  )
}

/** Places an open menu below its button, inside the window. */
function place(menu: HTMLElement): void {
  const button = menu.previousElementSibling?.getBoundingClientRect()
  if (!button || !menu.matches(":popover-open")) return
  const box = menu.getBoundingClientRect()
  const left = document.dir === "rtl" ? button.left : button.right - box.width
  menu.style.left = `${Math.max(8, Math.min(left, innerWidth - box.width - 8))}px`
  menu.style.top = `${button.bottom + box.height + 8 > innerHeight ? Math.max(8, button.top - box.height - 4) : button.bottom + 4}px`
  menu.querySelector<HTMLElement>("a, button")?.focus()
}

function moveFocus(e: KeyboardEvent): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[e.key]
  if (!step) return
  e.preventDefault()
  const all = [...(e.currentTarget as HTMLElement).querySelectorAll<HTMLElement>("a, button")]
  const at = all.indexOf(document.activeElement as HTMLElement)
  all[(at + step + all.length) % all.length]?.focus()
}
