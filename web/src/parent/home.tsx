// The first page of a parent: where each child is, what is to be done, what is new. One call.
import { useEffect } from "preact/hooks"
import { me } from "../api/session"
import { unread as messages } from "../pocket/routes"
import { Line, Screen } from "../pocket/screen"
import { useLive } from "../shell/live"
import { Avatar, Icon, Ready, State } from "../ui/basics"
import type { IconName } from "../ui/icons"
import { date, longDate, money, range, shortDay, today, when } from "../words/format"
import { n, t } from "../words/words"
import { classOf, useDay, type Child, type Day } from "./family"
import { rideLine, stateOf } from "./state"

export default function Home() {
  const day = useDay()
  useLive("notification", day.reload)
  useLive("message", day.reload)
  useLive("boarding-status", day.reload)
  useEffect(() => { if (day.data) messages.value = day.data.messages.reduce((sum, m) => sum + m.unread, 0) }, [day.data])
  const unread = day.data?.unreadNotifications ?? 0
  return (
    <Screen title={greeting()} sub={longDate(day.data?.date ?? today())}
      action={
        <a class="btn plain icon bellbtn" href="/app/notifications"><Icon name="bell" size="md" />
          <span class="sr">{unread ? n(unread, "Notifications, {n} new", "Notifications, {n} new") : t("Notifications")}</span>
          {unread > 0 && <span class="new" aria-hidden="true">{unread > 9 ? "9+" : unread}</span>}</a>
      }>
      <Ready of={day} rows={9}>{(d) => (
        <>
          {d.children.length === 0 && <State icon="person" title={t("No child is linked to your account")}><p>{t("Ask the school office to link you to your child.")}</p></State>}
          {d.children.map((c) => <ChildCard key={c.id} child={c} day={d} />)}
          <ToDo day={d} />
          <News day={d} />
          <Others />
        </>
      )}</Ready>
    </Screen>
  )
}

function greeting(): string {
  const name = me.value!.user.name.split(" ")[0]!
  const hour = Number(new Intl.DateTimeFormat("en-GB", { hour: "numeric", hourCycle: "h23", timeZone: me.value!.school.timezone }).format(new Date()))
  if (hour < 12) return t("Good morning, {name}", { name })
  return hour < 18 ? t("Good afternoon, {name}", { name }) : t("Good evening, {name}", { name })
}

function ChildCard({ child, day }: { child: Child; day: Day }) {
  const state = stateOf(child, day)
  const ride = rideLine(child)
  return (
    <section class="card child" aria-labelledby={`c-${child.id}`}>
      <a class="in" href={`/app/child/${child.id}`}>
        <div class="row wide">
          <Avatar name={child.firstName} photo={child.photoThumbnailUrl} size="lg" />
          <div class="grow"><h2 id={`c-${child.id}`}><bdi>{state.title}</bdi></h2>
            <span class={`sub ${state.tone}`}>{state.icon && <Icon name={state.icon} />}<span>{[state.sub, classOf(child)].filter(Boolean).join(", ")}</span></span></div>
          <Icon name="right" />
        </div>
        {child.status === "ACTIVE" && <Week child={child} day={day} />}
      </a>
      {ride && <Line href={`/app/bus?child=${child.id}`} lead={<span class="busno big">{ride.letters}</span>} title={<bdi>{ride.title}</bdi>} sub={<bdi>{ride.sub}</bdi>} />}
      {state.ask && child.teacherUserId && (
        <Line href={`/app/messages/new?to=${child.teacherUserId}&student=${child.id}`} lead={<Icon name="chat" size="md" />} title={t("Is that wrong?")}
          sub={<bdi>{t("Write to {teacher}, the class teacher", { teacher: child.teacherName ?? "" })}</bdi>} />
      )}
    </section>
  )
}

const looks: Record<string, { look: string; letter?: string; icon?: IconName }> = {
  PRESENT: { look: "P", icon: "check" }, LATE: { look: "L", letter: "L" }, ABSENT: { look: "A", letter: "A" }, LEAVE: { look: "E", letter: "E" }, HOLIDAY: { look: "X" },
}
function wordOf(status: string | undefined, schoolDay: boolean): string {
  switch (status) {
    case "PRESENT": return t("present")
    case "LATE": return t("late")
    case "ABSENT": return t("absent")
    case "LEAVE": return t("on leave")
    default: return schoolDay ? t("not marked") : t("no school")
  }
}

function Week({ child, day }: { child: Child; day: Day }) {
  const days = day.week.filter((w, i) => w.isSchoolDay || i < 5)
  return (
    <ol class="wk" aria-label={t("This week")}>
      {days.map((w) => {
        const mark = child.marks.find((x) => x.date === w.date)
        const look = mark ? looks[mark.status] : undefined
        return (
          <li key={w.date} class={w.date === day.date ? "now" : ""}><span aria-hidden="true">{shortDay(w.date)}</span>
            <span class={`m ${look?.look ?? (w.isSchoolDay ? "N" : "X")} ${mark?.halfDay ? "half" : ""}`}>
              <span class="sr">{`${longDate(w.date)}: ${wordOf(mark?.status, w.isSchoolDay)}`}</span>
              {look?.icon ? <Icon name={look.icon} size="xs" /> : <span aria-hidden="true">{look?.letter}</span>}</span></li>
        )
      })}
    </ol>
  )
}

interface Item { key: string; icon: IconName; tone?: string; title: string; sub: string; href: string; at?: string }

function Items({ title, items, badge }: { title: string; items: Item[]; badge?: boolean }) {
  if (items.length === 0) return null
  return (
    <section class="card"><header><h2>{title}</h2>{badge && <span class="badge brand">{items.length}</span>}</header>
      {items.map((x) => (
        <a class="line" key={x.key} href={x.href}><span class={`disc ${x.tone ?? ""}`}><Icon name={x.icon} /></span>
          <span class="grow"><b><bdi>{x.title}</bdi></b><span class="clamp"><bdi>{x.sub}</bdi></span></span>{x.at && <time class="faint small">{x.at}</time>}</a>
      ))}
    </section>
  )
}

/** Children at other schools are in accounts of their own. */
function Others() {
  const accounts = me.value!.accounts ?? []
  if (accounts.length === 0) return null
  return (
    <section class="card"><header><h2>{t("Your other accounts")}</h2></header>
      {accounts.map((a) => <Line key={a.id} href={`/app/account?switch=${a.id}`} lead={<Avatar name={a.schoolName} size="md" />} title={<bdi>{a.schoolName}</bdi>} />)}
    </section>
  )
}

function nameIn(day: Day, id: string): string { return day.children.find((c) => c.id === id)?.firstName ?? "" }

function ToDo({ day }: { day: Day }) {
  const items: Item[] = [
    ...day.books.map((b): Item => ({ key: b.studentId + b.title, icon: "book", tone: "warn", title: b.title, sub: t("{name} should have returned it on {date}.", {
      name: nameIn(day, b.studentId), date: date(b.dueDate) }), href: "/app/books" })),
    ...day.fees.map((f): Item => ({
      key: f.chargeId, icon: "coin", tone: f.dueDate < day.date ? "bad" : "", title: `${money(f.due)} · ${f.title}`, href: `/app/fees/${f.studentId}`,
      sub: f.dueDate < day.date ? t("For {name}. Was due {date}.", { name: nameIn(day, f.studentId), date: date(f.dueDate) })
        : t("For {name}. Due {date}.", { name: nameIn(day, f.studentId), date: date(f.dueDate) }),
    })),
  ]
  return <Items title={t("For you to do")} items={items} badge />
}

function News({ day }: { day: Day }) {
  const items: Item[] = [
    ...day.messages.map((m): Item => ({ key: m.threadId, icon: "chat", title: m.from, sub: m.body ? `“${m.body}”`
      : t("A file"), href: `/app/messages/${m.threadId}`, at: when(m.at) })),
    ...day.announcements.map((a): Item => ({ key: a.id, icon: "horn", tone: a.urgent ? "bad" : "", title: a.title, sub: a.urgent ? t("Urgent announcement")
      : t("Announcement"), href: `/app/news/${a.id}`, at: when(a.publishAt) })),
    ...day.results.map((r): Item => ({ key: r.examId + r.studentId, icon: "cap", title: r.name, sub: t("{name} has results. See the report card.", {
      name: nameIn(day, r.studentId) }), href: `/app/child/${r.studentId}/results`, at: when(r.publishedAt) })),
    ...day.events.map((e): Item => ({ key: e.id, icon: "flag", title: e.title, sub: [longDate(e.eventDate), e.startTime, e.venue].filter(Boolean).join(", "),
      href: "/app/events" })),
    ...day.holidays.map((h): Item => ({ key: h.date + h.name, icon: "cal", title: t("No school on {date}", { date: range(h.date, h.endDate) }), sub: h.name,
      href: "/app/events" })),
  ]
  return <Items title={t("New")} items={items} />
}

