// One student: who, how it goes, what is due, and what the office can do.
import { useRef, useState } from "preact/hooks"
import { may } from "../../api/session"
import { changed, useGet } from "../../shell/load"
import { useKey } from "../../shell/keys"
import { go, query } from "../../shell/router"
import { say, sayFault } from "../../shell/toast"
import { Avatar, Badge, Banner, Button, Card, Facts, Icon, LinkButton, Ready, State, Tabs } from "../../ui/basics"
import { Menu } from "../../ui/dialog"
import { date, fullName, today } from "../../words/format"
import { t } from "../../words/words"
import { comeBack, EditStudent, exportData, GoneForGood, LeaveSchool, MoveStudent, setPhoto } from "./change"
import { AttendanceCard, AttendanceTab, BusTab, LibraryTab } from "./days"
import { Family } from "./family"
import { LogCard } from "./log"
import { FeesCard, FeesTab } from "./money"
import { ResultsCard, ResultsTab } from "./results"
import { sectionsOf, type Mark, type Profile, type Student } from "./sections"
import { age, genders, named, outcomes, statuses } from "./words"

export default function StudentPage({ params }: { params: Record<string, string> }) {
  const id = params.id!
  const loaded = useGet("/school-admin/student/{id}/profile", undefined, { id })
  return <Ready of={loaded} rows={10}>{(p) => <Whole profile={p} />}</Ready>
}

type Doing = "edit" | "move" | "leave" | "archive" | "erase"

function Whole({ profile }: { profile: Profile }) {
  const [doing, setDoing] = useState<Doing>()
  const { student } = profile
  const sections = sectionsOf(profile)
  const tab = query.value.get("tab") ?? "overview"
  const close = () => setDoing(undefined)
  return (
    <>
      <PersonHead profile={profile} mark={sections.attendance?.marks.findLast((m) => m.date === today())} act={setDoing} />
      {student.medicalNotes && <Banner tone="warn" icon="heart"><b>{t("Health:")}</b> <bdi>{student.medicalNotes}</bdi></Banner>}
      {student.rideNotes && <Banner tone="warn" icon="bus"><b>{t("For the ride:")}</b> <bdi>{student.rideNotes}</bdi></Banner>}
      {student.status !== "ACTIVE" && <Banner icon="door">
        {[named(statuses(), student.status), student.leavingDate && date(student.leavingDate), student.leavingReason].filter(Boolean).join(", ")}</Banner>}
      <Tabs label={t("Parts of the profile")} current={tab} items={tabsOf(profile)} />
      {tab === "attendance" && sections.attendance ? <AttendanceTab attendance={sections.attendance} leave={sections.leave} />
        : tab === "results" && sections.results ? <ResultsTab results={sections.results} student={student} />
        : tab === "fees" && sections.fees ? <FeesTab fees={sections.fees} student={student} />
        : tab === "bus" ? <BusTab profile={profile} trips={sections.trips} />
        : tab === "library" && sections.loans ? <LibraryTab loans={sections.loans} />
        : tab === "log" ? <LogCard id={student.id} reads />
        : <Overview profile={profile} />}
      {doing === "edit" && <EditStudent student={student} onClose={close} />}
      {doing === "move" && <MoveStudent student={student} onClose={close} />}
      {doing === "leave" && <LeaveSchool student={student} onClose={close} />}
      {(doing === "erase" || doing === "archive") && <GoneForGood student={student} erase={doing === "erase"} onClose={close} />}
    </>
  )
}

function tabsOf(profile: Profile) {
  const s = sectionsOf(profile)
  const out = s.loans?.filter((l) => l.status === "ISSUED").length ?? 0
  return [
    { key: "overview", text: t("Overview"), href: "?tab=" }, ...(s.attendance ? [{ key: "attendance", text: t("Attendance"), href: "?tab=attendance" }] : []),
    ...(s.results ? [{ key: "results", text: t("Results"), href: "?tab=results" }] : []), ...(s.fees ? [{ key: "fees", text: t("Fees"), href: "?tab=fees" }] : []),
    ...(s.trips || profile.transport.length ? [{ key: "bus", text: t("Bus"), href: "?tab=bus" }] : []),
    ...(s.loans ? [{ key: "library", text: t("Library"), href: "?tab=library", ...(out && { count: out }) }] : []),
    ...(may("read", "report") ? [{ key: "log", text: t("Log"), href: "?tab=log" }] : []),
  ].map((x) => ({ ...x, href: x.key === "overview" ? location.pathname : x.href }))
}

function PersonHead({ profile, mark, act }: { profile: Profile; mark: Mark | undefined; act: (d: Doing) => void }) {
  const { student, transport } = profile
  const file = useRef<HTMLInputElement>(null)
  const division = useGet(student.divisionId && may("read", "division") ? "/school-admin/division/{id}" : null, undefined, { id: student.divisionId ?? "" })
  const name = fullName(student)
  const writes = may("write", "student")
  const write = `/app/messages?to=${student.id}`
  const pay = `/app/fees/counter?student=${student.id}`
  useKey("e", t("Edit"), () => { if (writes) act("edit") })
  useKey("m", t("Write"), () => { if (may("write", "message")) go(write) })
  useKey("f", t("Take payment"), () => { if (may("write", "fee")) go(pay) })
  const seat = [student.className && `${student.className} ${student.divisionName ?? ""}`.trim(), student.rollNo && t("roll {n}", { n: student.rollNo })].filter(Boolean).join(", ")
  const person = [named(genders(), student.gender),
    student.dateOfBirth && t("{n} years (born {date})", { n: age(student.dateOfBirth), date: date(student.dateOfBirth) })].filter(Boolean).join(", ")
  const teacher = division.data?.classTeacherId
  return (
    <div class="head person">
      <Photo student={student} writes={writes} open={() => file.current?.click()} />
      <input ref={file} type="file" class="sr" accept="image/*" tabIndex={-1} aria-hidden="true"
        onChange={(e) => { const f = e.currentTarget.files?.[0]; if (f) void setPhoto(student, f); e.currentTarget.value = "" }} />
      <div class="grow">
        <div class="row wrap"><h1 tabIndex={-1}><bdi>{name}</bdi></h1>{mark && <TodayBadge mark={mark} />}<Badge>{named(statuses(), student.status)}</Badge></div>
        <p>{[seat, t("admission {no}", { no: student.admissionNo }), person].filter(Boolean).join(" · ")}</p>
        <p>{teacher && <>{t("Class teacher")} <a href={`/app/staff/${teacher}`}><bdi>{division.data!.classTeacherName}</bdi></a></>}
          {transport[0] && <>{teacher && " · "}{t("{route} from", { route: transport[0].routeName })} <a href="?tab=bus">{transport[0].stopName}</a></>}</p>
      </div>
      <div class="row wrap">
        {may("write", "message") && <LinkButton icon="chat" href={write} hint="M">{t("Write")}</LinkButton>}
        {may("write", "fee") && <LinkButton icon="coin" href={pay} hint="F">{t("Take payment")}</LinkButton>}
        {writes && <Button icon="pen" hint="E" onClick={() => act("edit")}>{t("Edit")}</Button>}
        <Menu label={t("More about {name}", { name })} items={[
          { text: t("Move to another class"), icon: "swap", run: () => act("move"), hidden: !writes },
          { text: t("Change the photo"), icon: "pic", run: () => file.current?.click(), hidden: !writes },
          { text: t("All data as a file"), icon: "save", run: () => void exportData(student) },
          { text: t("Leaves the school"), icon: "door", run: () => act("leave"), hidden: !writes || student.status !== "ACTIVE" },
          { text: t("Comes back"), icon: "back", hidden: !writes || student.status === "ACTIVE",
            run: () => comeBack(student).then(() => { changed(); say(t("{name} attends again.", { name })) }, sayFault) },
          { text: t("Archive the record"), icon: "disk", danger: true, run: () => act("archive"), hidden: !may("delete", "student") },
          { text: t("Erase personal data"), icon: "x", danger: true, run: () => act("erase"), hidden: !may("delete", "student") },
        ]} />
      </div>
    </div>
  )
}

function Photo({ student, writes, open }: { student: Student; writes: boolean; open: () => void }) {
  const face = <Avatar name={fullName(student)} photo={student.photoUrl} size="xl" />
  if (!writes) return face
  return <button type="button" class="photo" onClick={open}>{face}<span class="sr">{t("Change the photo")}</span><span class="over" aria-hidden="true"><Icon name="pic"
    size="md" /></span></button>
}

function TodayBadge({ mark }: { mark: Mark }) {
  const said = { PRESENT: t("Present today"), LATE: t("Late today"), ABSENT: t("Absent today"), LEAVE: t("On leave today"), HOLIDAY: t("No school today") }
  const tones = { PRESENT: "good", LATE: "warn", ABSENT: "bad", LEAVE: "info", HOLIDAY: "" } as const
  return <Badge tone={tones[mark.status]}>{mark.status === "PRESENT" && <Icon name="check" size="xs" />}{said[mark.status]}</Badge>
}

function Overview({ profile }: { profile: Profile }) {
  const { student } = profile
  const s = sectionsOf(profile)
  const guardians = useGet("/school-admin/guardian/list", { studentId: student.id, limit: 20 })
  const latest = s.results?.[0]
  return (
    <div class="cols">
      <div class="stack far">
        <div class={latest && s.attendance ? "cols even" : "stack"}>
          {s.attendance && <AttendanceCard attendance={s.attendance} />}
          {latest && <ResultsCard exam={latest} student={student} />}
        </div>
        {s.fees && <FeesCard fees={s.fees} student={student} />}
        {!s.attendance && !s.fees && <State icon="lock" title={t("More is not open to you")} />}
        <Years profile={profile} />
      </div>
      <div class="stack far">
        <Family student={student} guardians={guardians.data?.items} />
        <About student={student} electives={s.electives} />
        {may("read", "report") && <LogCard id={student.id} reads all="?tab=log" />}
      </div>
    </div>
  )
}

function About({ student, electives }: { student: Student; electives: { subjectName: string }[] | undefined }) {
  const contacts = student.emergencyContacts.map((c) => [c.name, c.relation, c.phone].filter(Boolean).join(", ")).join("; ")
  const items: [string, string | null | undefined][] = [
    [t("Address"), student.address], [t("Phone"), student.phone], [t("E-mail"), student.email], [t("Blood group"), student.bloodGroup?.replace("-", "−")],
    [t("In an emergency"), contacts],
    [t("Electives"), electives?.map((e) => e.subjectName).join(", ")], [t("Admitted"), student.admissionDate && date(student.admissionDate)],
  ]
  return <Card title={t("About")}><Facts items={items.filter(([, v]) => v) as [string, string][]} /></Card>
}

function Years({ profile }: { profile: Profile }) {
  if (profile.enrolments.length < 2) return null
  return (
    <Card title={t("Years at this school")} flush><ul class="list">{profile.enrolments.map((e) => (
      <li key={e.academicYearId}><div class="grow"><b>{e.academicYearName}</b><p>
        {[`${e.className} ${e.divisionName ?? ""}`.trim(), e.rollNo && t("roll {n}", { n: e.rollNo })].filter(Boolean).join(", ")}</p></div>
        <Badge tone={e.outcome === "PROMOTED" || e.outcome === "GRADUATED" ? "good" : e.outcome === "DETAINED" ? "warn" : ""}>{named(outcomes(), e.outcome)}</Badge></li>
    ))}</ul></Card>
  )
}
