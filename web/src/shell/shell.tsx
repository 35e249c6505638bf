// The shell of the office and the platform: sidebar, bar, page.
import type { ComponentChildren } from "preact"
import { useEffect, useState } from "preact/hooks"
import { leave, me, school as current, may, role } from "../api/session"
import { Avatar, Banner, Icon } from "../ui/basics"
import { Menu } from "../ui/dialog"
import type { IconName } from "../ui/icons"
import { language, languages, speak, t, type Language } from "../words/words"
import { Bell } from "./bell"
import { Help } from "./help"
import { useIdleLock } from "./idle"
import { onKey } from "./keys"
import { Palette } from "./palette"
import { go, mayLeave, path } from "./router"

/** A part of the sidebar. */
export interface Nav { title?: string; links: NavLink[]; foot?: boolean }
export interface NavLink { href: string; text: string; icon: IconName; count?: number | undefined; hot?: boolean; key?: string; hidden?: boolean }

export function Shell({ nav, children }: { nav: Nav[]; children: ComponentChildren }) {
  useIdleLock()
  const [finding, setFinding] = useState(false)
  const [helping, setHelping] = useState(false)
  const links = nav.flatMap((g) => g.links).filter((l) => !l.hidden)
  const here = links.filter((l) => path.value.startsWith(l.href)).sort((a, b) => b.href.length - a.href.length)[0]
  useEffect(() => onKey("ctrl+k", t("Search people, receipts, pages"), () => setFinding(true)), [])
  useEffect(() => onKey("?", t("All keys of this page"), () => setHelping(true)), [])
  useEffect(() => {
    const off = links.filter((l) => l.key).map((l) => onKey(`g ${l.key}`, l.text, () => go(l.href)))
    return () => off.forEach((f) => f())
  }, [])
  useEffect(() => { document.title = `${here?.text ?? "Homeroom"} · ${me.value?.school.name ?? ""}` }, [here?.href])
  useEffect(() => { const menu = document.getElementById("side"); if (menu?.matches(":popover-open")) menu.hidePopover() }, [path.value])
  return (
    <>
      <a class="skip" href="#main">{t("Skip to the page")}</a>
      <div class="app">
        <aside class="side" id="side" popover="auto" aria-label={t("Menu")}>
          <School />
          <button type="button" class="find" onClick={() => setFinding(true)}><Icon name="search" /><span class="grow cut">{t("Search or do…")}</span><kbd aria-hidden="true">Ctrl K</kbd></button>
          {nav.filter((g) => !g.foot).map((g) => <Links key={g.title ?? ""} group={g} here={here} />)}
          <div class="side-foot">{nav.filter((g) => g.foot).map((g) => <Links key={g.title ?? ""} group={g} here={here} />)}<Account /></div>
        </aside>
        <div class="sheet">
          <header class="bar">
            <button type="button" class="btn plain icon burger" popovertarget="side" aria-label={t("Menu")}><Icon name="list" /></button>
            <nav class="crumbs" aria-label={t("Path")}>{here && (path.value === here.href ? <span aria-current="page">{here.text}</span> : <a href={here.href}>{here.text}</a>)}</nav>
            <span class="push" />
            {role.value === "SCHOOL_ADMIN" && may("read", "notification") && <Bell />}
            <button type="button" class="btn plain icon only-sm" aria-label={t("Search")} onClick={() => setFinding(true)}><Icon name="search" /></button>
            <button type="button" class="btn plain icon hide-sm" aria-label={t("Help and keys")} onClick={() => setHelping(true)}><Icon name="help" /></button>
          </header>
          {me.value?.school.evaluationMode && <Banner tone="warn" icon="info">{t("The school is in evaluation mode: teachers can look, but not change anything.")}</Banner>}
          <main id="main" class="page" tabIndex={-1}>{children}</main>
        </div>
      </div>
      {finding && <Palette links={links} onClose={() => setFinding(false)} />}
      {helping && <Help onClose={() => setHelping(false)} />}
    </>
  )
}

function Links({ group, here }: { group: Nav; here: NavLink | undefined }) {
  const links = group.links.filter((l) => !l.hidden)
  if (links.length === 0) return null
  return (
    <nav class="nav" aria-label={group.title ?? (group.foot ? t("Settings") : t("Main"))}>
      {group.title && <h2>{group.title}</h2>}
      {links.map((l) => (
        <a key={l.href} href={l.href} aria-current={l === here ? "page" : undefined}>
          <Icon name={l.icon} />{l.text}{!!l.count && <span class={l.hot ? "count hot" : "count"}>{l.count}</span>}
        </a>
      ))}
    </nav>
  )
}

function School() {
  const { school, accounts } = me.value!
  return (
    <div class="school">
      {current.value?.logoUrl ? <img class="crest" src={current.value.logoUrl} alt="" /> : <span class="crest" aria-hidden="true">{school.name.slice(0, 1)}</span>}
      <span class="cut grow">{school.name}</span>
      {!!accounts?.length && <Menu label={t("Switch account")} icon="updown" items={accounts.map((a) => ({ text: a.schoolName, href: `/app/account?switch=${a.id}` }))} />}
    </div>
  )
}

function Account() {
  const { user } = me.value!
  const other = (Object.keys(languages) as Language[]).find((l) => l !== language())!
  return (
    <div class="school">
      <Avatar name={user.name} /><span class="cut grow">{user.name}</span>
      <Menu label={t("Your account, {name}", { name: user.name })} icon="updown" items={[
        { text: t("Security and sessions"), icon: "lock", href: "/app/account" },
        { text: languages[other], icon: "globe", run: () => void speak(other) },
        { text: t("Sign out"), icon: "door", run: () => { if (mayLeave()) void leave().then(() => go("/app/sign-in", { replace: true })) } },
      ]} />
    </div>
  )
}
