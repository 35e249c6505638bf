// The first page of a teacher: what to do next, today's lessons, what waits.
import { useEffect } from "preact/hooks"
import { waiting } from "../api/queue"
import { may, me } from "../api/session"
import { Bell } from "../pocket/bell"
import { Line, Screen } from "../pocket/screen"
import { useGet, useLoad, type Loaded } from "../shell/load"
import { Badge, Bones, Card, Icon, LinkButton, Ready } from "../ui/basics"
import { date, longDate, time, today } from "../words/format"
import { n, t } from "../words/words"
import { divisionName, useDivisions, type Classes } from "./classes"
import { clashes, settleAll, settling } from "./clash"
import { Clashes } from "./clashes"
import { isOff, openDays } from "./days"
import { Lesson, type Period } from "./lesson"
import { markPage, nameOf, readAhead, type Spot } from "./register"

export default function Home() {
  const on = today()
  const plan = useGet("/teacher/timetable/get", { date: on })
  const classes = useDivisions()
  const days = openDays()
  const open = useGet(may("write", "attendance") ? "/teacher/attendance/summary" : null, { from: days.at(-1)!, to: on })
  const periods = plan.data?.periods ?? []
  const spots = registersOf(classes.data, periods, on)
  const { marked, known } = useMarked(spots)
  const shaped = known && [plan, classes, ...(may("write", "attendance") ? [open] : [])].every(arrived) // nothing moves after that
  useEffect(() => { void settleAll() }, [])
  const mine = spots.filter((s) => isMine(classes.data, s) || firstLesson(periods, s))
  const [next, ...others] = isOff(on) || plan.data?.holiday || !may("write", "attendance") ? [] : mine.filter((s) => marked[nameOf(s)] === false)
  const earlier = (open.data?.notMarked ?? []).flatMap((x) => x.dates.filter((d) => d !== on && isMine(classes.data, x)).map((d) => ({ ...x, date: d })))
  return (
    <Screen title={title(me.value!.user.name)} sub={longDate(on)} action={<Bell />}>
      <Clashes of={clashes.value} />
      {!shaped && <Bones rows={6} />}
      {shaped && next && (
        <Card flush>
          <div class="in stack loose">
            <div><p class="muted">{t("Not marked yet")}</p><p class="answer">{divisionName(classes.data, next)}</p></div>
            <LinkButton kind="go" icon="tick" href={markPage(next)}>{t("Mark {division}", { division: divisionName(classes.data, next) })}</LinkButton>
          </div>
          {others.map((s) => <Line key={nameOf(s)} href={markPage(s)} title={t("Mark {division}", { division: divisionName(classes.data, s) })} />)}
        </Card>
      )}
      {shaped && earlier.length > 0 && (
        <Card title={t("Earlier days")} flush>
          {earlier.slice(0, 5).map((x) => (
            <Line key={x.date + (x.divisionId ?? x.classId)} href={markPage({ classId: x.classId, divisionId: x.divisionId ?? undefined, date: x.date })}
              title={t("Mark {division}", { division: [x.className, x.divisionName].filter(Boolean).join(" ") })} sub={longDate(x.date)} />
          ))}
        </Card>
      )}
      {shaped && <Card title={t("Today’s lessons")} action={<a href="/app/timetable">{t("Whole week")}</a>} flush>
        <Ready of={plan} rows={5}>{(p) => (
          p.periods.length === 0
            ? <p class="pad muted">{p.holiday ? t("No school: {holiday}", { holiday: p.holiday }) : t("No lessons today.")}</p>
            : <>{p.periods.map((x) => <Lesson key={x.id + x.periodNo} period={x} now={clock()} end={<State known={marked[nameOf(spotOf(x, on))]} kept={isKept(spotOf(x, on))} />} href={markPage(spotOf(x, on))} />)}</>
        )}</Ready>
      </Card>}
      <Waits shaped={shaped} />
    </Screen>
  )
}

function title(name: string): string { return t("Hello, {name}", { name }) }

/** "08:05" on the school's clock. */
function clock(): string { return time(new Date().toISOString()).padStart(5, "0") }

function spotOf(p: { classId: string; divisionId: string }, on: string): Spot { return { classId: p.classId, divisionId: p.divisionId, date: on } }

/** The registers that may be needed today: one's own divisions and those of the lessons, cover included. */
function registersOf(classes: Classes | undefined, periods: Period[], on: string): Spot[] {
  const own = (classes?.items ?? []).flatMap((c) => c.divisions.filter((d) => d.isClassTeacher).map((d): Spot => ({ classId: c.id, divisionId: d.id, date: on })))
  const taught = periods.filter((p) => !p.override?.isCancelled).map((p) => spotOf(p, on))
  return [...own, ...taught].filter((s, i, all) => all.findIndex((x) => nameOf(x) === nameOf(s)) === i)
}

function isMine(classes: Classes | undefined, s: { classId: string; divisionId?: string | null | undefined }): boolean {
  return !!classes?.items.find((c) => c.id === s.classId)?.divisions.find((d) => d.id === s.divisionId)?.isClassTeacher
}

/** Who covers a division's first lesson marks its day. */
function firstLesson(periods: Period[], s: Spot): boolean { return periods.some((p) => p.divisionId === s.divisionId && p.periodNo === 1 && !!p.override && !p.override.isCancelled) }

function isKept(s: Spot): boolean { return waiting.value.some((w) => w.about === nameOf(s)) }

/** Which registers are marked, also by what waits on this phone. Reads them ahead. */
function useMarked(spots: Spot[]) {
  const names = spots.map(nameOf)
  const loaded = useLoad(names.length ? `marked/${names.join()}` : "", async () => {
    const registers = await readAhead(spots)
    return names.map((name) => [name, registers[name]?.items.some((r) => r.status && !r.leaveId)] as const)
  })
  const marked = Object.fromEntries((loaded.data ?? []).map(([name, known]) => [name, waiting.value.some((w) => w.about === name) || settling.value.includes(name) || known])) as Record<string, boolean | undefined>
  return { marked, known: names.length === 0 || arrived(loaded) }
}

/** Whether a call was answered, by the service or by what was last seen. */
function arrived(of: Loaded<unknown>): boolean { return of.data !== undefined || of.fault !== undefined }

function State({ known, kept }: { known: boolean | undefined; kept: boolean }) {
  if (kept) return <Badge tone="warn">{t("On this phone")}</Badge>
  return known === undefined ? null : known ? <Badge tone="good">{t("Marked")}</Badge> : <Badge>{t("Not marked")}</Badge>
}

/** Leaves to decide, messages and announcements that are not read: below everything else once that has its shape. */
function Waits({ shaped }: { shaped: boolean }) {
  const leaves = useGet(may("write", "leave") ? "/teacher/leave/student-requests" : null, { status: "PENDING", limit: 5 })
  const threads = useGet(may("read", "message") ? "/teacher/message/threads" : null, { unread: true, limit: 5 })
  const news = useGet(may("read", "announcement") ? "/teacher/announcement/list" : null, { limit: 20 })
  const fresh = (news.data?.items ?? []).filter((a) => !a.isRead && a.status === "PUBLISHED" && a.createdBy !== me.value!.user.id)
  if (!shaped || (leaves.loading && !arrived(leaves) && may("write", "leave"))) return null
  return (
    <Card flush>
      {leaves.data?.items.map((l) => <Line key={l.id} href="/app/leaves" lead={<Icon name="cal" size="md" />} title={t("{name} asks for leave", { name: l.name ?? "" })} sub={l.fromDate === l.toDate ? date(l.fromDate) : `${date(l.fromDate)} – ${date(l.toDate)}`} />)}
      {!leaves.data?.items.length && <Line href="/app/leaves" lead={<Icon name="cal" size="md" />} title={t("Leave")} sub={leaves.data ? t("No leave waits for you.") : "…"} />}
      <Line href="/app/messages" lead={<Icon name="chat" size="md" />} title={t("Messages")} sub={threads.data?.total ? n(threads.data.total, "{n} unread conversation", "{n} unread conversations") : threads.data ? t("Nothing unread") : "…"} />
      <Line href="/app/news" lead={<Icon name="horn" size="md" />} title={fresh[0] ? <bdi>{fresh[0].title}</bdi> : t("Announcements")} sub={fresh.length ? n(fresh.length, "{n} unread announcement", "{n} unread announcements") : news.data ? t("Nothing unread") : "…"} />
      <Line href="/app/exams" lead={<Icon name="cap" size="md" />} title={t("Exams and marks")} />
    </Card>
  )
}
