// The children of a teacher's classes.
import { useState } from "preact/hooks"
import { may } from "../api/session"
import { Line, Screen } from "../pocket/screen"
import { useGet } from "../shell/load"
import { query, setQuery } from "../shell/router"
import { Avatar, Card, Icon, LinkButton, Ready, State } from "../ui/basics"
import { fullName, today } from "../words/format"
import { n, t } from "../words/words"
import { useDivisions, type Classes } from "./classes"
import { markPage, type Spot } from "./register"

interface Group { key: string; classId: string; divisionId?: string; name: string; mine: boolean }

export default function Children() {
  const classes = useDivisions()
  const groups = groupsOf(classes.data)
  const chosen = groups.find((g) => g.key === query.value.get("of")) ?? groups[0]
  return (
    <Screen title={t("Classes")} sub={classes.data && n(groups.length, "{n} division", "{n} divisions")}>
      <Ready of={classes}>{() => (
        chosen
          ? <>
            {groups.length > 1 && (
              <select class="input" aria-label={t("Division")} value={chosen.key} onChange={(e) => setQuery({ of: e.currentTarget.value })}>
                {groups.map((g) => <option key={g.key} value={g.key}>{g.mine ? t("{division}, your class", { division: g.name }) : g.name}</option>)}
              </select>
            )}
            <Group key={chosen.key} group={chosen} />
          </>
          : <State icon="people" title={t("You have no classes yet")}><p>{t("The office assigns them.")}</p></State>
      )}</Ready>
    </Screen>
  )
}

function groupsOf(classes: Classes | undefined): Group[] {
  const all = (classes?.items ?? []).flatMap((c): Group[] => c.divisions.length === 0
    ? [{ key: c.id, classId: c.id, name: c.name, mine: false }]
    : c.divisions.map((d) => ({ key: d.id, classId: c.id, divisionId: d.id, name: `${c.name} ${d.name}`, mine: d.isClassTeacher })))
  return all.sort((a, b) => Number(b.mine) - Number(a.mine))
}

function Group({ group: g }: { group: Group }) {
  const [search, setSearch] = useState("")
  const list = useGet("/teacher/class/students", { classId: g.classId, divisionId: g.divisionId, limit: 100, sort: "rollNo" } as never)
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  const spot: Spot = { classId: g.classId, divisionId: g.divisionId, date: today() }
  return (
    <>
      <div class="pair">
        {may("write", "attendance") && <LinkButton icon="tick" href={markPage(spot)}>{t("Attendance")}</LinkButton>}
        <LinkButton icon="cap" href="/app/exams">{t("Exams")}</LinkButton>
      </div>
      <Ready of={list} rows={10}>{(data) => {
        const shown = data.items.filter((s) => words.every((w) => `${fullName(s)} ${s.admissionNo}`.toLowerCase().includes(w)))
        return (
          <Card title={n(data.total, "{n} child", "{n} children")} flush>
            {data.items.length > 10 && <div class="pad"><span class="with"><Icon name="search" /><input class="input" type="search" aria-label={t("Find a child")} placeholder={t("Find a child")} value={search} onInput={(e) => setSearch(e.currentTarget.value)} /></span></div>}
            {shown.map((s) => <Line key={s.id} href={`/app/children/${s.id}`} lead={<Avatar name={fullName(s)} photo={s.photoThumbnailUrl} size="lg" />} title={<bdi>{fullName(s)}</bdi>} sub={s.rollNo ? t("No. {n}", { n: s.rollNo }) : s.admissionNo} />)}
            {shown.length === 0 && <p class="pad muted">{t("Nobody has this name here.")}</p>}
          </Card>
        )
      }}</Ready>
    </>
  )
}
