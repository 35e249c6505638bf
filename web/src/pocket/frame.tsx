// The frame of the phone's pages: what the network is doing, the page, and the tab bar.
import type { ComponentChildren, ComponentType } from "preact"
import { useEffect, useState } from "preact/hooks"
import { answered, readWaiting, waiting, wake } from "../api/queue"
import { subscription } from "../api/push"
import { byCode, me, role } from "../api/session"
import { useAppLock } from "../shell/idle"
import { asOf, changed, slow, useGet } from "../shell/load"
import { live, useLive } from "../shell/live"
import { go, path } from "../shell/router"
import type { Nav } from "../shell/shell"
import { Banner, Icon } from "../ui/basics"
import { when } from "../words/format"
import { n, t } from "../words/words"
import { keepFiles } from "./offline"
import { mayMessage, routes, unread } from "./routes"

export function Frame({ nav, children }: { nav: Nav[]; children: ComponentChildren }) {
  useEffect(() => { void readWaiting() }, [me.value?.user.id])
  useAppLock()
  useEffect(() => { void keepFiles() }, [])
  useEffect(() => { if (live.value) wake() }, [live.value])
  useEffect(() => {
    const open = (e: MessageEvent<{ open?: string }>) => { if (e.data.open) go(e.data.open) } // a push message was tapped
    navigator.serviceWorker?.addEventListener("message", open)
    void subscription().then((s) => { if (s) void import("./push").then((push) => push.renewPush()) })
    return () => navigator.serviceWorker?.removeEventListener("message", open)
  }, [])
  useEffect(() => { if (answered.value && answered.value.about !== "position") changed() }, [answered.value])
  useEffect(() => {
    const again = () => { if (!document.hidden) changed() }
    addEventListener("online", again)
    document.addEventListener("visibilitychange", again)
    return () => { removeEventListener("online", again); document.removeEventListener("visibilitychange", again) }
  }, [])
  const messages = useUnread()
  const links = nav.flatMap((g) => g.links).filter((l) => !l.hidden).map((l) => (l.href === "/app/messages" ? { ...l, count: messages } : l))
  const here = links.filter((l) => path.value.startsWith(l.href)).sort((a, b) => b.href.length - a.href.length)[0]
  return (
    <div class={role.value === "DRIVER" ? "pocket driving" : "pocket"}><div class="phone">
      <a class="skip" href="#main">{t("Skip to the page")}</a>
      <div role="status" class="news"><Network /></div>
      <main id="main" tabIndex={-1}>{children}</main>
      {byCode.value && !me.value?.user.hasPin && <Offer />}
      <nav class="tabbar" aria-label={t("Main")}>
        {links.map((l) => (
          <a key={l.href} href={l.href} aria-current={l === here ? "page" : undefined}>
            <Icon name={l.icon} />{l.text}
            {!!l.count && <span class="new"><span aria-hidden="true">{l.count > 9 ? "9+" : l.count}</span><span class="sr">{n(l.count, "{n} new", "{n} new")}</span></span>}
          </a>
        ))}
      </nav>
    </div></div>
  )
}

/** How many messages are unread, live. A parent's first page has the number in its own call. */
function useUnread(): number {
  const told = role.value === "PARENT" && path.value === "/app/home"
  const threads = useGet(mayMessage("read") && !told ? routes().threads : null, { unread: true, limit: 1 })
  useLive("message", threads.reload)
  useEffect(() => { if (threads.data) unread.value = threads.data.unreadCount }, [threads.data])
  return unread.value
}

/** Offers a PIN; loaded only then. */
function Offer() {
  const [Shown, show] = useState<ComponentType>()
  useEffect(() => { void import("../shell/pin").then((m) => show(() => m.default), () => undefined) }, [])
  return Shown ? <Shown /> : null
}

/** Says how old the page is and what has not been sent. Silent when all is well. */
function Network() {
  const refused = waiting.value.filter((w) => w.refused).length
  const count = waiting.value.length - refused
  return (
    <>
      {asOf.value > 0 && <Banner tone="warn" icon="off"><b>{slow.value ? t("The network is slow.") : t("No network.")}</b> {t("This is how it was at {when}.", { when: when(new Date(asOf.value).toISOString()) })}</Banner>}
      {count > 0 && !live.value && <Banner tone="warn" icon="cloud"><a href="/app/waiting">{n(count, "{n} thing is kept on this phone and not sent yet.", "{n} things are kept on this phone and not sent yet.")}</a></Banner>}
      {refused > 0 && <Banner tone="bad" icon="alert"><a href="/app/waiting">{n(refused, "{n} thing was not accepted. Look at it.", "{n} things were not accepted. Look at them.")}</a></Banner>}
    </>
  )
}
