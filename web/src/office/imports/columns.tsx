// What each heading of the file means.
import { Badge, Button } from "../../ui/basics"
import { n, t } from "../../words/words"
import { labelOf } from "./kinds"
import type { Sheet } from "./read"

interface Props { sheet: Sheet; columns: string[]; mapping: string[]; setMapping: (m: string[]) => void; next: () => void; back: () => void }

export function Columns({ sheet, columns, mapping, setMapping, next, back }: Props) {
  const set = (i: number, column: string) => setMapping(mapping.map((c, j) => (j === i ? column : c === column && column ? "" : c)))
  const used = mapping.filter(Boolean).length
  return (
    <>
      <div class="frame"><div class="scroll"><table>
        <thead><tr><th scope="col">{t("Heading in the file")}</th><th scope="col">{t("Means")}</th><th scope="col" class="hide-sm">{t("First rows")}</th></tr></thead>
        <tbody>{sheet.header.map((h, i) => (
          <tr key={i}><th scope="row">{h || <span class="faint">{t("no heading")}</span>}</th>
            <td><div class="row"><select class="input" aria-label={t("Meaning of {heading}", { heading: h })} value={mapping[i]} onChange={(e) => set(i, e.currentTarget.value)}>
              <option value="">{t("– not imported –")}</option>{columns.map((c) => <option key={c} value={c}>{labelOf(c)}</option>)}
            </select>{!mapping[i] && <Badge tone="warn">{t("left out")}</Badge>}</div></td>
            <td class="muted hide-sm"><span class="one">{sheet.rows.slice(0, 3).map((r) => r[i]).filter(Boolean).join(" · ")}</span></td></tr>
        ))}</tbody>
      </table></div></div>
      <div class="row wrap"><Button kind="go" disabled={used === 0} onClick={next}>{n(sheet.rows.length, "Check {n} row", "Check {n} rows")}</Button><Button kind="plain"
        onClick={back}>{t("Another file")}</Button>
        <span class="push muted small">{n(used, "{n} column is imported.", "{n} columns are imported.")}</span></div>
    </>
  )
}
