import type { Reply } from "../../api/contract"
import { address, download } from "../../api/client"
import { useGet } from "../../shell/load"
import { query, setQuery } from "../../shell/router"
import { sayFault } from "../../shell/toast"
import { Badge, Button, Card, Figures, Head, Ready, State } from "../../ui/basics"
import { Bars } from "../../ui/chart"
import { useClasses } from "../../ui/choices"
import { saveBlob } from "../../ui/csv"
import { addDays, count, date, percent, range, today } from "../../words/format"
import { n, t } from "../../words/words"

type Summary = Reply<"/school-admin/attendance/summary", "get">

/** The dates of the address, else the last 30 days. */
function chosen(): { from: string; to: string } {
  return { from: query.value.get("from") ?? addDays(today(), -29), to: query.value.get("to") ?? today() }
}

export default function AttendanceReport() {
  const { from, to } = chosen()
  const classId = query.value.get("classId") ?? undefined
  const asked = { from, to, ...(classId && { classId }) }
  const summary = useGet("/school-admin/attendance/summary", asked)
  const save = () => { download(address("/school-admin/attendance/export", {}, asked)).then((f) => saveBlob(f.blob, f.name), sayFault) }
  return (
    <>
      <Head title={summary.data?.totals.percentage != null ? t("{percent} were at school",
        { percent: percent(summary.data.totals.percentage, 100) }) : t("Attendance report")} sub={range(from, to)}>
        <Button icon="save" onClick={save}>{t("CSV of every mark")}</Button>
        <Button icon="print" onClick={() => print()}>{t("Print")}</Button>
      </Head>
      <Range from={from} to={to} />
      <Ready of={summary} rows={8}>{(s) => s.classes.length === 0 ? <State icon="chart" title={t("There is nothing to report yet")} /> : <Body summary={s} />}</Ready>
    </>
  )
}

function Range({ from, to }: { from: string; to: string }) {
  const classes = useClasses()
  const presets = [[7, t("7 days")], [30, t("30 days")], [90, t("90 days")], [365, t("A year")]] as const
  return (
    <div class="filters" role="search">
      <div class="seg" role="group" aria-label={t("Time")}>
        {presets.map(([days, text]) => <button type="button" key={days} aria-pressed={to === today() && from === addDays(today(), 1 - days)}
          onClick={() => setQuery({ from: addDays(today(), 1 - days), to: "" })}>{text}</button>)}
      </div>
      <span class="chip"><label for="from">{t("From")}</label><input id="from" type="date" value={from} max={to}
        onChange={(e) => setQuery({ from: e.currentTarget.value })} /></span>
      <span class="chip"><label for="to">{t("To")}</label><input id="to" type="date" value={to} min={from} max={today()}
        onChange={(e) => setQuery({ to: e.currentTarget.value })} /></span>
      <span class="chip"><label for="class">{t("Class")}</label>
        <select id="class" value={query.value.get("classId") ?? ""} onChange={(e) => setQuery({ classId: e.currentTarget.value })}><option
          value="">{t("any")}</option>{classes.options.map((o) => <option key={o.value} value={o.value}>{o.text}</option>)}</select></span>
    </div>
  )
}

function Body({ summary: s }: { summary: Summary }) {
  const days = s.notMarked.reduce((sum, x) => sum + x.dates.length, 0)
  const rates = s.classes.filter((c) => c.totals.percentage !== null)
  const best = rates.toSorted((a, b) => b.totals.percentage! - a.totals.percentage!)
  return (
    <>
      <Figures label={t("Attendance in figures")} items={[
        { label: t("School days"), value: count(s.schoolDays) },
        { label: t("Days absent"), value: count(s.totals.absent), note: percent(s.totals.absent, s.totals.schoolDays) },
        { label: t("Times late"), value: count(s.totals.late), note: n(s.totals.minutesLate, "{n} minute together", "{n} minutes together") },
        { label: t("Days of leave"), value: count(s.totals.leave) },
        { label: t("Not marked"), value: count(days), note: days ? n(s.notMarked.length, "in {n} division", "in {n} divisions") : "", tone: days ? "warn" : "" },
      ]} />
      <div class="cols even">
        <Card title={t("By class")}>
          <p class="muted small">{best.length > 1 && best[0] !== best.at(-1) ? t("{best} is at the top, {last} at the end.",
            { best: best[0]!.className, last: best.at(-1)!.className }) : ""}</p>
          <Bars label={t("Attendance by class")} points={rates.map((c) => ({ label: c.className, value: c.totals.percentage! }))} show={(v) => percent(v, 100)} />
        </Card>
        <Card title={t("Absent days by class")}>
          <p class="muted small">{t("Days of absence for each child.")}</p>
          <Bars label={t("Absent days by class")}
            points={s.classes.filter((c) => c.students > 0).map((c) => ({ label: c.className, value: Math.round((10 * c.totals.absent) / c.students) / 10 }))} />
        </Card>
      </div>
      <Divisions summary={s} />
      {s.notMarked.length > 0 && <NotMarked items={s.notMarked} />}
    </>
  )
}

function Divisions({ summary: s }: { summary: Summary }) {
  const month = s.to.slice(0, 7)
  return (
    <Card title={t("By division")} flush>
      <div class="scroll"><table>
        <thead><tr><th scope="col">{t("Division")}</th><th scope="col" class="num">{t("Students")}</th><th scope="col" class="num">{t("Absent")}</th><th scope="col"
          class="num">{t("Late")}</th>
          <th scope="col" class="num hide-sm">{t("Leave|mark")}</th><th scope="col" class="num hide-sm">{t("Half days")}</th><th scope="col" class="num">{t("At school")}</th>
            </tr></thead>
        <tbody>{s.classes.flatMap((c) => c.divisions.map((d) => (
          <tr key={c.classId + (d.divisionId ?? "")}>
            <th scope="row">{d.divisionId ? <a class="quiet"
              href={`/app/attendance/${c.classId}/${d.divisionId}?view=month&date=${month}-01`}>{c.className} {d.divisionName}</a> : c.className}</th>
            <td class="num">{count(d.students)}</td><td class="num">{d.totals.absent || "–"}</td><td class="num">{d.totals.late || "–"}</td>
            <td class="num hide-sm">{d.totals.leave || "–"}</td><td class="num hide-sm">{d.totals.halfDays || "–"}</td><td
              class="num strong">{d.totals.percentage === null ? "–" : percent(d.totals.percentage, 100)}</td>
          </tr>
        )))}</tbody>
      </table></div>
    </Card>
  )
}

function NotMarked({ items }: { items: Summary["notMarked"] }) {
  return (
    <Card title={t("Days that nobody marked")} badge={<Badge tone="warn">{items.reduce((sum, x) => sum + x.dates.length, 0)}</Badge>} flush>
      <ul class="list unmarked">{items.map((x) => (
        <li key={x.classId + (x.divisionId ?? "")}>
          <span class="grow"><b>{x.className} {x.divisionName}</b><p><bdi>{x.classTeacherName}</bdi></p></span>
          <span class="row wrap">{x.dates.slice(-6).map((d) => x.divisionId && <a key={d} class="btn sm"
            href={`/app/attendance/${x.classId}/${x.divisionId}?date=${d}`}>{date(d)}</a>)}
            {x.dates.length > 6 && <span class="faint small">{n(x.dates.length - 6, "and {n} more", "and {n} more")}</span>}</span>
        </li>
      ))}</ul>
    </Card>
  )
}
