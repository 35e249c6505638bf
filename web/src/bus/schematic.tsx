// The schematic: stops in their true directions, joined by lines, and buses that glide. Needs no tiles and no network.
import { useEffect, useRef, useState } from "preact/hooks"
import { t } from "../words/words"
import type { MapProps, Place } from "./map"

const edge = 56

export function Schematic({ label, lines, stops, buses = [], margin = { start: 0, end: 0 }, centre, frame, onBus, onPlace, onMove }: MapProps) {
  const box = useRef<HTMLDivElement>(null)
  const [size, setSize] = useState({ width: 0, height: 0 })
  const [dragged, setDragged] = useState<string>()
  useEffect(() => {
    const see = new ResizeObserver(([e]) => setSize({ width: e!.contentRect.width, height: e!.contentRect.height }))
    see.observe(box.current!)
    return () => see.disconnect()
  }, [])
  const points = [...lines.flatMap((l) => l.points), ...stops, ...buses]
  const seen = points.length || !centre ? points : [centre]
  const wide = size.width > 760 ? margin : { start: 0, end: 0 }
  const kept = useRef<{ key: string; at: Projection } | undefined>(undefined)
  const key = `${frame ?? stops.map((s) => s.id).join()}:${Math.round(size.width)}x${Math.round(size.height)}:${points.length > 0 || JSON.stringify(centre)}`
  if (size.width && seen.length && kept.current?.key !== key) kept.current = { key, at: project(seen, size, wide) }
  const p = kept.current?.at
  const back = (e: MouseEvent) => { const r = box.current!.getBoundingClientRect(); return p!.back(e.clientX - r.left, e.clientY - r.top) }
  const line = (list: Place[]) => list.map((x) => p!.xy(x).map((v) => v.toFixed(1)).join()).join(" ")
  return (
    <div class="map" ref={box}>
      {size.width > 0 && (
        <svg width={size.width} height={size.height} role="img" aria-label={label} class={onPlace ? "edits" : ""}
          onClick={(e) => { if (onPlace && !dragged && (e.target as Element).classList.contains("ground")) onPlace(p ? back(e) : { lat: 0, lng: 0 }) }}
          onPointerMove={(e) => { if (dragged && onMove) onMove(dragged, back(e)) }} onPointerUp={() => setTimeout(() => setDragged(undefined))}
            onPointerLeave={() => setDragged(undefined)}>
          <Ground {...size} />
          {p && lines.map((l) => <g key={l.key} class={`line ${l.look}`}><polyline class="casing" points={line(l.points)} /><polyline class="inner" points={line(l.points)} /></g>)}
          {p && stops.map((s, i) => {
            const [x, y] = p.xy(s)
            const away = s.no ? 17 : 14
            const { side, text } = beside(s.name, x - away, size.width - x - away, x > size.width * 0.62 || i % 2 === 1 && x > size.width * 0.3)
            return (
              <g key={s.id} class={`stop ${s.look ?? ""}`} transform={`translate(${x.toFixed(1)} ${y.toFixed(1)})`}
                onPointerDown={(e) => { if (onMove) { e.preventDefault(); setDragged(s.id) } }}>
                <title>{s.name}</title><circle r={s.no ? 11 : 7} />{s.no && <text class="no" y="4" text-anchor="middle">{s.no}</text>}
                <text x={side * away} y="5" text-anchor={side > 0 ? "start" : "end"}>{text}</text>
              </g>
            )
          })}
          {p && buses.map((b) => {
            const [x, y] = p.xy(b)
            return (
              <g key={b.id} class={`bus ${b.stale ? "stale" : ""} ${b.chosen ? "chosen" : ""}`} style={{ transform: `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)` }}
                onClick={() => onBus?.(b.id)}>
                <title>{b.name}</title><circle r="24" /><rect x="-19" y="-14" width="38" height="28" rx="7" /><text y="5" text-anchor="middle">{b.letters}</text>
              </g>
            )
          })}
        </svg>
      )}
      {size.width > 0 && points.length === 0 && !onPlace && <p class="map-empty muted">{t("Nothing to show on the map.")}</p>}
    </div>
  )
}

const letter = 7.5 // pixels that a letter of a name takes, about

/** On which side of its stop a name stands, given the pixels on both. A name that has room on neither is shortened. */
function beside(name: string, left: number, right: number, preferLeft: boolean): { side: 1 | -1; text: string } {
  const need = name.length * letter
  const onLeft = preferLeft ? left >= need || left >= right : right < need && left > right
  const fits = Math.floor((onLeft ? left : right) / letter)
  return { side: onLeft ? -1 : 1, text: name.length <= fits ? name : `${name.slice(0, Math.max(fits - 1, 1))}…` }
}

interface Projection { xy: (p: Place) => [number, number]; back: (x: number, y: number) => Place }

/** Fits the points into the picture, true to directions and lengths. */
function project(points: Place[], size: { width: number; height: number }, margin: { start: number; end: number }): Projection {
  const middle = points.reduce((s, p) => s + p.lat, 0) / points.length
  const k = Math.cos((middle * Math.PI) / 180)
  const xs = points.map((p) => p.lng * k)
  const ys = points.map((p) => -p.lat)
  const [x0, x1, y0, y1] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)]
  const free = { width: Math.max(80, size.width - margin.start - margin.end - 2 * edge), height: Math.max(80, size.height - 2 * edge) }
  const scale = Math.min(free.width / Math.max(x1 - x0, 2e-3), free.height / Math.max(y1 - y0, 2e-3))
  const cx = margin.start + edge + free.width / 2
  const cy = edge + free.height / 2
  return {
    xy: (p) => [cx + (p.lng * k - (x0 + x1) / 2) * scale, cy + (-p.lat - (y0 + y1) / 2) * scale],
    back: (x, y) => ({ lng: round(((x - cx) / scale + (x0 + x1) / 2) / k), lat: round(-((y - cy) / scale + (y0 + y1) / 2)) }),
  }
}

const round = (v: number) => Math.round(v * 1e5) / 1e5 // about a metre

/** Blocks and streets that stand for no real place. */
function Ground({ width, height }: { width: number; height: number }) {
  return (
    <>
      <defs><pattern id="blocks" width="116" height="98" patternUnits="userSpaceOnUse"><rect class="block" x="8" y="8" width="100" height="82" rx="3" /></pattern></defs>
      <rect class="land" width={width} height={height} /><rect class="ground" width={width} height={height} fill="url(#blocks)" />
      <path class="street" d={`M${width * 0.2} 0 L${width * 0.56} ${height}M0 ${height * 0.62} L${width} ${height * 0.44}`} />
    </>
  )
}
