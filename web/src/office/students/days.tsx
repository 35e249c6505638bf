// Attendance, bus and library of a student.
import { Badge, Card, Facts, Figures, LinkButton, State } from "../../ui/basics"
import { count, date, longDate, money, range, time } from "../../words/format"
import { n, t } from "../../words/words"
import { byDay, HeatMap, Legend, letterOf, meanings } from "./heatmap"
import type { Mark, Profile, Sections } from "./sections"

type Attendance = NonNullable<Sections["attendance"]>

export function AttendanceCard({ attendance }: { attendance: Attendance }) {
  const { totals, marks } = attendance
  return (
    <Card title={t("Attendance")} action={<a href="?tab=attendance">{t("The year")}</a>}>
      {totals.percentage === null ? <p class="muted small">{t("Not marked yet.")}</p> : (
        <>
          <p class="small"><b>{totals.percentage} %</b> {t("{present} of {days} school days, leave not counted.",
            { present: count(totals.presentDays), days: count(totals.schoolDays) })}</p>
          <HeatMap marks={marks} /><Legend />
        </>
      )}
    </Card>
  )
}

export function AttendanceTab({ attendance, leave }: { attendance: Attendance; leave: Sections["leave"] }) {
  const { totals, marks } = attendance
  const speaks = [...byDay(marks).values()].filter((m) => m.status !== "PRESENT" || m.halfDay || m.remark).sort((a, b) => b.date.localeCompare(a.date))
  return (
    <div class="stack far">
      <Figures label={t("Attendance")} items={[
        { label: t("Attendance"), value: totals.percentage === null ? "–" : `${totals.percentage} %`, small: t("of {n} days", { n: count(totals.schoolDays) }) },
        { label: t("Absent"), value: count(totals.absent), tone: "bad" },
        { label: t("Late"), value: count(totals.late), note: totals.minutesLate ? n(totals.minutesLate, "{n} minute", "{n} minutes") : "" },
        { label: t("On leave"), value: count(totals.leave) }, { label: t("Half days"), value: count(totals.halfDays) },
      ]} />
      <Card title={t("The year")}><div class="scroll" tabIndex={0}><HeatMap marks={marks} whole /></div><Legend /></Card>
      <div class="cols even">
        <Card title={t("Not simply present")} flush>{speaks.length === 0 ? <State icon="check" title={t("Present every day")} /> : <Exceptions marks={speaks} />}</Card>
        {leave && <Card title={t("Leave")} action={<a href="/app/leave">{t("All leave")}</a>} flush>
          {leave.length === 0 ? <State icon="door" title={t("No leave was asked for")} /> : <Leaves leave={leave} />}</Card>}
      </div>
    </div>
  )
}

function Exceptions({ marks }: { marks: Mark[] }) {
  return (
    <div class="scroll" tabIndex={0}><table>
      <thead class="sr"><tr><th scope="col">{t("Day")}</th><th scope="col">{t("Mark")}</th><th scope="col">{t("Remark")}</th></tr></thead>
      <tbody>{marks.map((m) => {
        const letter = letterOf(m)
        return (
          <tr key={m.date}><td class="nowrap">{longDate(m.date)}</td><td><span class="row"><span class={`m ${letter}`} aria-hidden="true">{letter}</span>
            {meanings().find((x) => x[0] === letter)![1]}</span></td>
            <td class="muted">{[m.minutesLate && n(m.minutesLate, "{n} minute", "{n} minutes"), m.remark].filter(Boolean).join(", ")}</td></tr>
        )
      })}</tbody>
    </table></div>
  )
}

function Leaves({ leave }: { leave: NonNullable<Sections["leave"]> }) {
  const tones = { PENDING: "warn", APPROVED: "good", REJECTED: "bad", CANCELLED: "" } as const
  const names = { PENDING: t("to decide"), APPROVED: t("agreed"), REJECTED: t("refused"), CANCELLED: t("withdrawn") }
  return <ul class="list">{leave.map((l) => <li key={l.id}><div class="grow"><b>{range(l.fromDate, l.toDate)}</b><p><bdi>{l.reason}</bdi></p></div><Badge tone={tones[l.status]}>
    {names[l.status]}</Badge></li>)}</ul>
}

export function BusTab({ profile, trips }: { profile: Profile; trips: Sections["trips"] }) {
  if (profile.transport.length === 0) return <State icon="bus" title={t("Does not take the bus")}><LinkButton href="/app/transport/routes">
    {t("Choose a route")}</LinkButton></State>
  const said: Record<string, string> = { waiting: t("waiting"), boarded: t("on the bus"), alighted: t("got off"), absent: t("did not come"), no_show: t("did not come") }
  return (
    <div class="cols even">
      {profile.transport.map((r) => (
        <Card key={r.stopId} title={r.routeName} action={<a href={`/app/transport/routes/${r.routeId}`}>{t("Route")}</a>}>
          <Facts items={[[t("Stop"), r.stopName], [t("To school"), r.pickup && (r.pickupTime ?? t("yes"))], [t("Home|by bus"), r.dropoff && (r.dropoffTime ?? t("yes"))]]} />
        </Card>
      ))}
      {trips && trips.length > 0 && (
        <Card title={t("Latest rides")} flush><ul class="list">{trips.slice(0, 12).map((r) => (
          <li key={r.tripId}><div class="grow"><b>{date(r.date)}, {r.type === "pickup" ? t("to school") : t("home")}</b>
            <p>{[r.stopName, r.boardedAt && t("on at {time}", { time: time(r.boardedAt) }),
              r.alightedAt && t("off at {time}", { time: time(r.alightedAt) })].filter(Boolean).join(", ")}</p></div>
            <Badge tone={r.status === "absent" || r.status === "no_show" ? "bad" : ""}>{said[r.status] ?? r.status}</Badge></li>
        ))}</ul></Card>
      )}
    </div>
  )
}

export function LibraryTab({ loans }: { loans: NonNullable<Sections["loans"]> }) {
  if (loans.length === 0) return <State icon="book" title={t("No books borrowed")}><LinkButton href="/app/library">{t("Open the library")}</LinkButton></State>
  return (
    <div class="frame"><div class="scroll" tabIndex={0}><table>
      <thead><tr><th scope="col">{t("Book")}</th><th scope="col">{t("Borrowed")}</th><th scope="col">{t("Back by")}</th><th scope="col">{t("Returned")}</th><th scope="col"
        class="num">{t("Fine")}</th></tr></thead>
      <tbody>{loans.map((l) => (
        <tr key={l.id}><td><a href={`/app/library/books/${l.bookId}`}>{l.title}</a> <span class="faint">{l.author}</span></td><td class="nowrap">{date(l.issueDate)}</td><td
          class="nowrap">{date(l.dueDate)}</td>
          <td>{l.returnDate ? date(l.returnDate) : l.status === "LOST" ? <Badge tone="bad">{t("lost")}</Badge> : l.overdue ? <Badge tone="bad">
            {n(l.daysLate, "{n} day late", "{n} days late")}</Badge> : <Badge>{t("with the child")}</Badge>}</td>
          <td class="num">{l.fine + l.replacement > 0 ? money(l.fine + l.replacement) : "–"}</td></tr>
      ))}</tbody>
    </table></div></div>
  )
}
