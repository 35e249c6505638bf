// The page at /live: a parent, a driver, a teacher or the office watches a bus.
import { useEffect, useState } from "preact/hooks"
import { leave, me } from "../api/session"
import { busName } from "../bus/words"
import { live, useLive } from "../shell/live"
import { forget, useGet } from "../shell/load"
import { query, setQuery } from "../shell/router"
import { SignIn } from "../shell/signin"
import { Banner, Button, Ready, State } from "../ui/basics"
import { t } from "../words/words"
import { Board } from "./board"

export default function Live() {
  useEffect(() => {
    document.title = t("Where is the bus?")
    if ("serviceWorker" in navigator) navigator.serviceWorker.register("/live/sw.js", { scope: "/live" }).catch(() => {}) // the page works without it
  }, [])
  return me.value ? <Watch key={me.value.user.id} /> : <SignIn first="phone" />
}

function Watch() {
  const { school } = me.value!
  const buses = useGet("/bus-tracking/bus/list", { limit: 100 })
  const [gone, setGone] = useState<string[]>([]) // buses that this person may no longer watch
  const lose = (id: string) => { forget(); setGone((old) => [...old, id]); setQuery({ bus: "" }) }
  useLive<{ busId: string }>("room-left", (r) => lose(r.busId))
  return (
    <div class="pocket watch">
      <header>
        <span class="crest" aria-hidden="true">{school.name.slice(0, 1)}</span><b class="cut"><bdi>{school.name}</bdi></b><span class="push" />
        <span class={live.value ? "live" : "live off"}>{live.value ? t("Live") : t("Connecting…")}</span>
        <Button kind="plain" size="sm" onClick={() => { forget(); void leave() }}>{t("Sign out")}</Button>
      </header>
      <Ready of={buses}>{(d) => {
        const list = d.items.filter((b) => !gone.includes(b.id))
        const wanted = list.find((b) => b.id === query.value.get("bus"))
        const bus = wanted ?? (gone.length ? undefined : list.find((b) => b.tripStatus) ?? list[0])
        return (
          <>
            {gone.length > 0 && !bus && <div role="alert">
              <Banner tone="warn" icon="lock">{t("You can no longer watch this bus. Ask the school office if you should.")}</Banner></div>}
            {list.length > 1 && (
              <div class="field whichbus"><label for="bus">{t("Bus")}</label>
                <select id="bus" class="input" value={bus?.id ?? ""} onChange={(e) => setQuery({ bus: e.currentTarget.value })}>
                  {!bus && <option value="">–</option>}
                  {list.map((b) => <option key={b.id} value={b.id}>{busName(b)}{b.routeName && ` · ${b.routeName}`}</option>)}
                </select></div>
            )}
            {bus ? <Board key={bus.id} bus={bus} onLost={() => lose(bus.id)} /> : <main class="nobus"><h1 class="sr">{t("Where is the bus?")}</h1>
              {d.items.length === 0 && <State icon="bus" title={t("There is no bus for you to watch")}><p>{t("Ask the school office if there should be one.")}</p></State>}</main>}
          </>
        )
      }}</Ready>
    </div>
  )
}
