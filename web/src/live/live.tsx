// A bus, live, for teachers, parents and drivers: /live?bus=ID leads here. The office has it among all buses.
import { useState } from "preact/hooks"
import { may } from "../api/session"
import { busName } from "../bus/words"
import { Screen } from "../pocket/screen"
import { live, useLive } from "../shell/live"
import { forgetBut, useGet } from "../shell/load"
import { query, setQuery } from "../shell/router"
import { Banner, Ready, State } from "../ui/basics"
import { t } from "../words/words"
import { Board } from "./board"

export default function Live() {
  const allowed = may("read", "transport")
  const buses = useGet(allowed ? "/bus-tracking/bus/list" : null, { limit: 100 })
  const [gone, setGone] = useState<string[]>([]) // buses that this person may no longer watch
  const lose = (id: string) => { void forgetBut([]); setGone((old) => [...old, id]); setQuery({ bus: "" }) }
  useLive<{ busId: string }>("room-left", (r) => lose(r.busId))
  return (
    <Screen title={t("Where is the bus?")} back="/app/home" full action={<span class={live.value ? "live" : "live off"}>{live.value ? t("Live") : t("Connecting…")}</span>}>
      {!allowed && <NoBus />}
      {allowed && <Ready of={buses} rows={8}>{(d) => {
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
            {bus && <Board key={bus.id} bus={bus} onLost={() => lose(bus.id)} />}
            {d.items.length === 0 && <NoBus />}
          </>
        )
      }}</Ready>}
    </Screen>
  )
}

function NoBus() {
  return <State icon="bus" title={t("There is no bus for you to watch")}><p>{t("Ask the school office if there should be one.")}</p></State>
}
