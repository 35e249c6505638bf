import { useState } from "preact/hooks"
import { put } from "../../api/client"
import { may } from "../../api/session"

import { query, setQuery } from "../../shell/router"
import { asFault, changed, useGet } from "../../shell/load"
import { say } from "../../shell/toast"
import { Banner, Button, Head, LinkButton, Ready, State } from "../../ui/basics"
import { useDivisions } from "../../ui/choices"
import { when } from "../../words/format"
import { t } from "../../words/words"
import { WeekGrid } from "./grid"
import { LessonDialog } from "./lesson"
import { at, clash, dayName, inputOf, moved, useTeacherWeek, type Bell, type Lesson, type Slot, type Week } from "./weeks"

export default function Timetable() {
  const divisions = useDivisions()
  const divisionId = query.value.get("divisionId") ?? divisions.items[0]?.id
  const own = divisions.items.find((d) => d.id === divisionId)
  const week = useGet(own ? "/school-admin/timetable" : null, own && { classId: own.classId, divisionId: own.id })
  const name = own ? `${own.className} ${own.name}` : t("Timetable")
  return (
    <>
      <Head title={name} sub={week.data?.updatedAt && t("Changed {when}.", { when: when(week.data.updatedAt) })}>
        <select class="input picker" aria-label={t("Division")} value={divisionId} onChange={(e) => setQuery({ divisionId: e.currentTarget.value })}>
          {divisions.items.map((d) => <option key={d.id} value={d.id}>{d.className} {d.name}</option>)}
        </select>
        <LinkButton href="/app/timetable/teacher" icon="person">{t("A teacher’s week")}</LinkButton>
        <LinkButton href="/app/timetable/cover" icon="swap">{t("Cover")}</LinkButton>
        <LinkButton href="/app/timetable/changes" icon="cal">{t("Single days")}</LinkButton>
        {may("write", "timetable") && <LinkButton href="/app/import/timetable" icon="load">{t("Import")}</LinkButton>}
      </Head>
      {divisions.data && divisions.items.length === 0 ? <State icon="cal" title={t("There are no divisions yet")} />
        : own && <Ready of={week} rows={8}>{(w) => <Editor key={own.id} week={w} name={name} />}</Ready>}
    </>
  )
}

function Editor({ week, name }: { week: Week; name: string }) {
  const [moving, setMoving] = useState<Lesson>()
  const [trouble, setTrouble] = useState<string>()
  const [open, setOpen] = useState<{ lesson: Lesson | undefined; slot: Slot; bell: Bell | undefined }>()
  const elsewhere = useTeacherWeek(moving?.teacherId)
  const writes = may("write", "timetable")
  const save = async (lessons: Lesson[], text: string) => {
    const where = { classId: week.classId, divisionId: week.divisionId }
    const after = await put("/school-admin/timetable", { ...where, periods: inputOf(lessons), version: week.version })
    setTrouble(undefined)
    changed()
    say(text, () => put("/school-admin/timetable", { ...where, periods: inputOf(week.periods), version: after.version }))
  }
  const move = (to: Slot, bell: Bell) => {
    const lesson = moving
    setMoving(undefined)
    if (!lesson || at(week.periods, to) === lesson) return
    const against = elsewhere.data && clash(elsewhere.data.periods, lesson, to, bell)
    if (against) { setTrouble(`${against}.`); return }
    const text = t("{subject} is now on {day}, period {n}.", { subject: lesson.subjectName, day: dayName(to.day), n: to.period })
    save(moved(week.periods, lesson, to, bell), text).catch((e: unknown) => setTrouble(asFault(e).message))
  }
  return (
    <>
      {trouble && <Banner tone="bad" icon="alert"><b>{t("The lesson stays where it was.")}</b> {trouble}</Banner>}
      {moving && <Banner icon="swap">{t("{subject} is picked up. Choose its new place: arrows and Enter, or a click. Esc puts it back.", { subject: moving.subjectName })}</Banner>}
      {week.periods.length === 0
        ? <State icon="cal" title={t("This division has no timetable yet")}><p>{t("Add its first lesson, or import the weeks of all divisions.")}</p></State>
        : <WeekGrid label={t("Week of {name}", { name })} lessons={week.periods} says={(l) => ({ title: l.subjectName, lines: [l.teacherName, l.room] })} moving={moving}
            {...(writes && { onPick: setMoving, onMove: move, onOpen: (lesson: Lesson | undefined, slot: Slot, bell: Bell) => setOpen({ lesson, slot, bell }) })}
            clashAt={(s, bell) => moving && elsewhere.data && clash(elsewhere.data.periods, moving, s, bell)} />}
      {writes && (
        <div class="row wrap">
          <Button icon="plus" onClick={() => setOpen({ lesson: undefined, slot: { day: 1, period: next(week) }, bell: undefined })}>{t("Add a lesson")}</Button>
          <span class="keys-line small muted hide-sm"><kbd>↑</kbd><kbd>↓</kbd><kbd>←</kbd>
            <kbd>→</kbd> {t("move")} <kbd>Enter</kbd> {t("change a lesson")} <kbd>M</kbd> {t("pick it up; Enter puts it down")}</span>
        </div>
      )}
      {open && <LessonDialog week={week} {...open} save={save} onClose={() => setOpen(undefined)} />}
    </>
  )
}

function next(week: Week): number { return 1 + Math.max(0, ...week.periods.map((p) => p.periodNo)) }
