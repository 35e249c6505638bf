// One child: the day, and the ways to everything about it.
import { may } from "../api/session"
import { Line, Screen } from "../pocket/screen"
import { useGet } from "../shell/load"
import { Avatar, Banner, Card, Facts, FaultState, Icon, Ready } from "../ui/basics"
import { Fault } from "../api/client"
import { fullDate, longDate, today } from "../words/format"
import { t } from "../words/words"
import { Children } from "./children"
import { classOf, nameOf, useChild, type Child } from "./family"
import { Lessons } from "./lessons"
import { stateOf } from "./state"

export default function OneChild({ params }: { params: Record<string, string> }) {
  const { day, child } = useChild(params.id!)
  return (
    <Ready of={day} rows={8}>{(d) => child ? (
      <Screen title={<bdi>{nameOf(child)}</bdi>} sub={classOf(child)} back="/app/home" lead={<Avatar name={child.firstName} photo={child.photoThumbnailUrl} size="lg" />}>
        <Children all={d.children} chosen={child.id} href={(id) => `/app/child/${id}`} />
        {(() => { const s = stateOf(child, d); return <Banner tone={s.tone} icon={s.icon ?? "info"}><b><bdi>{s.title}</bdi></b> {s.sub}</Banner> })()}
        <Card flush>
          {may("read", "attendance") && <Line href={`/app/child/${child.id}/attendance`} lead={<Icon name="tick" size="md" />} title={t("Attendance")} />}
          {may("read", "result") && <Line href={`/app/child/${child.id}/results`} lead={<Icon name="cap" size="md" />} title={t("Exams and results")} />}
          {may("read", "timetable") && <Line href={`/app/child/${child.id}/timetable`} lead={<Icon name="clock" size="md" />} title={t("Timetable")} />}
          {may("read", "fee") && <Line href={`/app/fees/${child.id}`} lead={<Icon name="coin" size="md" />} title={t("Fees and receipts")} />}
          {may("write", "leave") && child.status === "ACTIVE" && <Line href={`/app/leave/new?child=${child.id}`} lead={<Icon name="door" size="md" />}
            title={t("Apply for leave")} />}
          {child.teacherUserId && <Line href={`/app/messages/new?to=${child.teacherUserId}&student=${child.id}`} lead={<Icon name="chat" size="md" />}
            title={t("Write to the class teacher")} sub={<bdi>{child.teacherName}</bdi>} />}
        </Card>
        {may("read", "timetable") && child.status === "ACTIVE" && <Today child={child} />}
        <Record id={child.id} />
      </Screen>
    ) : <Screen title={t("School")} back="/app/home"><FaultState fault={new Fault(404, "", "")} /></Screen>}</Ready>
  )
}

/** Today's lessons, with what is different today. */
function Today({ child }: { child: Child }) {
  const plan = useGet("/parent/timetable/get", { studentId: child.id, date: today() })
  if (plan.data?.periods.length === 0) return null
  return (
    <Card title={t("Lessons today")} action={<span class="faint small">{longDate(today())}</span>} flush>
      <Ready of={plan} rows={4}>{(p) => <Lessons periods={p.periods} />}</Ready>
    </Card>
  )
}

/** What the school has written down about the child. */
function Record({ id }: { id: string }) {
  const record = useGet("/parent/student/{id}", undefined, { id })
  return (
    <Card title={t("What the school knows")}>
      <Ready of={record} rows={4}>{(s) => (
        <div class="stack">
          <Facts start items={[
            [t("Admission number"), <bdi>{s.admissionNo}</bdi>], [t("Date of birth"), s.dateOfBirth ? fullDate(s.dateOfBirth)
              : null], [t("Address"), s.address && <bdi class="lines">{s.address}</bdi>],
            [t("Blood group"), s.bloodGroup], [t("Medical notes"), s.medicalNotes && <bdi class="lines">{s.medicalNotes}</bdi>],
            [t("Emergency contacts"), s.emergencyContacts.length ? s.emergencyContacts.map((c, i) => <span class="block" key={i}>
              <bdi>{[c.name, c.relation].filter(Boolean).join(", ")}</bdi> {c.phone && <a href={`tel:${c.phone}`}>{c.phone}</a>}</span>) : null],
          ]} />
          <p class="help">{t("Is something wrong? Write to the office.")} <a href="/app/messages">{t("Messages")}</a></p>
        </div>
      )}</Ready>
    </Card>
  )
}
