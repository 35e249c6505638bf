import { Button, Badge } from "../../ui/basics"
import { fullName } from "../../words/format"
import { t } from "../../words/words"
import { choices, inWords, letter, press, type Mark, type Pupil } from "./marks"

interface Props {
  pupil: Pupil; mark: Mark; fresh: boolean; at: boolean; lesson: boolean; holiday: boolean; writes: boolean
  onFocus: () => void; onChange: (to: (m: Mark) => Mark | undefined) => void; onHistory: () => void
}

/** One child of the register. The mark is the grid's tab stop; fields in it are reached by R and by the mouse. */
export function PupilRow({ pupil: x, mark, fresh, at, lesson, holiday, writes, onFocus, onChange, onHistory }: Props) {
  const name = fullName(x)
  const now = letter(mark)
  const shown = choices().filter((c) => !(lesson && c.letter === "H"))
  return (
    <tr class={`${at ? "at" : ""} ${fresh ? "fresh" : ""}`} onFocusIn={onFocus}>
      <td class="num faint hide-sm">{x.rollNo}</td>
      <th scope="row"><span class="row"><a class="quiet cut" tabIndex={-1} href={`/app/students/${x.studentId}`}><bdi>{name}</bdi></a>{x.leaveId && <Badge
        tone="info">{t("leave")}</Badge>}</span></th>
      <td class="marks" data-mark role="gridcell" tabIndex={at ? 0 : -1} aria-label={`${name}: ${inWords(mark)}`}>
        <span class="row">
          {now === "X" ? <span class="m X">{t("Holiday")}</span> : shown.map((c) => (
            <button type="button" key={c.letter} tabIndex={-1} disabled={!writes || holiday} class={`letterpick ${now === c.letter ? c.letter : ""}`} aria-pressed={now === c.letter}
              aria-label={`${c.text}: ${name}`} title={c.text} onClick={() => { onFocus(); onChange((m) => press(c.letter, m)) }}>{c.letter}</button>
          ))}
          <Detail mark={mark} name={name} writes={writes} onChange={onChange} />
        </span>
      </td>
      <td class="hide-sm">
        <input class="inline" data-remark tabIndex={-1} aria-label={t("Remark about {name}", { name })} maxLength={500} disabled={!writes || !mark.status} value={mark.remark ?? ""}
          placeholder={mark.status && at ? t("Remark") : ""} onInput={(e) => { const text = e.currentTarget.value; onChange((m) => ({ ...m, remark: text || null })) }} />
      </td>
      <td class="act"><Button kind="plain" size="sm" icon="clock" tabIndex={-1} aria-label={t("History of {name}", { name })} onClick={onHistory} /></td>
    </tr>
  )
}

function Detail({ mark, name, writes, onChange }: { mark: Mark; name: string; writes: boolean; onChange: Props["onChange"] }) {
  if (mark.halfDay) return <span class="small muted nowrap">{inWords(mark)}</span>
  if (mark.status !== "LATE") return null
  return (
    <label class="row small muted nowrap">
      <input class="inline min num" type="number" min={1} max={600} tabIndex={-1} disabled={!writes} aria-label={t("Minutes late, {name}", { name })} value={mark.minutesLate ?? ""}
        onInput={(e) => { const v = Number(e.currentTarget.value); onChange((m) => ({ ...m, minutesLate: v > 0 ? v : null })) }} />{t("minutes")}
    </label>
  )
}
