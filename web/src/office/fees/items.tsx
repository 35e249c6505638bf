// The lines of a fee structure as a table to type in.
import { Button } from "../../ui/basics"
import { t } from "../../words/words"
import { readAmount, writeAmount } from "./amount"
import { frequencyOptions, type Item } from "./words"

/** A line while it is typed. */
export interface Line { key: string; id?: string; name: string; head?: { id: string; name: string }; amount: string; frequency: Item["frequency"]; due: string;
  who: "all" | "chosen" | "category"; category: string; startDate: string; endDate: string }

export function newLine(): Line {
  return { key: crypto.randomUUID(), name: "", amount: "", frequency: "MONTHLY", due: "10", who: "all", category: "", startDate: "", endDate: "" }
}

export function lineOf(i: Item, keepId: boolean): Line {
  return {
    key: i.id, ...(keepId && { id: i.id }), name: i.feeHead, head: { id: i.feeHeadId, name: i.feeHead }, amount: writeAmount(i.amount), frequency: i.frequency,
    due: i.dueDate ?? String(i.dueDay ?? 10),
    who: i.isOptional ? "chosen" : i.category ? "category" : "all", category: i.category ?? "", startDate: i.startDate ?? "", endDate: i.endDate ?? "",
  }
}

/** What the service takes for a line. */
export function itemOf(l: Line) {
  const byDate = /-/.test(l.due) && dated(l)
  return {
    ...(l.id && { id: l.id }), ...(l.head && l.head.name === l.name.trim() ? { feeHeadId: l.head.id } : { name: l.name.trim() }), amount: readAmount(l.amount) ?? 0,
    frequency: l.frequency,
    ...(byDate ? { dueDate: l.due } : { dueDay: Number(l.due) || 10 }), isOptional: l.who === "chosen", ...(l.who === "category" && { category: l.category }),
    ...(l.startDate && { startDate: l.startDate }), ...(l.endDate && { endDate: l.endDate }),
  }
}

const dated = (l: Line) => l.frequency === "ONCE" || l.frequency === "YEARLY"

export function Lines({ lines, setLines, heads }: { lines: Line[]; setLines: (l: Line[]) => void; heads: string[] }) {
  const set = (key: string, change: Partial<Line>) => setLines(lines.map((l) => (l.key === key ? { ...l, ...change } : l)))
  return (
    <div class="stack">
      <div class="frame scroll"><table class="lines">
        <thead><tr><th scope="col">{t("For what")}</th><th scope="col" class="num">{t("Amount")}</th><th scope="col">{t("How often")}</th>
          <th scope="col">{t("Due on")}</th><th scope="col">{t("Who pays")}</th>
          <th scope="col">{t("From")}</th><th scope="col">{t("Until")}</th><th scope="col"><span class="sr">{t("Actions")}</span></th></tr></thead>
        <tbody>{lines.map((l, i) => <LineRow key={l.key} line={l} no={i + 1} set={(c) => set(l.key, c)} drop={() => setLines(lines.filter((x) => x.key !== l.key))} />)}</tbody>
      </table></div>
      <datalist id="fee-heads">{heads.map((h) => <option key={h} value={h} />)}</datalist>
      <div><Button kind="dash" icon="plus" onClick={() => setLines([...lines, newLine()])}>{t("Add a line")}</Button></div>
    </div>
  )
}

function LineRow({ line: l, no, set, drop }: { line: Line; no: number; set: (c: Partial<Line>) => void; drop: () => void }) {
  const label = (what: string) => t("{what}, line {n}", { what, n: no })
  return (
    <tr>
      <td><input class="input" required list="fee-heads" aria-label={label(t("For what"))} value={l.name} onInput={(e) => set({ name: e.currentTarget.value })} /></td>
      <td><input class="input num" required inputMode="decimal" aria-label={label(t("Amount"))} value={l.amount} onInput={(e) => set({ amount: e.currentTarget.value })} /></td>
      <td><select class="input" aria-label={label(t("How often"))} value={l.frequency}
        onChange={(e) => set({ frequency: e.currentTarget.value as Line["frequency"], due: "10" })}>
          {frequencyOptions().map((o) => <option key={o.value} value={o.value}>{o.text}</option>)}</select></td>
      <td>{dated(l) ? <input class="input" type="date" aria-label={label(t("Due on"))} value={/-/.test(l.due) ? l.due : ""}
        onInput={(e) => set({ due: e.currentTarget.value || "10" })} />
        : <span class="row"><span class="muted nowrap">{t("day")}</span>
          <input class="input num" type="number" min={1} max={31} aria-label={label(t("Due day of the month"))} value={l.due}
            onInput={(e) => set({ due: e.currentTarget.value })} /></span>}</td>
      <td><span class="row"><select class="input" aria-label={label(t("Who pays"))} value={l.who} onChange={(e) => set({ who: e.currentTarget.value as Line["who"] })}>
        <option value="all">{t("everyone")}</option><option value="chosen">{t("who chose it")}</option><option value="category">{t("a category")}</option></select>
        {l.who === "category" && <input class="input" required aria-label={label(t("Category"))} placeholder={t("Category")} value={l.category}
          onInput={(e) => set({ category: e.currentTarget.value })} />}</span></td>
      <td><input class="input" type="date" aria-label={label(t("From"))} value={l.startDate} onInput={(e) => set({ startDate: e.currentTarget.value })} /></td>
      <td><input class="input" type="date" aria-label={label(t("Until"))} value={l.endDate} onInput={(e) => set({ endDate: e.currentTarget.value })} /></td>
      <td class="act"><Button kind="plain" icon="x" aria-label={t("Take away line {n}", { n: no })} onClick={drop} /></td>
    </tr>
  )
}
