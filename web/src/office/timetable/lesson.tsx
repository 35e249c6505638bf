// One lesson of the week: what, who, where and when.
import { useSubjects, useEmployees } from "../../ui/choices"
import { Button } from "../../ui/basics"
import { Dialog } from "../../ui/dialog"
import { Form, type FieldSpec, type Values } from "../../ui/form"
import { sayFault } from "../../shell/toast"
import { t } from "../../words/words"
import { dayName, daysOf, type Bell, type Lesson, type Slot, type Week } from "./weeks"

interface Props { week: Week; lesson: Lesson | undefined; slot: Slot; bell: Bell | undefined; save: (lessons: Lesson[], text: string) => Promise<void>; onClose: () => void }

export function LessonDialog({ week, lesson, slot, bell, save, onClose }: Props) {
  const subjects = useSubjects()
  const teachers = useEmployees({ type: "TEACHER" })
  const own = subjects.items.filter((s) => s.classIds.includes(week.classId)).map((s) => ({ value: s.id, text: s.name }))
  const days = [...new Set([...daysOf(week.periods), slot.day])].sort().map((d) => ({ value: String(d), text: dayName(d) }))
  const fields: FieldSpec[] = [
    { name: "subjectId", label: t("Subject"), kind: "select", required: true, options: own }, { name: "teacherId", label: t("Teacher"), kind: "select", options: teachers.options },
    { name: "dayOfWeek", label: t("Day"), kind: "select", required: true, options: days }, { name: "periodNo", label: t("Period"), kind: "number", required: true, min: 1 },
    { name: "startTime", label: t("Begins"), kind: "time", required: true }, { name: "endTime", label: t("Ends"), kind: "time", required: true },
    { name: "room", label: t("Room"), wide: true, help: t("Without one, the division’s own room.") },
  ]
  const initial: Values = lesson ? { ...lesson, dayOfWeek: String(lesson.dayOfWeek), startTime: lesson.startTime.slice(0, 5), endTime: lesson.endTime.slice(0, 5) }
    : { dayOfWeek: String(slot.day), periodNo: slot.period, startTime: bell?.startTime.slice(0, 5), endTime: bell?.endTime.slice(0, 5) }
  const submit = (v: Values) => {
    const changedLesson = { ...lesson, ...v, dayOfWeek: Number(v.dayOfWeek), room: (v.room as string) || null, teacherId: (v.teacherId as string) || null } as Lesson
    const rest = week.periods.filter((l) => l !== lesson)
    return save([...rest, changedLesson], lesson ? t("The lesson is changed.") : t("The lesson is added."))
  }
  const drop = () => {
    save(week.periods.filter((l) => l !== lesson), t("{subject} is taken out of the week.", { subject: lesson!.subjectName })).then(onClose, sayFault)
  }
  return (
    <Dialog title={lesson ? `${lesson.subjectName}, ${dayName(lesson.dayOfWeek)}` : t("New lesson")} onClose={onClose} wide>
      <Form fields={fields} initial={initial} button={lesson ? t("Save the lesson") : t("Add the lesson")} submit={submit} onDone={onClose} onCancel={onClose}
        secondary={lesson && <Button kind="danger" onClick={drop}>{t("Take it out")}</Button>} />
    </Dialog>
  )
}
