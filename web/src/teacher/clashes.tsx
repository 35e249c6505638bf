// A later mark of someone else was kept: both stand side by side until the teacher has decided.
import { sayFault } from "../shell/toast"
import { Button, Card } from "../ui/basics"
import { when } from "../words/format"
import { t } from "../words/words"
import { decide, type Clash } from "./clash"
import { inWords, type Mark } from "./marks"

export function Clashes({ of }: { of: Clash[] }) {
  return <>{of.map((c) => <One key={c.studentId + c.mineAt} clash={c} />)}</>
}

function One({ clash: c }: { clash: Clash }) {
  const end = (mine: boolean) => void decide(c, mine).catch(sayFault)
  return (
    <Card title={<bdi>{c.name}</bdi>} badge={<span class="small muted">{c.label}</span>}>
      <div class="stack loose">
        <p>{t("Someone else marked later than you. Their mark is kept.")}</p>
        <div class="pair versus">
          <Side title={t("You")} at={c.mineAt} mark={c.mine} />
          <Side title={c.theirsBy ?? t("Someone else")} at={c.theirsAt} mark={c.theirs} />
          <Button onClick={() => end(true)} aria-label={t("Use mine for {name}", { name: c.name })}>{t("Use mine")}</Button>
          <Button onClick={() => end(false)} aria-label={t("Keep theirs for {name}", { name: c.name })}>{t("Keep theirs")}</Button>
        </div>
      </div>
    </Card>
  )
}

function Side({ title, at, mark }: { title: string; at: string | null; mark: Mark | null }) {
  return <div class="stack tight"><span class="small muted"><bdi>{title}</bdi>{at && `, ${when(at)}`}</span><b>{inWords(mark)}</b>{mark?.remark && <span class="small clamp"><bdi>{mark.remark}</bdi></span>}</div>
}
