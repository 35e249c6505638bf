// One member of staff: contact, classes, what depends on the person, sign-ins.
import { useState } from "preact/hooks"
import { post, put, remove } from "../../api/client"
import { may } from "../../api/session"
import { changed, useGet } from "../../shell/load"
import { useKey } from "../../shell/keys"
import { query } from "../../shell/router"
import { say, sayFault } from "../../shell/toast"
import { Avatar, Badge, Banner, Button, Card, Facts, Ready, Tabs } from "../../ui/basics"
import { Menu } from "../../ui/dialog"
import { date, fullName, money } from "../../words/format"
import { t } from "../../words/words"
import { LogCard } from "../students/log"
import { named } from "../students/words"
import { Assignments } from "./assignments"
import { Duties, LeaveStaff } from "./duties"
import { EditEmployee, type Employee } from "./form"
import { SignIns } from "./signins"
import { genders, statuses, tones } from "./words"

export default function EmployeePage({ params }: { params: Record<string, string> }) {
  const loaded = useGet("/school-admin/employee/{id}", undefined, { id: params.id! })
  return <Ready of={loaded}>{(e) => <Whole employee={e} />}</Ready>
}

type Doing = "edit" | "leave" | "archive" | "hand-over"

function Whole({ employee: e }: { employee: Employee }) {
  const [doing, setDoing] = useState<Doing>()
  const tab = query.value.get("tab") ?? "overview"
  const name = fullName(e)
  const close = () => setDoing(undefined)
  const trail = may("read", "report")
  return (
    <>
      <StaffHead employee={e} act={setDoing} />
      {e.status === "RESIGNED" && <Banner icon="door">{t("{name} has left the school and cannot sign in.", { name })}</Banner>}
      {!e.userId && e.status !== "RESIGNED" && <Banner tone="warn" icon="lock">{t("No account yet. Give a phone (an e-mail for administrators) and it is made.")}</Banner>}
      <Tabs label={t("Parts of the profile")} current={tab} items={[
        { key: "overview", text: t("Overview"), href: location.pathname },
        ...(e.type === "TEACHER" ? [{ key: "classes", text: t("Classes and subjects"), href: "?tab=classes" }] : []),
        ...(trail && e.userId ? [{ key: "sign-ins", text: t("Sign-ins"), href: "?tab=sign-ins" }] : []), ...(trail ? [{ key: "log", text: t("Log"), href: "?tab=log" }] : []),
      ]} />
      {tab === "classes" ? <Assignments employeeId={e.id} name={name} /> : tab === "sign-ins" && e.userId ? <SignIns userId={e.userId} /> : tab === "log" ? <LogCard
        id={e.id} /> : <Overview employee={e} handOver={() => setDoing("hand-over")} />}
      {doing === "edit" && <EditEmployee employee={e} onClose={close} />}
      {doing && doing !== "edit" && <LeaveStaff employee={e} how={doing} onClose={close} />}
    </>
  )
}

function StaffHead({ employee: e, act }: { employee: Employee; act: (d: Doing) => void }) {
  const name = fullName(e)
  const writes = may("write", "employee")
  const path = { id: e.id }
  useKey("e", t("Edit"), () => { if (writes) act("edit") })
  const run = (call: Promise<unknown>, text: string) => call.then(() => { changed(); say(text) }, sayFault)
  const leads = e.classTeacherOf.map((c) => `${c.className} ${c.divisionName ?? ""}`.trim()).join(", ")
  return (
    <div class="head person">
      <Avatar name={name} size="xl" />
      <div class="grow">
        <div class="row wrap"><h1 tabIndex={-1}><bdi>{name}</bdi></h1><Badge tone={tones[e.status]}>{named(statuses(), e.status)}</Badge></div>
        <p>{[e.designation, e.roleName, e.department].filter((x, i, all) => x && all.indexOf(x) === i).join(" · ")}</p>
        <p>{[e.subjects.length > 0 && t("Teaches {subjects}", { subjects: e.subjects.map((s) => s.name).join(", ") }),
          leads && t("Class teacher of {classes}", { classes: leads })].filter(Boolean).join(" · ")}</p>
      </div>
      <div class="row wrap">
        {e.phone && <a class="btn" href={`tel:${e.phone}`}>{e.phone}</a>}
        {writes && <Button icon="pen" hint="E" onClick={() => act("edit")}>{t("Edit")}</Button>}
        <Menu label={t("More about {name}", { name })} items={[
          { text: t("Hand duties over"), icon: "swap", run: () => act("hand-over"), hidden: !writes },
          { text: t("Send a link for a new password"), icon: "mail", hidden: !e.userId || !e.email || e.type !== "SCHOOL_ADMIN",
            run: () => void run(post("/auth/forgot-password", { email: e.email! }), t("A link is on its way to {email}.", { email: e.email ?? "" })) },
          { text: t("Sign out everywhere"), icon: "lock", hidden: !e.userId || !may("delete", "employee"),
            run: () => void run(remove("/school-admin/user/{id}/sessions", { path: { id: e.userId! } }), t("{name} is signed out everywhere.", { name })) },
          { text: t("Leaves the school"), icon: "door", run: () => act("leave"), hidden: !writes || e.status === "RESIGNED" },
          { text: t("Comes back"), icon: "back", hidden: !writes || e.status !== "RESIGNED",
            run: () => void run(put("/school-admin/employee/{id}", { status: "ACTIVE" }, { path }), t("{name} works here again.", { name })) },
          { text: t("Archive the record"), icon: "disk", danger: true, run: () => act("archive"), hidden: !may("delete", "employee") },
        ]} />
      </div>
    </div>
  )
}

function Overview({ employee: e, handOver }: { employee: Employee; handOver: () => void }) {
  return (
    <div class="cols">
      <Duties employeeId={e.id} handOver={handOver} />
      <div class="stack far">
        <Card title={t("Contact")}><Facts items={[[t("Phone"), e.phone], [t("E-mail"), e.email], [t("Account"), e.userId ? t("has an account") : t("no account")]]} /></Card>
        <Card title={t("Work")}><Facts items={([[t("Staff number"), e.employeeCode], [t("Joined"), e.joinDate && date(e.joinDate)], [t("Qualification"), e.qualification],
          [t("Salary"), e.salary === null ? null : money(e.salary)],
          [t("Driving licence"), e.licenseNo], [t("Born"), e.dateOfBirth && date(e.dateOfBirth)], [t("Gender"), named(genders(), e.gender)]] as [string,
            string | null][]).filter(([, v]) => v)} /></Card>
      </div>
    </div>
  )
}
