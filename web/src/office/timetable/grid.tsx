// A week as a grid: days across, periods down. A lesson is moved by dragging, or by M, the arrows and Enter.
import { useEffect, useRef, useState } from "preact/hooks"
import { t } from "../../words/words"
import { at, bellsOf, dayName, daysOf, type Bell, type Lesson, type Slot } from "./weeks"

interface Props {
  label: string
  lessons: Lesson[]
  says: (l: Lesson) => { title: string; lines: (string | null)[] }
  moving?: Lesson | undefined
  onPick?: (l: Lesson | undefined) => void
  clashAt?: (s: Slot, bell: Bell) => string | undefined
  onMove?: (to: Slot, bell: Bell) => void
  onOpen?: (l: Lesson | undefined, s: Slot, bell: Bell) => void
}

export function WeekGrid(p: Props) {
  const days = daysOf(p.lessons)
  const bells = bellsOf(p.lessons)
  const [spot, setSpot] = useState({ row: 0, col: 0 })
  const body = useRef<HTMLTableSectionElement>(null)
  const live = useRef(spot)
  const focus = (row: number, col: number) => {
    live.current = { row: Math.max(0, Math.min(bells.length - 1, row)), col: Math.max(0, Math.min(days.length - 1, col)) }
    setSpot(live.current)
    body.current?.children[live.current.row]?.querySelectorAll<HTMLElement>("[data-slot]")[live.current.col]?.focus()
  }
  useEffect(() => { if (p.moving) focus(live.current.row, live.current.col) }, [p.moving])
  const key = (e: KeyboardEvent) => {
    const { row, col } = live.current
    const step = { ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1] }[e.key]
    const bell = bells[row], day = days[col]
    if (!bell || !day) return
    const slot = { day, period: bell.period }
    if (step) focus(row + step[0]!, col + step[1]!)
    else if (e.key === "Escape" && p.moving) p.onPick?.(undefined)
    else if (e.key === "Enter" && p.moving) p.onMove?.(slot, bell)
    else if (e.key === "Enter") p.onOpen?.(at(p.lessons, slot), slot, bell)
    else if (e.key.toLowerCase() === "m" && p.onPick && !e.ctrlKey && !e.metaKey) p.onPick(at(p.lessons, slot))
    else return
    e.preventDefault()
  }
  return (
    <div class="frame"><div class="scroll">
      <table class="weekgrid" role="grid" aria-label={p.label} onKeyDown={key}>
        <thead><tr><th scope="col"><span class="sr">{t("Period")}</span></th>{days.map((d) => <th key={d} scope="col">{dayName(d)}</th>)}</tr></thead>
        <tbody ref={body}>{bells.map((bell, row) => (
          <tr key={bell.period}>
            <th scope="row"><b>{bell.period}</b><span class="block faint small">{bell.startTime.slice(0, 5)}</span><span
              class="block faint small">{bell.endTime.slice(0, 5)}</span></th>
            {days.map((day, col) => (
              <Place key={day} props={p} slot={{ day, period: bell.period }} bell={bell} lesson={at(p.lessons, { day, period: bell.period })}
                stop={spot.row === row && spot.col === col}
                onFocus={() => { live.current = { row, col }; setSpot(live.current) }} />
            ))}
          </tr>
        ))}</tbody>
      </table>
    </div></div>
  )
}

interface PlaceProps { props: Props; slot: Slot; bell: Bell; lesson: Lesson | undefined; stop: boolean; onFocus: () => void }

function Place({ props: p, slot, bell, lesson, stop, onFocus }: PlaceProps) {
  const [over, setOver] = useState(false)
  const trouble = p.moving && p.moving !== lesson ? p.clashAt?.(slot, bell) : undefined
  const text = lesson ? p.says(lesson) : undefined
  const look = `${p.moving ? (trouble ? "clash" : "free") : ""} ${over ? "over" : ""} ${lesson && lesson === p.moving ? "lifted" : ""}`
  return (
    <td data-slot role="gridcell" tabIndex={stop ? 0 : -1} class={look} onFocus={onFocus}
      aria-label={`${dayName(slot.day)}, ${slot.period}: ${[text ? [text.title, ...text.lines].filter(Boolean).join(", ") : t("free"), trouble].filter(Boolean).join(". ")}`}
      onClick={() => { onFocus(); if (p.moving) p.onMove?.(slot, bell); else p.onOpen?.(lesson, slot, bell) }}
      onDragOver={(e) => { if (p.moving) { e.preventDefault(); setOver(true) } }} onDragLeave={() => setOver(false)}
      onDrop={(e) => { e.preventDefault(); setOver(false); p.onMove?.(slot, bell) }}>
      {lesson && text && (
        <div class={`lesson h${hue(lesson.subjectName)}`} draggable={!!p.onPick}
          onDragStart={(e) => { e.dataTransfer?.setData("text/plain", text.title); p.onPick?.(lesson) }} onDragEnd={() => p.onPick?.(undefined)}>
          <b class="cut">{text.title}</b>{text.lines.map((x, i) => x && <span class="cut" key={i}><bdi>{x}</bdi></span>)}
        </div>
      )}
      {trouble && <span class="trouble">{trouble}</span>}
    </td>
  )
}

/** A hue that stays with a subject. */
function hue(name: string): number {
  let sum = 0
  for (const c of name) sum = (sum * 31 + c.codePointAt(0)!) % 9973
  return sum % 10
}
