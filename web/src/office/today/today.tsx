import { may, me } from "../../api/session"
import { useGet } from "../../shell/load"
import { Badge, Card, Figures, Head, Icon, LinkButton, Ready, State, Who, type Figure, type Tone } from "../../ui/basics"
import type { IconName } from "../../ui/icons"
import { count, date, longDate, money, percent, today } from "../../words/format"
import { n, t } from "../../words/words"
import type { Reply } from "../../api/contract"

type Needs = Reply<"/school-admin/dashboard/needs", "get">
type Stats = Reply<"/school-admin/dashboard/stats", "get">
type Kind = Needs["items"][number]["kind"]

const needs: Record<Kind, { icon: IconName; text: (n: number) => string; href: string; act: () => string }> = {
  INCIDENT: { icon: "alert", text: (c) => n(c, "{n} incident on a bus", "{n} incidents on buses"), href: "/app/transport/incidents", act: () => t("Look") },
  TRIP_WITHOUT_DRIVER: { icon: "bus", text: (c) => n(c, "{n} trip has no driver", "{n} trips have no driver"), href: "/app/transport/trips", act: () => t("Find a driver") },
  BUS_PAPERS: { icon: "file", text: (c) => n(c, "Papers of {n} bus expire", "Papers of {n} buses expire"), href: "/app/transport/buses", act: () => t("Look") },
  LESSON_WITHOUT_TEACHER: { icon: "swap", text: (c) => n(c, "{n} lesson needs cover", "{n} lessons need cover"), href: "/app/timetable/cover", act: () => t("Find cover") },
  CLASS_NOT_MARKED: { icon: "tick", text: (c) => n(c, "{n} division is not marked", "{n} divisions are not marked"), href: "/app/attendance", act: () => t("Open") },
  LEAVE: { icon: "door", text: (c) => n(c, "{n} leave to decide", "{n} leaves to decide"), href: "/app/leave?status=PENDING", act: () => t("Decide") },
  MESSAGE: { icon: "chat", text: (c) => n(c, "{n} unread message", "{n} unread messages"), href: "/app/messages", act: () => t("Read") },
  CONTACT_CHANGE: { icon: "pen", text: (c) => n(c, "{n} correction proposed by a parent", "{n} corrections proposed by parents"), href: "/app/guardians/changes", act: () => t("Review") },
  DELIVERY_FAILED: { icon: "mail", text: (c) => n(c, "{n} message did not arrive", "{n} messages did not arrive"), href: "/app/announcements/deliveries", act: () => t("Look") },
  TRIP_NOT_ENDED: { icon: "bus", text: (c) => n(c, "{n} trip was not ended", "{n} trips were not ended"), href: "/app/transport/trips", act: () => t("Open") },
  ACADEMIC_YEAR: { icon: "cal", text: () => t("The academic year ends soon"), href: "/app/settings/years", act: () => t("Prepare the next") },
  RESULTS: { icon: "cap", text: (c) => n(c, "{n} exam waits for results", "{n} exams wait for results"), href: "/app/exams", act: () => t("Open") },
  BOOK_OVERDUE: { icon: "book", text: (c) => n(c, "{n} book is overdue", "{n} books are overdue"), href: "/app/library/loans?status=OVERDUE", act: () => t("Look") },
}

const tones: Record<Needs["items"][number]["urgency"], Tone> = { HIGH: "bad", NORMAL: "warn", LOW: "" }

export default function Today() {
  const asked = useGet("/school-admin/dashboard/needs")
  const stats = useGet(may("read", "report") ? "/school-admin/dashboard/stats" : null)
  const absent = useGet(may("read", "attendance") ? "/school-admin/attendance/absentees" : null, { limit: 20 })
  return (
    <>
      <Head title={greeting()} sub={<>{longDate(today())}. {stats.data && said(stats.data)}</>}>
        {may("write", "announcement") && <LinkButton href="/app/announcements/new" icon="horn">{t("Announce")}</LinkButton>}
        {may("write", "fee") && <LinkButton href="/app/fees/counter" icon="coin" hint="F">{t("Take payment")}</LinkButton>}
        {may("read", "attendance") && <LinkButton href="/app/attendance" icon="tick" kind="go">{t("Attendance")}</LinkButton>}
      </Head>
      {stats.data && <Figures label={t("Today in figures")} items={figures(stats.data)} />}
      <div class="cols">
        <div class="stack far">
          <Card title={t("Needs you")} badge={asked.data && <Badge>{asked.data.items.length}</Badge>} action={<span class="faint small hide-sm">{t("Most urgent first")}</span>} flush>
            <Ready of={asked} rows={4}>{(a) => <NeedsList items={a.items} />}</Ready>
          </Card>
          {absent.data && absent.data.items.length > 0 && <Absentees items={absent.data.items} total={absent.data.total} />}
        </div>
        <div class="stack far">{stats.data && <Soon stats={stats.data} />}</div>
      </div>
    </>
  )
}

function greeting(): string {
  const first = me.value!.user.name.split(" ")[0]!
  const hour = Number(new Intl.DateTimeFormat("en", { hour: "numeric", hour12: false, timeZone: me.value!.school.timezone }).format(new Date()))
  if (hour < 12) return t("Good morning, {name}", { name: first })
  return hour < 18 ? t("Good afternoon, {name}", { name: first }) : t("Good evening, {name}", { name: first })
}

function said(s: Stats): string {
  const all = s.today.attendance
  const marked = all.filter((c) => c.marked > 0).length
  return t("{marked} of {all} classes are marked.", { marked, all: all.length })
}

function figures(s: Stats): Figure[] {
  const sum = (f: (c: Stats["today"]["attendance"][number]) => number) => s.today.attendance.reduce((a, c) => a + f(c), 0)
  const marked = sum((c) => c.marked)
  const out: Figure[] = [
    { label: t("Present"), value: count(sum((c) => c.present + c.late)), small: t("of {n} marked", { n: count(marked) }), note: percent(sum((c) => c.present + c.late), marked), tone: "good", href: "/app/attendance" },
    { label: t("Absent"), value: count(sum((c) => c.absent)), href: "/app/attendance/absentees" },
    { label: t("Late"), value: count(sum((c) => c.late)), href: "/app/attendance" },
    { label: t("On leave"), value: count(sum((c) => c.leave)), href: "/app/leave" },
  ]
  if (s.today.fees) out.push({ label: t("Fees today"), value: money(s.today.fees.collectedToday), note: t("{sum} this month", { sum: money(s.today.fees.collectedThisMonth) }), href: "/app/fees" })
  return out
}

function NeedsList({ items }: { items: Needs["items"] }) {
  if (items.length === 0) return <State icon="check" title={t("Nothing needs you")}><p>{t("New things appear here by themselves.")}</p></State>
  return (
    <ul class="list needs">
      {items.map((x) => {
        const need = needs[x.kind]
        return (
          <li key={x.kind}><span class={`disc ${tones[x.urgency]}`}><Icon name={need.icon} /></span><div class="grow"><b>{need.text(x.count)}</b></div><LinkButton size="sm" href={need.href}>{need.act()}</LinkButton></li>
        )
      })}
    </ul>
  )
}

function Absentees({ items, total }: { items: Reply<"/school-admin/attendance/absentees", "get">["items"]; total: number }) {
  return (
    <Card title={t("Absent without a reason")} badge={<Badge tone="bad">{total}</Badge>} action={<a href="/app/attendance/absentees">{t("All")}</a>} flush>
      <div class="scroll"><table>
        <thead class="sr"><tr><th scope="col">{t("Child")}</th><th scope="col">{t("Class")}</th><th scope="col">{t("Days")}</th></tr></thead>
        <tbody>{items.map((a) => (
          <tr key={a.studentId}><td><Who name={[a.firstName, a.lastName].filter(Boolean).join(" ")} href={`/app/students/${a.studentId}`} /></td><td class="nowrap">{a.className} {a.divisionName}</td>
            <td>{a.consecutiveDays > 1 && <Badge tone="bad">{t("{n} days", { n: a.consecutiveDays })}</Badge>}</td></tr>
        ))}</tbody>
      </table></div>
    </Card>
  )
}

function Soon({ stats }: { stats: Stats }) {
  if (stats.upcomingHolidays.length === 0) return null
  return (
    <Card title={t("Dates")} flush>
      <ul class="list">{stats.upcomingHolidays.map((h) => <li key={h.id}><Icon name="cal" /><div class="grow"><b>{h.name}</b><p>{date(h.date)}. {t("No school.")}</p></div></li>)}</ul>
    </Card>
  )
}
