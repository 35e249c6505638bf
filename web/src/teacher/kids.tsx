// The children of a class as buttons that fit on a phone: fifteen with faces, forty without.
import { Avatar, Icon } from "../ui/basics"
import { fullName } from "../words/format"
import { t } from "../words/words"
import type { Child } from "./marking"
import { inWords, letter } from "./marks"

const many = 20

export function Kids({ of, list, last, onTap }: { of: string; list: Child[]; last: string | undefined; onTap: (c: Child) => void }) {
  return (
    <ul class={list.length > many ? "kids many" : "kids"} aria-label={t("Children of {division}", { division: of })}>
      {list.map((c) => <li key={c.row.studentId}><Kid child={c} last={c.row.studentId === last} onTap={() => onTap(c)} /></li>)}
    </ul>
  )
}

function Kid({ child: { row, mark }, last, onTap }: { child: Child; last: boolean; onTap: () => void }) {
  const l = letter(mark)
  return (
    <button type="button" class={`kid ${l} ${last ? "on" : ""}`} onClick={onTap}>
      <span class="face"><Avatar name={fullName(row)} size="lg" /><span class="mk" aria-hidden="true">{l === "P" ? <Icon name="check" size="xs" /> : l}</span></span>
      <span class="nm"><bdi>{row.firstName}</bdi>{row.lastName && <> <bdi>{row.lastName}</bdi></>}</span>
      <span class={l === "P" ? "sr" : "st"}>{inWords(mark)}{mark.remark && <span class="sr">, {t("with a remark")}</span>}</span>
    </button>
  )
}
