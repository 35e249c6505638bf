// A grid has one tab stop; arrow keys, Home and End move inside it (the ARIA grid pattern).
import { useRef, useState } from "preact/hooks"

export interface GridCell { tabIndex: number; onFocus: () => void; "data-cell": string }

/** Keys of a grid. Spread cell(row, column) on the control of each cell, and keys on the element with role="grid". */
export function useGrid(rows: number, columns: number) {
  const [at, setAt] = useState<[number, number]>([0, 0])
  const root = useRef<HTMLTableElement>(null)
  const focus = (r: number, c: number, step: [number, number]) => { // leaps over cells without a control
    for (let y = r, x = c; y >= 0 && y < rows && x >= 0 && x < columns; y += step[0], x += step[1]) {
      const cell = root.current?.querySelector<HTMLElement>(`[data-cell="${y}:${x}"]`)
      if (cell && !(cell as HTMLInputElement).disabled) { cell.focus(); return }
      if (step[0] === 0 && step[1] === 0) return
    }
  }
  const onKeyDown = (e: KeyboardEvent) => {
    const step = ({ ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1] } as Record<string, [number, number]>)[e.key]
    const edge = ({ Home: 0, End: columns - 1 } as Record<string, number>)[e.key]
    if (!step && edge === undefined) return
    e.preventDefault()
    const side = document.dir === "rtl" ? -1 : 1
    if (step) focus(at[0] + step[0], at[1] + step[1] * side, [step[0], step[1] * side])
    else focus(at[0], edge!, [0, edge === 0 ? 1 : -1])
  }
  const cell = (r: number, c: number): GridCell => ({ tabIndex: at[0] === r && at[1] === c ? 0 : -1, onFocus: () => setAt([r, c]), "data-cell": `${r}:${c}` })
  return { cell, keys: { ref: root, onKeyDown, role: "grid" as const } }
}
