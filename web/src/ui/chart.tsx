// Charts in SVG. Each has a sentence for readers, and stays left to right.
import { t } from "../words/words"

interface Point { label: string; value: number }

/** A line over an area, with a spot at its end. */
export function LineChart({ label, points, height = 64 }: { label: string; points: Point[]; height?: number }) {
  const width = 280
  const top = Math.max(1, ...points.map((p) => p.value))
  const x = (i: number) => (points.length < 2 ? width : (i * width) / (points.length - 1))
  const y = (v: number) => height - 8 - (v / top) * (height - 16)
  const line = points.map((p, i) => `${x(i).toFixed(1)},${y(p.value).toFixed(1)}`).join(" ")
  const last = points.at(-1)
  return (
    <svg class="chart" viewBox={`0 0 ${width} ${height}`} role="img" aria-label={`${label}: ${points.map((p) => `${p.label} ${p.value}`).join(", ")}`}>
      <path class="grid" d={`M0 ${height - 7.5}H${width}`} />
      <polygon class="area" points={`0,${height - 8} ${line} ${width},${height - 8}`} /><polyline class="line" points={line} />
      {last && <circle class="spot" cx={width} cy={y(last.value)} r="4" />}
    </svg>
  )
}

/** Bars beside their labels, with the value at the end. */
export function Bars({ label, points, show = String }: { label: string; points: (Point & { second?: number })[]; show?: (v: number) => string }) {
  const top = Math.max(1, ...points.map((p) => Math.max(p.value, p.second ?? 0)))
  const row = 24
  return (
    <svg class="chart" viewBox={`0 0 400 ${points.length * row}`} role="img" aria-label={`${label}: ${points.map((p) => `${p.label} ${show(p.value)}`).join(", ")}`}>
      {points.map((p, i) => (
        <g key={p.label} transform={`translate(0 ${i * row})`}>
          <text x="110" y="16" text-anchor="end">{p.label.length > 18 ? `${p.label.slice(0, 17)}…` : p.label}</text>
          {p.second !== undefined && <rect class="c2" x="118" y="5" height="14" rx="3" width={(p.second / top) * 210} />}
          <rect class="c1" x="118" y="5" height="14" rx="3" width={Math.max(2, (p.value / top) * 210)} />
          <text x={124 + (Math.max(p.value, p.second ?? 0) / top) * 210} y="16">{show(p.value)}</text>
        </g>
      ))}
    </svg>
  )
}

/** Columns over time, each with its value as a tooltip. */
export function Columns({ label, points, show = String, height = 120 }: { label: string; points: Point[]; show?: (v: number) => string; height?: number }) {
  const width = 560
  const foot = 18
  const top = Math.max(1, ...points.map((p) => p.value))
  const step = width / Math.max(1, points.length)
  const highest = points.findIndex((p) => p.value === top)
  const every = Math.ceil(points.length / 8)
  return (
    <svg class="chart" viewBox={`0 0 ${width} ${height}`} role="img" aria-label={`${label}: ${points.filter((p) => p.value).map((p) => `${p.label} ${show(p.value)}`).join(", ")}`}>
      <path class="grid" d={`M0 ${height - foot + .5}H${width}`} />
      {points.map((p, i) => {
        const tall = (p.value / top) * (height - foot - 14)
        return (
          <g key={p.label}><title>{`${p.label}: ${show(p.value)}`}</title>
            <rect class="c1" x={i * step + step * .15} y={height - foot - tall} width={step * .7} height={tall} rx="2" />
            {i === highest && <text x={Math.min(width - 24, Math.max(24, i * step + step / 2))} y={height - foot - tall - 4} text-anchor="middle">{show(p.value)}</text>}
            {(points.length - 1 - i) % every === 0 && <text x={Math.min(width - 16, i * step + step / 2)} y={height - 4} text-anchor="middle">{p.label}</text>}
          </g>
        )
      })}
    </svg>
  )
}

export interface Line { name: string; values: (number | null)[] }

/** Lines over time. A missing value is a gap; pointing at a moment shows its values. */
export function TimeChart({ label, times, lines, show, height = 96 }: { label: string; times: string[]; lines: Line[]; show: (v: number) => string; height?: number }) {
  const width = 340
  const foot = 18
  const floor = height - foot
  const all = lines.flatMap((l) => l.values.filter((v) => v !== null))
  const top = Math.max(...all, 0) || 1
  const step = width / Math.max(1, times.length)
  const x = (i: number) => (i + .5) * step
  const y = (v: number) => floor - (v / top) * (floor - 16)
  const every = Math.ceil(times.length / 4)
  const words = lines.map((l) => {
    const now = shown(l.values.findLast((v) => v !== null), show)
    return `${l.name} ${t("now {now}, at most {most}", { now, most: show(Math.max(...l.values.map((v) => v ?? 0))) })}`
  })
  return (
    <svg class="chart" viewBox={`0 0 ${width} ${height}`} role="img" aria-label={`${label}: ${words.join("; ")}`}>
      <path class="grid" d={`M0 ${floor + .5}H${width}M0 ${y(top) - .5}H${width}`} />
      <text x="0" y={y(top) - 4}>{all.length > 0 && show(top)}</text>
      {lines.map((l, n) => paths(l.values, x, y).map((d) => <path key={`${l.name} ${d}`} class={n === 0 ? "line" : "line two"} d={d} />))}
      {times.map((at, i) => (
        <g key={at}>
          <rect class="touch" x={i * step} y="0" width={step} height={floor}>
            <title>{`${at}: ${lines.map((l) => `${l.name} ${shown(l.values[i], show)}`).join(", ")}`}</title>
          </rect>
          {(times.length - 1 - i) % every === 0 && <text x={Math.max(16, x(i))} y={height - 4} text-anchor={i === times.length - 1 ? "end" : "middle"}>{at}</text>}
        </g>
      ))}
    </svg>
  )
}

function shown(v: number | null | undefined, show: (v: number) => string): string { return v === null || v === undefined ? "–" : show(v) }

/** The unbroken parts of a line. A single value is a dot. */
function paths(values: (number | null)[], x: (i: number) => number, y: (v: number) => number): string[] {
  const out: string[] = []
  let open = ""
  values.forEach((v, i) => {
    if (v === null) { if (open) out.push(open); open = ""; return }
    open += `${open ? "L" : "M"}${x(i).toFixed(1)} ${y(v).toFixed(1)}${open ? "" : "h.1"}`
  })
  return open ? [...out, open] : out
}
