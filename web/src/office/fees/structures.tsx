import { remove, post } from "../../api/client"
import { may } from "../../api/session"
import { changed } from "../../shell/load"
import { useKey } from "../../shell/keys"
import { go } from "../../shell/router"
import { say, sayFault } from "../../shell/toast"
import { Head, LinkButton } from "../../ui/basics"
import { useClasses, yearOptions } from "../../ui/choices"
import { Menu } from "../../ui/dialog"
import { List, type Column } from "../../ui/list"
import { money } from "../../words/format"
import { t } from "../../words/words"
import { sum } from "./amount"
import { FeeTabs } from "./tabs"
import { fineText, frequencyText, type Structure } from "./words"

const itemsText = (s: Structure) => s.items.map((i) => `${i.feeHead} ${money(i.amount)} ${frequencyText(i.frequency)}${i.isOptional ? ` (${t("optional")})` : ""}`).join(", ")

/** What a student without extras pays in a year. */
export function perYear(s: Structure): number {
  const times: Record<Structure["items"][number]["frequency"], number> = { MONTHLY: 12, QUARTERLY: 4, TERM: s.termsPerYear, YEARLY: 1, ONCE: 1 }
  return sum(s.items.filter((i) => !i.isOptional && !i.category).map((i) => i.amount * times[i.frequency]))
}

const columns = (): Column<Structure>[] => [
  { key: "class", label: t("Class"), sort: "className", text: (s) => s.className,
    cell: (s) => <a class="strong nowrap" href={`/app/fees/structures/${s.classId}`}>{s.className}</a> },
  { key: "items", label: t("Charges"), text: itemsText, cell: (s) => <span class="muted">{itemsText(s)}</span> },
  { key: "fine", label: t("When late"), text: (s) => fineText(s.lateFine), cell: (s) => <span class="nowrap">{fineText(s.lateFine)}</span>, hide: "md" },
  { key: "year", label: t("A year, without extras"), num: true, text: perYear, cell: (s) => money(perYear(s)), hide: "sm" },
]

export default function Structures() {
  const writes = may("write", "fee")
  const classes = useClasses()
  useKey("n", t("Add a fee structure"), () => { if (writes) go("/app/fees/structures/new") })
  async function drop(s: Structure) {
    try {
      await remove("/school-admin/fee/structure/{id}", { path: { id: s.id } })
      changed()
      const items = s.items.map(({ id: _, feeHead: __, category, ...i }) => ({ ...i, ...(category && { category }) }))
      say(t("The fee structure of {class} is deleted.", { class: s.className }),
        () => post("/school-admin/fee/structure/create", { classId: s.classId, items, lateFine: s.lateFine, termsPerYear: s.termsPerYear }))
    } catch (e) { sayFault(e) }
  }
  return (
    <>
      <Head title={t("Fee structures")} sub={t("What each class is charged, and when.")}>
        <LinkButton href="/app/fees/heads">{t("Fee heads")}</LinkButton>
        {writes && <LinkButton href="/app/fees/structures/new" icon="plus" kind="go" hint="N">{t("Add a fee structure")}</LinkButton>}
      </Head>
      <FeeTabs current="structures" />
      <List path="/school-admin/fee/structure/list" name="fee-structures" columns={columns()} open={(s) => `/app/fees/structures/${s.classId}`}
        filters={[{ name: "classId", label: t("Class"), options: classes.options }, { name: "academicYearId", label: t("Year"), options: yearOptions() }]}
        rowActions={writes ? (s) => <Menu size="sm" label={t("More for {name}", { name: s.className })} items={[
          { text: t("Edit"), icon: "pen", href: `/app/fees/structures/${s.classId}` },
          { text: t("Charge this class"), icon: "coin", href: `/app/fees/charge?classId=${s.classId}` },
          { text: t("Delete"), icon: "x", danger: true, hidden: !may("delete", "fee"), run: () => void drop(s) },
        ]} /> : undefined}
        empty={{ icon: "coin", title: t("No fee structures yet"), text: t("Say what each class pays; then a month is charged in one go.") }} />
    </>
  )
}
