import { useState } from "preact/hooks"
import { post, remove } from "../../api/client"
import type { Reply } from "../../api/contract"
import { may } from "../../api/session"
import { changed, useGet } from "../../shell/load"
import { query, setQuery } from "../../shell/router"
import { say, sayFault } from "../../shell/toast"
import { Avatar, Badge, Banner, Button, Card, Head, LinkButton, Ready, State, Who } from "../../ui/basics"
import { addDays, fullName, longDate, today } from "../../words/format"
import { n, t } from "../../words/words"

type Lesson = Reply<"/school-admin/timetable/cover", "get">["lessons"][number]
type Change = Parameters<typeof post<"/school-admin/timetable/override">>[1] & object

export default function Cover() {
  const date = query.value.get("date") ?? today()
  const cover = useGet("/school-admin/timetable/cover", { date })
  const [chosen, setChosen] = useState<string>()
  const lessons = cover.data?.lessons ?? []
  const lesson = lessons.find((l) => l.id === chosen) ?? lessons[0]
  const headline = lessons.length === 0 ? t("Every lesson has a teacher") : n(lessons.length, "{n} lesson needs cover", "{n} lessons need cover")
  const go = (d: string) => setQuery({ date: d === today() ? "" : d })
  return (
    <>
      <Head title={cover.data ? headline : t("Cover")} sub={longDate(date)}>
        <span class="group"><Button icon="left" aria-label={t("The day before")} onClick={() => go(addDays(date, -1))} /><Button icon="right"
          aria-label={t("The day after")} onClick={() => go(addDays(date, 1))} /></span>
        <input class="input pickdate" type="date" aria-label={t("Another day")} value={date} onChange={(e) => { if (e.currentTarget.value) go(e.currentTarget.value) }} />
        <LinkButton href="/app/timetable/changes" icon="cal">{t("Single days")}</LinkButton>
      </Head>
      <Ready of={cover} rows={6}>{(c) => c.holiday ? <Banner icon="cal">{t("{name}: there is no school on this day.", { name: c.holiday })}</Banner>
        : lessons.length === 0 ? <State icon="check" title={t("Every lesson has a teacher")}>
          <p>{t("Lessons of teachers with approved leave, and of those who have left, are listed here.")}</p></State>
        : (
          <div class="cols covers">
            <Card title={t("Lessons without a teacher")} flush>
              <ul class="list">{lessons.map((l) => (
                <li key={l.id} class={l === lesson ? "on" : ""}>
                  <button type="button" class="choice" aria-pressed={l === lesson} onClick={() => setChosen(l.id)}>
                    <span class="num muted nowrap">{l.startTime.slice(0, 5)}–{l.endTime.slice(0, 5)}</span>
                    <span class="grow"><b>{l.className} {l.divisionName}</b> · {l.subjectName}<span class="block muted small"><bdi>{l.teacherName}</bdi> {why(l)}</span></span>
                    {l.room && <span class="faint small hide-sm">{l.room}</span>}
                  </button>
                </li>
              ))}</ul>
            </Card>
            {lesson && <Free key={lesson.id} lesson={lesson} date={date} />}
          </div>
        )}</Ready>
    </>
  )
}

function why(l: Lesson): string {
  if (l.teacherLeft) return t("has left the school")
  if (l.leaveHalf === "FIRST") return t("is on leave in the first half")
  return l.leaveHalf ? t("is on leave in the second half") : t("is on leave")
}

/** Teachers without a lesson at that time, those with the fewest lessons first. One click makes one the substitute. */
function Free({ lesson: l, date }: { lesson: Lesson; date: string }) {
  const free = useGet("/school-admin/timetable/free-teachers", { date, periodNo: l.periodNo, divisionId: l.divisionId })
  const [busy, setBusy] = useState(false)
  const writes = may("write", "timetable")
  const change = async (what: Partial<Change>, text: string) => {
    setBusy(true)
    try {
      const made = await post("/school-admin/timetable/override", { date, classId: l.classId, divisionId: l.divisionId, periodNo: l.periodNo, ...what },
        { key: crypto.randomUUID() })
      changed()
      say(text, () => remove("/school-admin/timetable/override/{id}", { path: { id: made.id } }))
    } catch (e) { sayFault(e) } finally { setBusy(false) }
  }
  const place = `${l.subjectName}, ${l.className} ${l.divisionName}`
  return (
    <Card title={t("Free at {time}", { time: l.startTime.slice(0, 5) })} badge={free.data && <Badge>{free.data.teachers.length}</Badge>} flush>
      <p class="pad small muted">{t("One click makes a teacher the substitute for {lesson}, and tells them.", { lesson: place })}</p>
      <Ready of={free} rows={5}>{(f) => f.teachers.length === 0 ? <State icon="people" title={t("Nobody is free then")} /> : (
        <ul class="list">{f.teachers.map((x) => (
          <li key={x.id}>
            {writes ? (
              <button type="button" class="choice" disabled={busy} onClick={() => change({ teacherId: x.id }, t("{name} takes {lesson} at {time}.",
                { name: fullName(x), lesson: place, time: l.startTime.slice(0, 5) }))}>
                <Avatar name={fullName(x)} /><b class="grow cut"><bdi>{fullName(x)}</bdi></b><span
                  class="faint small nowrap">{n(x.lessons, "{n} lesson that day", "{n} lessons that day")}</span>
              </button>
            ) : <Who name={fullName(x)} />}
          </li>
        ))}</ul>
      )}</Ready>
      {writes && <div class="pad"><Button disabled={busy} onClick={() => change({ cancelled: true }, t("{lesson} is cancelled on this day.",
        { lesson: place }))}>{t("Cancel the lesson on this day")}</Button></div>}
    </Card>
  )
}
