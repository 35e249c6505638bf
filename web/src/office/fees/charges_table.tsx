// What is open per child at the counter, with a tick for each charge and what it gets of the money.
import { Avatar, Badge } from "../../ui/basics"
import { date, due, money, today } from "../../words/format"
import { n, t } from "../../words/words"
import { openCharges, type Charge, type Plan, type Statement } from "./amount"
import { classOf, nameOf } from "./family"

interface Props { statements: Statement[]; ticked: Set<string>; setTicked: (ids: Set<string>) => void; plan: Plan }

export function ChargesTable({ statements, ticked, setTicked, plan }: Props) {
  const open = openCharges(statements)
  const all = open.every((c) => ticked.has(c.id))
  const flip = (id: string) => { const next = new Set(ticked); if (!next.delete(id)) next.add(id); setTicked(next) }
  return (
    <div class="frame"><table onKeyDown={moveTick}>
      <thead><tr>
        <th class="tick" scope="col"><input type="checkbox" aria-label={t("Pay all charges")} checked={all} indeterminate={!all && open.some((c) => ticked.has(c.id))}
          onChange={() => setTicked(new Set(all ? [] : open.map((c) => c.id)))} /></th>
        <th scope="col">{t("Charge")}</th><th scope="col" class="hide-sm">{t("Due on")}</th><th scope="col" class="num">{t("To pay")}</th>
        <th scope="col" class="num">{t("Pay now")}</th>
      </tr></thead>
      {statements.map((s) => (
        <tbody key={s.student.id}>
          <tr class="sub"><th colSpan={5} scope="rowgroup"><span class="row">
            <Avatar name={nameOf(s)} /><a class="cut" href={`/app/students/${s.student.id}`}><bdi>{nameOf(s)}</bdi></a><span class="muted nowrap">{classOf(s)}</span>
            <span class="push num muted">{s.totals.advance > 0 ? t("{sum} paid ahead", { sum: money(s.totals.advance) })
              : s.totals.due > 0 ? money(s.totals.due) : t("nothing due")}</span>
          </span></th></tr>
          {openCharges([s]).map((c) => <Row key={c.id} charge={c} ticked={ticked.has(c.id)} flip={() => flip(c.id)} pay={plan.shares.get(c.id) ?? 0} />)}
        </tbody>
      ))}
    </table></div>
  )
}

function Row({ charge: c, ticked, flip, pay }: { charge: Charge; ticked: boolean; flip: () => void; pay: number }) {
  const late = Math.round((Date.parse(today()) - Date.parse(c.dueDate)) / 86_400_000)
  return (
    <tr>
      <td class="tick"><input type="checkbox" aria-label={t("Pay {charge}", { charge: c.title })} checked={ticked} onChange={flip} /></td>
      <td>{c.title}</td>
      <td class="muted hide-sm nowrap">{date(c.dueDate)} {late > 0
        && <Badge tone={late > 30 ? "bad" : "warn"}>{n(late, "{n} day", "{n} days")}<span class="sr"> {t("late")}</span></Badge>}</td>
          <td class="num">{money(c.due)}</td><td class={pay > 0 ? "num strong" : "num faint"}>{due(pay)}</td>
    </tr>
  )
}

/** Arrow keys go from tick to tick. */
function moveTick(e: KeyboardEvent): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[e.key]
  if (!step || (e.target as HTMLInputElement).type !== "checkbox") return
  e.preventDefault()
  const all = [...(e.currentTarget as HTMLElement).querySelectorAll<HTMLInputElement>("input[type=checkbox]")]
  all[all.indexOf(e.target as HTMLInputElement) + step]?.focus()
}
