import { useEffect, useRef, useState } from "preact/hooks"
import { Fault, get, post, put, remove } from "../../api/client"
import { may, schoolPlace } from "../../api/session"
import { asFault, changed, useGet } from "../../shell/load"
import { useKept } from "../../shell/kept"
import { useKey } from "../../shell/keys"
import { go } from "../../shell/router"
import { say } from "../../shell/toast"
import { Button, Card, Head, Ready } from "../../ui/basics"
import { Dialog } from "../../ui/dialog"
import { useWarning } from "../../ui/form"
import { n, t } from "../../words/words"
import { BusMap } from "../../bus/map"
import { Riders } from "./riders"
import { StopTable, type EditedStop } from "./stops"
import type { Route } from "./words"

/** The editor of a route: its stops on the map and in a table, and who gets on where. */
export default function RoutePage({ params }: { params: Record<string, string> }) {
  const fresh = params.id === "new"
  const loaded = useGet(fresh ? null : "/school-admin/transport/route/{id}", undefined, { id: params.id! })
  const others = useGet("/school-admin/transport/route/list", { limit: 100 })
  if (fresh) return others.data ? <Editor route={undefined} others={others.data.items} /> : null
  return <Ready of={loaded}>{(r) => <Editor key={r.version} route={r} others={others.data?.items ?? []} />}</Ready>
}

const edited = (r: Route | undefined): EditedStop[] => (r?.stops ?? []).map((s) => ({ ...s, key: s.id, pickupTime: s.pickupTime ?? "", dropoffTime: s.dropoffTime ?? "" }))

function Editor({ route, others }: { route: Route | undefined; others: Route[] }) {
  const dirty = useRef(false)
  const [name, setName] = useKept("name", route?.name ?? "", dirty)
  const [stops, setStops] = useKept("stops", edited(route), dirty)
  const [at, setAt] = useState<string>()
  const [fault, setFault] = useState<Fault>()
  const [busy, setBusy] = useState(false)
  const [clash, setClash] = useState<Route>()
  const version = useRef(route?.version)
  const key = useRef(crypto.randomUUID())
  const before = JSON.stringify([route?.name ?? "", edited(route)])
  dirty.current = JSON.stringify([name, stops]) !== before
  useWarning(dirty)
  useEffect(() => { version.current = route?.version }, [route])
  const writes = may("write", "transport")
  const change = (k: string, v: Partial<EditedStop>) => setStops((old) => old.map((s) => (s.key === k ? { ...s, ...v } : s)))
  function add(place: { lat: number; lng: number }) {
    const k = crypto.randomUUID()
    setStops((old) => [...old, { key: k, name: t("Stop {n}", { n: old.length + 1 }), ...place, pickupTime: "", dropoffTime: "", geofenceMeters: 500 }])
    setAt(k)
  }
  async function save() {
    if (busy || !dirty.current) return
    setBusy(true)
    const body = { name: name.trim(),
      stops: stops.map((s, i) => ({ ...(s.id && { id: s.id }), name: s.name, lat: Number(s.lat), lng: Number(s.lng), order: i + 1, pickupTime: s.pickupTime || null,
        dropoffTime: s.dropoffTime || null, geofenceMeters: Number(s.geofenceMeters) || 500 })) }
    try {
      if (route) {
        await put("/school-admin/transport/route/{id}", { ...body, version: version.current ?? null }, { path: { id: route.id } })
        const old = { name: route.name, stops: route.stops }
        say(t("{name} is saved.", { name: body.name }), () => put("/school-admin/transport/route/{id}", old, { path: { id: route.id } }))
      } else {
        const r = await post("/school-admin/transport/route/create", body, { key: key.current })
        say(t("{name} is drawn.", { name: r.name }), async () => { await remove("/school-admin/transport/route/{id}", { path: { id: r.id } }); go("/app/transport/routes") })
        dirty.current = false
        go(`/app/transport/routes/${r.id}`, { replace: true })
      }
      setFault(undefined)
      dirty.current = false
      changed()
    } catch (e) {
      const f = asFault(e)
      const theirs = f.conflict && route ? await get("/school-admin/transport/route/{id}", undefined, { path: { id: route.id } }).catch(() => undefined) : undefined
      if (theirs && theirs.version !== version.current) setClash(theirs)
      else setFault(f)
    } finally {
      setBusy(false)
    }
  }
  useKey("ctrl+s", t("Save"), () => void save())
  const placed = stops.map((s, i) => ({ id: s.key, name: s.name, lat: Number(s.lat), lng: Number(s.lng), no: i + 1, look: s.key === at ? ("coming" as const) : undefined }))
  const known = others.flatMap((r) => (r.id === route?.id ? [] : r.stops))
  return (
    <>
      <Head title={route ? route.name : t("New route")} sub={writes ? t("Click on the map to add a stop, drag one to move it.") : n(stops.length, "{n} stop", "{n} stops")} />
      {fault && <div class="summary" role="alert"><b>{fault.details.length ? t("Some answers need another look.") : fault.message}</b>
        {fault.details.map((d) => <span key={d.field}>{stopOf(d.field, stops)}{d.message}</span>)}</div>}
      <div class="routing">
        <div class="stack far">
          <div class="field"><label for="route-name">{t("Name of the route")}</label>
            <input id="route-name" class="input" value={name} required disabled={!writes} autocomplete="off" onInput={(e) => setName(e.currentTarget.value)} /></div>
          <Card title={t("Stops")} flush><StopTable stops={stops} at={at} setAt={setAt} change={change} setStops={setStops} writes={writes} /></Card>
          {writes && <p><Button icon="plus" onClick={() => add(near(stops, known))}>{t("Add a stop")}</Button></p>}
        </div>
        <div class="routemap frame">
          <BusMap label={t("Stops of the route on a map")}
            lines={[...others.filter((r) => r.id !== route?.id).map((r) => ({ key: r.id, points: r.stops, look: "quiet" as const })),
              { key: "this", points: placed, look: "ahead" }]}
          stops={placed} centre={schoolPlace()}
          frame={`${route?.id}${stops.length > 0 || known.length > 0}`}
            {...(writes && { onPlace: add, onMove: (k: string, p: { lat: number; lng: number }) => { setAt(k); change(k, p) } })} /></div>
      </div>
      {route && <Riders route={route} />}
      {dirty.current && writes && (
        <div class="savebar" role="toolbar" aria-label={t("Unsaved changes")}><b>{t("Not saved yet")}</b>
          <Button kind="plain" onClick={() => { setName(route?.name ?? ""); setStops(edited(route)); setFault(undefined) }}>{t("Discard")}</Button>
            <Button kind="go" busy={busy} hint="Ctrl S" onClick={() => void save()}>{route ? t("Save the route") : t("Draw the route")}</Button></div>
      )}
      {clash && <Dialog title={t("Someone else changed this")} onClose={() => setClash(undefined)} wide>
        <p>{t("Compare the two, and go on with one of them.")}</p>
        <div class="cols even"><Way title={t("Yours")} name={name} stops={stops} /><Way title={t("Theirs")} name={clash.name} stops={edited(clash)} /></div>
        <div class="row wrap"><Button kind="go" onClick={() => { version.current = clash.version; setClash(undefined) }}>{t("Go on with mine")}</Button>
          <Button onClick={() => { setClash(undefined); dirty.current = false; changed() }}>{t("Go on with theirs")}</Button></div>
      </Dialog>}
    </>
  )
}

function Way({ title, name, stops }: { title: string; name: string; stops: EditedStop[] }) {
  return <div><h3>{title}: {name}</h3><ol class="small">{stops.map((s, i) => <li key={s.key}>{i + 1}. {s.name} {s.pickupTime} {s.dropoffTime}</li>)}</ol></div>
}

/** A place for a stop added without the map: beside the last one. */
function near(stops: EditedStop[], known: { lat: number; lng: number }[]): { lat: number; lng: number } {
  const last = stops.at(-1) ?? known[0] ?? schoolPlace() ?? { lat: 0, lng: 0 }
  return { lat: Number(last.lat) - 0.002, lng: Number(last.lng) + 0.002 }
}

/** The stop that an error is about: "Mill Lane: ". */
function stopOf(field: string, stops: EditedStop[]): string {
  const i = /stops\[(\d+)\]/.exec(field)?.[1]
  return i === undefined ? "" : `${stops[Number(i)]?.name ?? ""}: `
}
