import { useEffect } from "preact/hooks"
import type { Reply } from "../api/contract"
import { useGet } from "../shell/load"
import { query, setQuery } from "../shell/router"
import { Badge, Card, Facts, Head, Ready, Segments, type Tone } from "../ui/basics"
import { Bars, TimeChart, type Line } from "../ui/chart"
import { bytes, count, percent, shortDay, time, when, dateOf } from "../words/format"
import { n, t } from "../words/words"

type Status = Reply<"/super-admin/system/status", "get">
type Node = Status["nodes"][number]
type Point = Reply<"/super-admin/system/metrics", "get">["points"][number]

const refresh = 30_000

export default function System() {
  const hours = Number(query.value.get("hours") ?? "24")
  const status = useGet("/super-admin/system/status")
  const load = useGet("/super-admin/system/metrics", { hours })
  useEffect(() => {
    const timer = setInterval(() => { status.reload(); load.reload() }, refresh)
    return () => clearInterval(timer)
  }, [hours])
  return (
    <>
      <Head title={t("System")} sub={status.data && summary(status.data)}>
        <Segments label={t("Period")} value={String(hours)} onChange={(h) => setQuery({ hours: h === "24" ? "" : h })}
          options={[{ value: "1", text: t("1 hour") }, { value: "24", text: t("24 hours") }, { value: "168", text: t("7 days") }]} />
      </Head>
      <Ready of={load}>{(l) => <Charts points={l.points} hours={hours} backup={status.data?.lastBackup} />}</Ready>
      <Ready of={status}>{(s) => (
        <>
          <Card title={t("Nodes")} flush><Nodes nodes={s.nodes} /></Card>
          <div class="cols even">
            <Card title={t("Database")}><Facts items={[
              [t("Engine"), `${engine(s.database.engine)} ${s.database.version}`], [t("Size"), bytes(s.database.size)],
              [t("Connections"), t("{n} of {most}", { n: count(s.database.connections), most: count(s.database.maxConnections) })],
              [t("Statistics updated"), when(s.database.analyzedAt)],
              ...(s.database.engine === "postgres" ? [[t("Vacuumed"), when(s.database.vacuumedAt)] as [string, string]] : []),
              [t("Version"), s.version], [t("Commit"), <code>{s.commit.slice(0, 12)}</code>], [t("Built with"), s.go],
            ]} /></Card>
            <Card title={t("Largest tables")}><Bars label={t("Largest tables")} points={s.database.tables.map((x) => ({ label: x.name, value: x.size }))} show={bytes} /></Card>
          </div>
        </>
      )}</Ready>
    </>
  )
}

export function engine(name: Status["database"]["engine"]): string { return name === "sqlite" ? "SQLite" : "PostgreSQL" }

function summary(s: Status): string {
  const alive = s.nodes.filter((x) => x.state === "ALIVE").length
  const gone = s.nodes.filter((x) => x.state === "GONE").length
  const nodes = n(alive, "{n} node runs.", "{n} nodes run.")
  return [nodes, gone > 0 ? n(gone, "{n} is gone.", "{n} are gone.") : "", s.lastBackup ? "" : t("There is no backup yet.")].filter(Boolean).join(" ")
}

function Charts({ points, hours, backup }: { points: Point[]; hours: number; backup: Status["lastBackup"] | undefined }) {
  const times = points.map((p) => (hours > 24 ? `${shortDay(dateOf(p.at))} ${time(p.at)}` : time(p.at)))
  const ms = (v: number) => t("{n} ms", { n: v < 10 ? count(Math.round(v * 10) / 10) : count(Math.round(v)) })
  const share = (v: number) => percent(v, 1)
  const rate = (v: number) => count(Math.round(v * 10) / 10)
  return (
    <div class="tiles">
      <Chart title={t("Requests a second")} times={times} show={rate} lines={[{ name: t("Requests"), values: points.map((p) => p.requestsPerSecond) }]} />
      <Chart title={t("Response time")} note={t("99 of 100 answers; half of them in grey")} times={times} show={ms}
        lines={[{ name: t("99 of 100"), values: points.map((p) => p.p99) }, { name: t("half"), values: points.map((p) => p.p50) }]} />
      <Chart title={t("Failed requests")} note={t("the service's own faults")} times={times} show={share}
        lines={[{ name: t("Failed"), values: points.map((p) => p.errorShare) }]} />
      <Chart title={t("Jobs waiting")} times={times} show={count} lines={[{ name: t("Jobs"), values: points.map((p) => p.jobsWaiting) }]} />
      <Chart title={t("Live connections")} times={times} show={count} lines={[{ name: t("Connections"), values: points.map((p) => p.sockets) }]} />
      <Card title={t("Last backup")}>
        <p><span class="now">{backup ? when(backup.createdAt) : backup === null ? t("none yet") : ""}</span>{" "}
          {backup?.size && <span class="small muted">{bytes(backup.size)}</span>}</p>
        <p><a href="/app/platform/backups">{t("Backups")}</a></p>
      </Card>
    </div>
  )
}

function Chart({ title, note, times, lines, show }: { title: string; note?: string; times: string[]; lines: Line[]; show: (v: number) => string }) {
  const now = lines[0]!.values.findLast((v) => v !== null)
  return (
    <Card title={title}>
      <p><span class="now">{now === undefined || now === null ? "–" : show(now)}</span> {note && <span class="small muted">{note}</span>}</p>
      <TimeChart label={title} times={times} lines={lines} show={show} />
    </Card>
  )
}

const states = (): Record<Node["state"], [string, Tone]> => ({ ALIVE: [t("runs"), "good"], STOPPED: [t("stopped"), ""], GONE: [t("gone"), "bad"] })

function Nodes({ nodes }: { nodes: Node[] }) {
  if (nodes.length === 0) return <p class="in muted">{t("No node has reported yet.")}</p>
  return (
    <div class="scroll"><table aria-label={t("Nodes")}>
      <thead><tr>
        <th scope="col">{t("Name")}</th><th scope="col">{t("State")}</th><th scope="col" class="hide-sm">{t("Version")}</th><th scope="col" class="hide-sm">{t("Started")}</th>
        <th scope="col">{t("Last seen")}</th><th scope="col" class="num hide-md">{t("Live connections")}</th><th scope="col" class="num hide-sm">{t("Memory")}</th>
        <th scope="col" class="num hide-md">{t("Goroutines")}</th><th scope="col" class="num hide-md">{t("Database")}</th>
      </tr></thead>
      <tbody>{nodes.map((x) => (
        <tr key={x.id}>
          <td><span class="strong">{x.name}</span> {x.self && <span class="faint">{t("this one")}</span>}</td>
          <td><Badge tone={states()[x.state][1]}>{states()[x.state][0]}</Badge></td>
          <td class="hide-sm muted"><span class="one">{x.version}</span></td><td class="hide-sm muted nowrap">{when(x.startedAt)}</td><td class="muted nowrap">{when(x.seenAt)}</td>
          <td class="num hide-md">{count(x.sockets)}</td><td class="num hide-sm">{bytes(x.memory)}</td><td class="num hide-md">{count(x.goroutines)}</td>
          <td class="num hide-md">{t("{n} of {most}", { n: count(x.connections), most: count(x.maxConnections) })}</td>
        </tr>
      ))}</tbody>
    </table></div>
  )
}
