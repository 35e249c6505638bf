// The real map: tiles of the server's --map-tiles, drawn by Leaflet. It has the same lines, stops and buses as the schematic.
import L from "leaflet"
import { useEffect, useRef } from "preact/hooks"
import { config } from "../shell/config"
import { t } from "../words/words"
import type { Line, MapProps, Marker, Place, Stop } from "./map"

const edge = 48
const closest = 16 // zoom for a single place

export default function Tiles({ label, lines, stops, buses = [], margin = { start: 0, end: 0 }, centre, frame, onBus, onPlace, onMove }: MapProps) {
  const box = useRef<HTMLDivElement>(null)
  const map = useRef<L.Map>(undefined)
  const course = useRef<L.LayerGroup>(undefined)
  const driving = useRef(new Map<string, L.Marker>())
  const calls = useRef({ onBus, onPlace, onMove })
  calls.current = { onBus, onPlace, onMove }
  useEffect(() => {
    const m = L.map(box.current!, { center: [0, 0], zoom: 2, zoomSnap: 0.5, zoomControl: false })
    m.attributionControl.setPrefix('<a href="/app/licenses.txt" target="_blank" rel="noopener">Leaflet</a>')
    L.control.zoom({ position: margin.start ? "bottomright" : "topleft", zoomInTitle: t("Closer"), zoomOutTitle: t("Further away") }).addTo(m) // a panel may cover the start
    L.tileLayer(config.map!.tiles, { maxZoom: 19, attribution: escaped(config.map!.attribution) }).addTo(m)
    m.on("click", (e) => calls.current.onPlace?.(rounded(e.latlng)))
    map.current = m
    course.current = L.layerGroup().addTo(m)
    const see = new ResizeObserver(() => m.invalidateSize({ animate: false }))
    see.observe(box.current!)
    return () => { see.disconnect(); driving.current.clear(); m.remove() }
  }, [])
  const places = [...lines.flatMap((l) => l.points), ...stops, ...buses]
  const key = `${frame ?? stops.map((s) => s.id).join()}:${places.length > 0 || JSON.stringify(centre)}`
  useEffect(() => {
    if (!places.length) {
      if (centre) map.current!.setView(centre, closest - 2, { animate: false })
      return
    }
    const wide = box.current!.clientWidth > 760 ? margin : { start: 0, end: 0 }
    map.current!.fitBounds(L.latLngBounds(places), { paddingTopLeft: [wide.start + edge, edge], paddingBottomRight: [wide.end + edge, edge], maxZoom: closest, animate: false })
  }, [key])
  useEffect(() => {
    const group = course.current!.clearLayers()
    for (const l of lines) drawLine(group, l)
    for (const s of stops) drawStop(group, s, onMove && ((p) => calls.current.onMove?.(s.id, p)))
  }, [JSON.stringify([lines, stops]), !!onMove])
  useEffect(() => drive(map.current!, driving.current, buses, (id) => calls.current.onBus?.(id)), [JSON.stringify(buses)])
  return <div class={onPlace ? "map realmap edits" : "map realmap"} ref={box} role="region" aria-label={label} />
}

function drawLine(group: L.LayerGroup, l: Line): void {
  for (const part of ["casing", "inner"]) L.polyline(l.points, { interactive: false, className: `course ${l.look} ${part}` }).addTo(group)
}

function drawStop(group: L.LayerGroup, s: Stop, moved: ((p: Place) => void) | undefined): void {
  const pin = element(`pin ${s.look ?? ""}`, element("no", s.no ? String(s.no) : ""), element("name", s.name))
  const icon = L.divIcon({ html: pin, className: "", iconSize: [0, 0] })
  const marker = L.marker(s, { icon, keyboard: false, interactive: !!moved, draggable: !!moved })
  if (moved) marker.on("dragend", () => moved(rounded(marker.getLatLng())))
  marker.addTo(group)
}

/** Moves the buses; one that is new or gone is added or taken away. */
function drive(map: L.Map, driving: Map<string, L.Marker>, buses: Marker[], click: (id: string) => void): void {
  for (const [id, marker] of driving) {
    if (!buses.some((b) => b.id === id)) { marker.remove(); driving.delete(id) }
  }
  for (const b of buses) {
    const look = `driven ${b.stale ? "stale" : ""} ${b.chosen ? "chosen" : ""}`
    const icon = L.divIcon({ html: element(look, element("letters", b.letters)), className: "glides", iconSize: [0, 0] })
    const marker = driving.get(b.id)
    if (marker) marker.setLatLng(b).setIcon(icon)
    else driving.set(b.id, L.marker(b, { icon, keyboard: false, title: b.name, zIndexOffset: 1000 }).on("click", () => click(b.id)).addTo(map))
  }
}

/** An element with text or other elements in it; a name is never read as HTML. */
function element(look: string, ...inside: (HTMLElement | string)[]): HTMLElement {
  const e = document.createElement("span")
  e.className = look
  e.append(...inside)
  return e
}

/** Leaflet reads an attribution as HTML. */
const escaped = (text: string) => element("", text).innerHTML

const rounded = (p: { lat: number; lng: number }): Place => ({ lat: Math.round(p.lat * 1e5) / 1e5, lng: Math.round(p.lng * 1e5) / 1e5 }) // about a metre
