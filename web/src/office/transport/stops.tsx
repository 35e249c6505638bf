// The stops of a route as a table: order, name, place, times.
import { Button, State } from "../../ui/basics"
import { t } from "../../words/words"

export interface EditedStop {
  key: string
  id?: string
  name: string
  lat: number | string
  lng: number | string
  pickupTime: string
  dropoffTime: string
  geofenceMeters: number | string
}

interface Props {
  stops: EditedStop[]
  at: string | undefined
  setAt: (key: string) => void
  change: (key: string, v: Partial<EditedStop>) => void
  setStops: (f: (old: EditedStop[]) => EditedStop[]) => void
  writes: boolean
}

export function StopTable({ stops, at, setAt, change, setStops, writes }: Props) {
  const move = (i: number, by: number) => setStops((old) => { const next = [...old]; const [s] = next.splice(i, 1); next.splice(i + by, 0, s!); return next })
  if (stops.length === 0) return <State icon="flag" title={t("No stops yet")}><p>{writes ? t("Click on the map, in the order of the morning.") : ""}</p></State>
  const chosen = stops.findIndex((s) => s.key === at)
  const cell = (i: number, name: keyof EditedStop, label: string, type: "text" | "time") => (
    <input class="input" type={type as "text"} disabled={!writes} aria-label={t("{label} of stop {n}", { label, n: i + 1 })} value={String(stops[i]![name] ?? "")}
      onFocus={() => setAt(stops[i]!.key)} onInput={(e) => change(stops[i]!.key, { [name]: e.currentTarget.value })} />
  )
  return (
    <>
      <div class="scroll"><table class="stoptable">
        <thead><tr>
          <th scope="col"><span class="sr">{t("Order")}</span></th><th scope="col">{t("Name")}</th><th scope="col">{t("Morning")}</th><th scope="col">{t("Afternoon")}</th>
          {writes && <th scope="col"><span class="sr">{t("Actions")}</span></th>}
        </tr></thead>
        <tbody>{stops.map((s, i) => (
          <tr key={s.key} class={s.key === at ? "at" : ""}>
            <td class="num"><span class="stopno">{i + 1}</span></td><td class="wide">{cell(i, "name", t("Name"), "text")}</td>
            <td>{cell(i, "pickupTime", t("Morning"), "time")}</td><td>{cell(i, "dropoffTime", t("Afternoon"), "time")}</td>
            {writes && <td class="act"><span class="row">
              <Button kind="plain" size="sm" icon="up" aria-label={t("{name}: earlier", { name: s.name })} disabled={i === 0} onClick={() => move(i, -1)} />
              <Button kind="plain" size="sm" icon="down" aria-label={t("{name}: later", { name: s.name })} disabled={i === stops.length - 1} onClick={() => move(i, 1)} />
              <Button kind="plain" size="sm" icon="x" aria-label={t("Take away {name}", { name: s.name })} onClick={() => setStops((old) => old.filter((x) => x.key !== s.key))} />
            </span></td>}
          </tr>
        ))}</tbody>
      </table></div>
      {chosen >= 0 && <Place stop={stops[chosen]!} change={change} writes={writes} />}
    </>
  )
}

/** Where the chosen stop is, in figures: the map without a mouse. */
function Place({ stop: s, change, writes }: { stop: EditedStop; change: Props["change"]; writes: boolean }) {
  const field = (name: "lat" | "lng" | "geofenceMeters", label: string, step: string) => (
    <label class="field">{label}
      <input class="input num" type="number" step={step} disabled={!writes} value={String(s[name])} onInput={(e) => change(s.key, { [name]: e.currentTarget.value })} /></label>
  )
  return (
    <fieldset class="stopplace pad">
      <legend class="sr">{t("Place of {name}", { name: s.name })}</legend>
      {field("lat", t("Latitude"), "0.00001")}{field("lng", t("Longitude"), "0.00001")}{field("geofenceMeters", t("Near, in metres"), "10")}
      <p class="help">{t("Parents of {name} are told when the bus is this near.", { name: s.name })}</p>
    </fieldset>
  )
}
