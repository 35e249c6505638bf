import { useGet } from "../shell/load"
import { config } from "../shell/config"
import { Bones, Card, Facts, Figures, Head, LinkButton, Ready, Who } from "../ui/basics"
import { Bars } from "../ui/chart"
import { count, when } from "../words/format"
import { n, t } from "../words/words"

export default function Overview() {
  const stats = useGet("/super-admin/dashboard/stats")
  const schools = useGet("/super-admin/school/list", { limit: 10 })
  return (
    <>
      <Head title={t("Platform")} sub={stats.data && said(stats.data.jobs.failed)}><LinkButton kind="go" icon="plus" href="/app/platform/schools?new=yes">{t("Add a school")}</LinkButton></Head>
      <Ready of={stats}>{(s) => (
        <Figures label={t("The platform in figures")} items={[
          { label: t("Schools"), value: count(s.schools.total), note: s.schools.suspended ? n(s.schools.suspended, "{n} suspended", "{n} suspended") : t("all active"), href: "/app/platform/schools" },
          { label: t("Students"), value: count(s.students) },
          { label: t("Active people"), value: count(s.activeUsers) },
          { label: t("Requests"), value: count(s.requests), note: t("since this node started") },
          { label: t("Jobs waiting"), value: count(s.jobs.waiting), note: s.jobs.failed ? n(s.jobs.failed, "{n} gave up", "{n} gave up") : t("none gave up"), tone: s.jobs.failed ? "bad" : "good", href: "/app/platform/jobs" },
        ]} />
      )}</Ready>
      <div class="cols">
        <Card title={t("Schools")} action={<a href="/app/platform/schools">{t("All schools")}</a>} flush>
          {schools.data ? (
            <div class="scroll"><table>
              <thead><tr><th scope="col">{t("School")}</th><th scope="col" class="num">{t("Students")}</th><th scope="col" class="num hide-sm">{t("People")}</th><th scope="col" class="hide-sm">{t("Last activity")}</th></tr></thead>
              <tbody>{schools.data.items.map((s) => <tr key={s.id}><td><Who name={s.name} href={`/app/platform/schools/${s.id}`} /></td><td class="num">{count(s.students)}</td><td class="num hide-sm">{count(s.users)}</td><td class="hide-sm muted">{when(s.lastActivityAt)}</td></tr>)}</tbody>
            </table></div>
          ) : <Bones />}
        </Card>
        <div class="stack far">
          {schools.data && schools.data.items.length > 0 && <Card title={t("Students by school")}><Bars label={t("Students by school")} points={schools.data.items.map((s) => ({ label: s.name, value: s.students }))} show={count} /></Card>}
          <Card title={t("This installation")}><Facts items={[[t("Version"), config.version], [t("Mode"), config.demo ? t("Demo") : t("In use")]]} /></Card>
        </div>
      </div>
    </>
  )
}

function said(failed: number): string { return failed ? n(failed, "{n} job gave up.", "{n} jobs gave up.") : t("Everything runs.") }
