import { useEffect } from "preact/hooks"
import { may, me } from "../../api/session"
import type { Reply } from "../../api/contract"
import { useGet } from "../../shell/load"
import { useKey } from "../../shell/keys"
import { go } from "../../shell/router"
import { Badge, Card, Figures, Head, Icon, LinkButton, Ready, Who, type Figure } from "../../ui/basics"
import { count, fullName, longDate, money, percent, today } from "../../words/format"
import { n, t } from "../../words/words"
import { Buses } from "./buses"
import { NeedsList } from "./needs"

export type Day = Reply<"/school-admin/dashboard/today", "get">

const pause = 20_000 // between two looks at the day

export default function Today() {
  const day = useGet("/school-admin/dashboard/today")
  useKey("f", t("Take payment"), () => { if (may("write", "fee")) go("/app/fees/counter") })
  useEffect(() => { const timer = setInterval(() => { if (!document.hidden) day.reload() }, pause); return () => clearInterval(timer) }, [])
  return (
    <>
      <Head title={greeting()} sub={<>{longDate(today())}. {day.data && said(day.data)}</>}>
        {may("write", "announcement") && <LinkButton href="/app/announcements/new" icon="horn">{t("Announce")}</LinkButton>}
        {may("write", "fee") && <LinkButton href="/app/fees/counter" icon="coin" hint="F">{t("Take payment")}</LinkButton>}
        {may("read", "attendance") && <LinkButton href="/app/attendance" icon="tick" kind="go">{t("Attendance")}</LinkButton>}
      </Head>
      <Ready of={day} rows={8}>{(d) => (
        <>
          {figures(d).length > 0 && <Figures label={t("Today in figures")} items={figures(d)} />}
          <div class="cols">
            <div class="stack far">
              <Card title={t("Needs you")} badge={<Badge>{d.needs.length}</Badge>} action={<span class="faint small hide-sm">{t("Most urgent first")}</span>} flush><NeedsList items={d.needs} /></Card>
              {d.absentees && d.absentees.total > 0 && <Absentees of={d.absentees} />}
            </div>
            <div class="stack far">
              {d.trips && d.trips.total > 0 && <Buses trips={d.trips.items} />}
              {d.birthdays && d.birthdays.total > 0 && <Birthdays of={d.birthdays.items} />}
            </div>
          </div>
        </>
      )}</Ready>
    </>
  )
}

function greeting(): string {
  const first = me.value!.user.name.split(" ")[0]!
  const hour = Number(new Intl.DateTimeFormat("en", { hour: "numeric", hourCycle: "h23", timeZone: me.value!.school.timezone }).format(new Date()))
  if (hour < 12) return t("Good morning, {name}", { name: first })
  return hour < 18 ? t("Good afternoon, {name}", { name: first }) : t("Good evening, {name}", { name: first })
}

function said(d: Day): string {
  if (!d.isSchoolDay) return d.holiday ? t("No school today: {holiday}.", { holiday: d.holiday }) : t("No school today.")
  if (!d.attendance) return ""
  return t("{marked} of {all} divisions are marked.", { marked: d.attendance.divisionsMarked, all: d.attendance.divisions })
}

function figures(d: Day): Figure[] {
  const out: Figure[] = []
  if (d.attendance) {
    const a = d.attendance
    const here = a.present + a.late
    out.push(
      { label: t("Present|count"), value: count(here), small: t("of {n} marked", { n: count(a.marked) }), note: a.marked ? percent(here, a.marked) : "", tone: "good", href: "/app/attendance" },
      { label: t("Absent|count"), value: count(a.absent), note: d.absentees?.total ? t("{n} without a reason", { n: d.absentees.total }) : "", tone: "bad", href: "/app/attendance/absentees" },
      { label: t("Late|count"), value: count(a.late), href: "/app/attendance" },
      { label: t("On leave"), value: count(a.leave), href: "/app/leave" },
    )
  }
  if (d.fees) out.push({ label: t("Fees today"), value: money(d.fees.collectedToday), note: n(d.fees.receiptsToday, "{n} receipt", "{n} receipts"), href: "/app/fees" })
  return out
}

function Absentees({ of }: { of: NonNullable<Day["absentees"]> }) {
  return (
    <Card title={t("Absent without a reason")} badge={<Badge tone="bad">{of.total}</Badge>} action={<a href="/app/attendance/absentees">{t("All")}</a>} flush>
      <div class="scroll"><table>
        <thead class="sr"><tr><th scope="col">{t("Child")}</th><th scope="col">{t("Class")}</th><th scope="col">{t("Guardian")}</th><th scope="col">{t("Actions")}</th></tr></thead>
        <tbody>{of.items.slice(0, 10).map((a) => (
          <tr key={a.studentId}>
            <td><Who name={fullName(a)} href={`/app/students/${a.studentId}`} /></td>
            <td class="nowrap hide-sm">{a.className} {a.divisionName}</td>
            <td class="muted hide-sm"><bdi class="one">{a.guardianName ?? "–"}</bdi></td>
            <td class="act"><span class="row">
              {a.guardianPhone && <a class="btn sm icon" href={`tel:${a.guardianPhone}`} aria-label={t("Call {name}", { name: a.guardianName ?? "" })}><Icon name="phone" /></a>}
              {a.guardianUserId && may("write", "message") && <a class="btn sm icon" href={`/app/messages?to=${a.studentId}`} aria-label={t("Write to {name}", { name: a.guardianName ?? "" })}><Icon name="chat" /></a>}
            </span></td>
          </tr>
        ))}</tbody>
      </table></div>
    </Card>
  )
}

function Birthdays({ of }: { of: NonNullable<Day["birthdays"]>["items"] }) {
  return (
    <Card title={t("Birthdays")} flush>
      <ul class="list">{of.slice(0, 6).map((b) => (
        <li key={b.studentId ?? b.employeeId}><Icon name="cake" /><div class="grow"><b><bdi>{b.name}</bdi></b><p>{[t("{n} today", { n: b.age }), b.className && `${b.className} ${b.divisionName ?? ""}`].filter(Boolean).join(", ")}</p></div></li>
      ))}</ul>
    </Card>
  )
}

