import { useState } from "preact/hooks"
import { may } from "../../api/session"
import { useGet } from "../../shell/load"
import { useKey } from "../../shell/keys"
import { Badge, Button, Figures, Head, LinkButton, Ready, Who } from "../../ui/basics"
import { List, type Column } from "../../ui/list"
import { due, money, when } from "../../words/format"
import { t } from "../../words/words"
import { FeeTabs } from "./tabs"
import { Gap, TillDialog, type Sheet, type Till, type TillTask } from "./till"

const gapText = (x: Till) => (x.difference === null ? "" : x.difference === 0 ? t("right") : x.difference)

const columns = (): Column<Till>[] => [
  { key: "opened", label: t("Opened"), sort: "openedAt", text: (x) => x.openedAt, cell: (x) => <a class="nowrap strong" href={`/app/fees/tills/${x.id}`}>{when(x.openedAt)}</a> },
  { key: "person", label: t("Person"), text: (x) => x.userName, cell: (x) => <Who name={x.userName ?? "–"} /> },
  { key: "status", label: t("Status"), text: (x) => (x.status === "OPEN" ? t("open") : t("closed")),
    cell: (x) => (x.status === "OPEN" ? <Badge tone="info">{t("open")}</Badge> : <Badge>{t("closed")}</Badge>), hide: "sm" },
  { key: "closed", label: t("Closed"), text: (x) => x.closedAt, cell: (x) => x.closedAt && <span class="nowrap">{when(x.closedAt)}</span>, hide: "md" },
  { key: "float", label: t("Float"), num: true, text: (x) => x.float, cell: (x) => due(x.float), hide: "md" },
  { key: "expected", label: t("Expected"), num: true, text: (x) => x.expected, cell: (x) => money(x.expected), hide: "sm" },
  { key: "counted", label: t("Counted"), num: true, text: (x) => x.counted, cell: (x) => (x.counted === null ? "–" : money(x.counted)), hide: "sm" },
  { key: "difference", label: t("Difference"), num: true, text: gapText, cell: (x) => <Gap of={x.difference} /> },
  { key: "note", label: t("Note"), text: (x) => x.note, cell: (x) => x.note && <span class="one">{x.note}</span>, hide: "md" },
]

export default function Tills() {
  const writes = may("write", "fee")
  const mine = useGet("/school-admin/fee/till/mine")
  const [task, setTask] = useState<TillTask>()
  const till = mine.data?.till ?? undefined
  useKey("n", t("Open a till"), () => { if (writes && mine.data && !till) setTask("open") })
  return (
    <>
      <Head title={t("Tills")} sub={t("The cash of each person at the counter, from the float to the count.")}>
        {writes && mine.data && !till && <Button kind="go" icon="plus" hint="N" onClick={() => setTask("open")}>{t("Open a till")}</Button>}
      </Head>
      <FeeTabs current="tills" />
      <Ready of={mine} rows={2}>{(m) => m.till && <Mine till={m.till} writes={writes} ask={setTask} />}</Ready>
      <List path="/school-admin/fee/till/list" name="tills" search={t("Name of the person")} columns={columns()} open={(x) => `/app/fees/tills/${x.id}`}
        filters={[
          { name: "status", label: t("Status"), options: [{ value: "OPEN", text: t("open") }, { value: "CLOSED", text: t("closed") }] },
          { name: "difference", label: t("Difference"), options: [{ value: "ANY", text: t("does not balance") }, { value: "SHORT", text: t("cash is missing") },
            { value: "OVER", text: t("too much cash") }, { value: "NONE", text: t("right") }] },
          { name: "from", label: t("From"), kind: "date" }, { name: "to", label: t("Until"), kind: "date" },
        ]}
        empty={{ icon: "coin", title: t("No tills yet"), text: t("A till is optional: payments are taken without one, too.") }} />
      {task && <TillDialog task={task} till={till} onClose={() => setTask(undefined)} />}
    </>
  )
}

function Mine({ till, writes, ask }: { till: Sheet; writes: boolean; ask: (task: TillTask) => void }) {
  const cash = till.byMethod.find((m) => m.method === "CASH")
  return (
    <section class="card own-till" aria-label={t("Your till")}>
      <header><h2>{t("Your till")}</h2><Badge tone="info">{t("open since {time}", { time: when(till.openedAt) })}</Badge><span class="push" />
        {writes && <><Button size="sm" kind="plain" icon="pen" onClick={() => ask("float")}>{t("Correct the float")}</Button>
          <Button size="sm" kind="go" icon="check" onClick={() => ask("close")}>{t("Count and close")}</Button></>}
        <LinkButton size="sm" href={`/app/fees/tills/${till.id}`}>{t("Show the sheet")}</LinkButton></header>
      <Figures label={t("Cash of your till")} items={[
        { label: t("Float"), value: money(till.float) }, { label: t("Cash taken"), value: money(cash?.received ?? 0) },
        { label: t("Cash given back"), value: due(cash?.returned ?? 0) }, { label: t("Expected in the drawer"), value: money(till.expected) },
      ]} />
    </section>
  )
}
