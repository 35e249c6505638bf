import type { Reply } from "../../api/contract"
import { may } from "../../api/session"
import { useGet } from "../../shell/load"
import { Banner, Head, LinkButton, Ready, Segments, State } from "../../ui/basics"
import { useDivisions } from "../../ui/choices"
import { query, setQuery } from "../../shell/router"
import { longDate, percent, today } from "../../words/format"
import { n, t } from "../../words/words"
import { chosenDay, DayChooser } from "./days"
import { holidayOn } from "./marks"
import { Remind } from "./remind"

type Summary = Reply<"/school-admin/attendance/summary", "get">
type Totals = Summary["totals"]
interface Tile { classId: string; divisionId: string; name: string; teacher: string | null; students: number; totals: Totals | null; marked: boolean }

const empty: Totals = { present: 0, absent: 0, late: 0, leave: 0, holiday: 0, halfDays: 0, minutesLate: 0, schoolDays: 0, presentDays: 0, percentage: null }

export default function Day() {
  const date = chosenDay()
  const summary = useGet("/school-admin/attendance/summary", { date })
  const divisions = useDivisions()
  const tiles = summary.data ? tilesOf(summary.data, divisions.items) : []
  const only = query.value.get("show") === "unmarked"
  const shown = only ? tiles.filter((x) => !x.marked) : tiles
  return (
    <>
      <Head title={summary.data ? headline(summary.data, tiles, date) : t("Attendance")} sub={<>{longDate(date)}. {t("Each square is one child.")}</>}>
        {date === today() && may("write", "attendance") && summary.data && summary.data.notMarked.length > 0 && <Remind />}
        <LinkButton href={date === today() ? "/app/attendance/absentees" : `/app/attendance/absentees?date=${date}`} icon="people">{t("Who is absent")}</LinkButton>
        <LinkButton href="/app/attendance/report" icon="chart">{t("Reports")}</LinkButton>
      </Head>
      <div class="row wrap wide">
        <DayChooser /><span class="push" />
        <Segments label={t("Divisions")} value={only ? "unmarked" : "all"} options={[{ value: "all", text: t("All divisions") }, { value: "unmarked", text: t("Not marked") }]}
          onChange={(v) => setQuery({ show: v === "all" ? "" : v })} />
      </div>
      <Ready of={summary} rows={8}>{(s) => (
        <>
          {s.schoolDays === 0 && <Banner icon="cal">{holidayOn(date) ? t("{name}: there is no school on this day.",
            { name: holidayOn(date)! }) : t("There is no school on this day.")}</Banner>}
          {tiles.length === 0 ? <State icon="tick" title={t("There are no divisions yet")}><p>{t("Add classes and divisions, then attendance can be marked.")}</p></State>
            : shown.length === 0 ? <State icon="check" title={t("Every division is marked")} />
            : <ul class="daytiles">{shown.map((x) => <li key={x.divisionId}><TileLink tile={x} date={date} /></li>)}</ul>}
          <Key />
        </>
      )}</Ready>
    </>
  )
}

function tilesOf(s: Summary, divisions: ReturnType<typeof useDivisions>["items"]): Tile[] {
  const open = new Set(s.notMarked.map((x) => x.divisionId))
  return s.classes.flatMap((c) => c.divisions.filter((d) => d.divisionId).map((d): Tile => ({
    classId: c.classId, divisionId: d.divisionId!, name: `${c.className} ${d.divisionName ?? ""}`, students: d.students,
    teacher: divisions.find((x) => x.id === d.divisionId)?.classTeacherName ?? s.notMarked.find((x) => x.divisionId === d.divisionId)?.classTeacherName ?? null,
    totals: d.marks ? d.totals : null, marked: !open.has(d.divisionId) && d.marks > 0,
  })))
}

function headline(s: Summary, tiles: Tile[], date: string): string {
  if (s.schoolDays === 0) return t("Attendance")
  const marked = tiles.filter((x) => x.marked).length
  if (tiles.length > 0 && marked === tiles.length) return t("All divisions are marked, {percent} are here", { percent: percent(s.totals.presentDays, s.totals.schoolDays) })
  if (date === today()) return t("{marked} of {all} divisions are marked", { marked, all: tiles.length })
  return t("{marked} of {all} divisions were marked", { marked, all: tiles.length })
}

function TileLink({ tile, date }: { tile: Tile; date: string }) {
  const href = `/app/attendance/${tile.classId}/${tile.divisionId}${date === today() ? "" : `?date=${date}`}`
  const sum = tile.totals ?? empty
  const here = sum.present + sum.late
  const seen = sum.present + sum.late + sum.absent + sum.leave + sum.holiday
  const notes = [
    sum.absent && n(sum.absent, "{n} absent", "{n} absent"), sum.late && n(sum.late, "{n} late", "{n} late"),
    sum.leave && n(sum.leave, "{n} on leave", "{n} on leave"), sum.halfDays && n(sum.halfDays, "{n} half day", "{n} half days"),
    tile.marked && seen < tile.students && n(tile.students - seen, "{n} not marked", "{n} not marked"),
  ].filter(Boolean).join(", ")
  return (
    <a class={tile.marked || tile.students === 0 ? "tile" : "tile un"} href={href}>
      <span class="row"><b class="nowrap">{tile.name}</b><span class="cut muted"><bdi>{tile.teacher}</bdi></span></span>
      <Squares totals={sum} students={tile.students} />
      <span class="row small">
        {tile.marked ? <><span class="num nowrap">{t("{here} of {all}", { here, all: tile.students })}</span><span
          class={sum.absent ? "push bad strong cut" : "push muted cut"}>{notes}</span></>
          : tile.students === 0 ? <span class="faint">{t("No students")}</span>
          : <><span class="warn strong">{t("Not marked")}</span>{notes && <span class="push muted cut">{notes}</span>}</>}
      </span>
    </a>
  )
}

/** One square for each child: first those who are away, so that they are seen. */
function Squares({ totals, students }: { totals: Totals; students: number }) {
  const marks: string[] = []
  for (const [letter, many] of [["A", totals.absent], ["L", totals.late], ["E", totals.leave], ["X", totals.holiday], ["P", totals.present]] as const) {
    for (let i = 0; i < many; i++) marks.push(letter)
  }
  while (marks.length < students) marks.push("N")
  return <span class="sqs" aria-hidden="true">{marks.map((m, i) => <i key={i} class={m} />)}</span>
}

function Key() {
  const items = [["P", t("Present")], ["L", t("Late")], ["A", t("Absent")], ["E", t("Leave|mark")], ["N", t("Not marked")]] as const
  return <p class="daylegend" aria-hidden="true">{items.map(([m, text]) => <span key={m}><span class="sqs"><i class={m} /></span>{text}</span>)}</p>
}
