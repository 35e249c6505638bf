// A child: whom to call, health, attendance and results, as far as a teacher may see them.
import type { Reply, Schema } from "../api/contract"
import { may } from "../api/session"
import { Screen } from "../pocket/screen"
import { useGet } from "../shell/load"
import { Avatar, Badge, Banner, Card, Facts, Icon, Ready } from "../ui/basics"
import { date, fullDate, fullName, month, percent, today, weekday } from "../words/format"
import { n, t } from "../words/words"
import { inWords, letter, type Mark } from "./marks"

type Record = Schema["Student"]

export default function Child({ params }: { params: { id?: string } }) {
  const child = useGet("/teacher/student/{id}", undefined, { id: params.id! })
  const s = child.data
  return (
    <Screen title={s ? fullName(s) : t("Loading")} sub={s && [s.className, s.divisionName].filter(Boolean).join(" ")} back="/app/classes"
      lead={s && <Avatar name={fullName(s)} photo={s.photoThumbnailUrl} size="lg" />}>
      <Ready of={child} rows={8}>{(c) => (
        <>
          {(c.medicalNotes || c.bloodGroup) && <Banner tone="warn" icon="heart"><b>{t("Health")}</b>{c.bloodGroup && <p>{t("Blood group {group}", { group: c.bloodGroup })}</p>}{c.medicalNotes && <p class="prose"><bdi>{c.medicalNotes}</bdi></p>}</Banner>}
          <Calls child={c} />
          <More child={c} />
        </>
      )}</Ready>
    </Screen>
  )
}

/** Attendance, results and data, at once: what came later would push down what is shown. */
function More({ child: c }: { child: Record }) {
  const at = today().slice(0, 7)
  const [marked, scored] = [may("read", "attendance") && !!c.classId, may("read", "result")]
  const report = useGet(marked ? "/teacher/attendance/report" : null, { classId: c.classId!, divisionId: c.divisionId ?? undefined, month: at } as never)
  const results = useGet(scored ? "/teacher/result/list" : null, { studentId: c.id, limit: 50 } as never)
  if (marked && !report.data && !report.fault || scored && !results.data && !results.fault) return null
  return (
    <>
      {report.data && <Attendance child={c} at={at} report={report.data} />}
      {results.data && <Results rows={results.data.items} />}
      <Card title={t("About")}><Facts items={[
        [t("Birthday"), c.dateOfBirth && fullDate(c.dateOfBirth)], [t("Roll number"), c.rollNo], [t("Admission number"), c.admissionNo],
        [t("Address"), c.address && <bdi>{c.address}</bdi>], [t("E-mail"), c.email && <bdi>{c.email}</bdi>],
      ]} /></Card>
    </>
  )
}

/** The guardians and emergency contacts, each to call with one tap. */
function Calls({ child: c }: { child: Record }) {
  const relation = { FATHER: t("Father"), MOTHER: t("Mother"), GUARDIAN: t("Guardian") }
  const people = [
    ...c.guardians.map((g) => ({ name: g.name, phone: g.phone, note: [relation[g.relation], g.canPickUp ? "" : t("may not pick up")].filter(Boolean).join(", "), main: g.isPrimary })),
    ...c.emergencyContacts.map((e) => ({ name: e.name ?? t("Emergency contact"), phone: e.phone, note: e.relation ?? t("Emergency contact"), main: false })),
  ]
  return (
    <Card title={t("Family")} action={may("write", "message") && <a href={`/app/messages/new?student=${c.id}`}>{t("Write")}</a>} flush>
      {people.map((p, i) => (p.phone
        ? <a class="line" key={i} href={`tel:${p.phone}`}><Icon name="phone" size="md" /><span class="grow"><b><span class="sr">{t("Call")} </span><bdi>{p.name}</bdi></b><span>{p.note} · <bdi>{p.phone}</bdi></span></span>{p.main && <Badge tone="info">{t("First")}</Badge>}</a>
        : <div class="line" key={i}><Icon name="person" size="md" /><span class="grow"><b><bdi>{p.name}</bdi></b><span>{p.note}</span></span></div>))}
      {people.length === 0 && <p class="pad muted">{t("No guardian is known.")}</p>}
    </Card>
  )
}

/** The month as a calendar; what was not school is blank. */
function Attendance({ child: c, at, report }: { child: Record; at: string; report: Reply<"/teacher/attendance/report", "get"> }) {
  const mine = report.students.find((s) => s.studentId === c.id)
  if (!mine) return null
  const marks = new Map(mine.days.map((d) => [d.date, { status: d.status, ...(d.halfDay && { halfDay: d.halfDay }), ...(d.minutesLate && { minutesLate: d.minutesLate }) } as Mark]))
  return (
    <Card title={month(at)} badge={<Badge tone={(mine.totals.percentage ?? 100) < 75 ? "bad" : "good"}>{percent(mine.totals.presentDays, mine.totals.schoolDays)}</Badge>}>
      <ol class="monthly" aria-label={t("Attendance")}>
        {Array.from({ length: weekday(`${at}-01`) - 1 }, (_, i) => <li key={`b${i}`} aria-hidden="true" />)}
        {report.days.map((d) => <Day key={d.date} date={d.date} mark={marks.get(d.date)} />)}
      </ol>
      <p class="small muted">{[n(mine.totals.absent, "{n} day absent", "{n} days absent"), n(mine.totals.late, "{n} time late", "{n} times late")].join(", ")}</p>
    </Card>
  )
}

function Day({ date: d, mark }: { date: string; mark: Mark | undefined }) {
  const l = mark && mark.status !== "PRESENT" ? letter(mark) : ""
  return <li><span class={`m ${l}`}><span aria-hidden="true">{l || Number(d.slice(8))}</span><span class="sr">{date(d)}{mark && `, ${inWords(mark)}`}</span></span></li>
}

function Results({ rows }: { rows: Reply<"/teacher/result/list", "get">["items"] }) {
  if (rows.length === 0) return null
  const exams = [...new Map(rows.map((r) => [r.examId, r.examName]))]
  return (
    <Card title={t("Results")}>
      <div class="stack loose">{exams.map(([exam, name]) => (
        <section key={exam} class="stack"><h3><bdi>{name}</bdi></h3>
          <Facts items={rows.filter((r) => r.examId === exam).map((r) => [r.subjectName, r.outcome === "SCORED" ? `${r.marks} / ${r.maxMarks}${r.grade ? ` · ${r.grade}` : ""}` : r.outcome === "ABSENT" ? t("Absent") : t("Exempt")])} />
        </section>
      ))}</div>
    </Card>
  )
}
