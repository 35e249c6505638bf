// Who rides on a route, at which stop, in the morning and in the afternoon.
import { useEffect, useState } from "preact/hooks"
import { get, put } from "../../api/client"
import type { Row } from "../../api/contract"
import { may } from "../../api/session"
import { asFault, changed, useGet, useLoad } from "../../shell/load"
import { say } from "../../shell/toast"
import { Avatar, Badge, Button, Card, Icon, Ready, State, Who } from "../../ui/basics"
import { fullName } from "../../words/format"
import { n, t } from "../../words/words"
import type { Route } from "./words"

type Rider = Row<"/school-admin/transport/route/{id}/students">

async function everyone(id: string): Promise<Rider[]> {
  const all: Rider[] = []
  for (let page = 1, pages = 1; page <= pages; page++) {
    const reply = await get("/school-admin/transport/route/{id}/students", { limit: 100, page }, { path: { id } })
    all.push(...reply.items)
    pages = reply.totalPages
  }
  return all
}

const body = (list: Rider[]) => ({ students: list.map(({ studentId, stopId, pickup, dropoff }) => ({ studentId, stopId, pickup, dropoff })) })

export function Riders({ route }: { route: Route }) {
  const loaded = useLoad(`riders:${route.id}`, () => everyone(route.id))
  return <Card title={t("Riders")} badge={loaded.data && <Badge>{loaded.data.length}</Badge>} flush>
    <Ready of={loaded}>{(list) => <Edited key={JSON.stringify(list)} route={route} saved={list} />}</Ready></Card>
}

function Edited({ route, saved }: { route: Route; saved: Rider[] }) {
  const [list, setList] = useState(saved)
  const [fault, setFault] = useState("")
  const [busy, setBusy] = useState(false)
  const writes = may("write", "transport")
  const dirty = JSON.stringify(list) !== JSON.stringify(saved)
  const change = (id: string, v: Partial<Rider>) => setList((old) => old.map((r) => (r.studentId === id ? { ...r, ...v } : r)))
  const order = (r: Rider) => route.stops.findIndex((s) => s.id === r.stopId)
  async function save() {
    setBusy(true)
    try {
      await put("/school-admin/transport/route/{id}/students", body(list), { path: { id: route.id } })
      setFault("")
      changed()
      say(n(list.length, "{n} rider is saved.", "{n} riders are saved."), () => put("/school-admin/transport/route/{id}/students", body(saved), { path: { id: route.id } }))
    } catch (e) {
      setFault(asFault(e).message)
    } finally {
      setBusy(false)
    }
  }
  return (
    <>
      {fault && <div class="pad"><div class="summary" role="alert"><b>{fault}</b></div></div>}
      {writes && route.stops.length > 0
        && <div class="pad"><AddRider taken={list.map((r) => r.studentId)}
          add={(s) => setList((old) => [{ ...s, stopId: route.stops[0]!.id, stopName: route.stops[0]!.name, stopOrder: 1, pickup: true, dropoff: true }, ...old])} /></div>}
      {list.length === 0 ? <State icon="people" title={t("Nobody rides on this route yet")} /> : (
        <div class="scroll"><table>
          <thead><tr><th scope="col">{t("Child")}</th><th scope="col">{t("Stop")}</th><th scope="col">{t("To school")}</th><th scope="col">{t("Back home")}</th>
            {writes && <th scope="col"><span class="sr">{t("Actions")}</span></th>}</tr></thead>
          <tbody>{list.toSorted((a, b) => order(a) - order(b)).map((r) => (
            <tr key={r.studentId}>
              <td><Who name={fullName(r)} href={`/app/students/${r.studentId}`} note={<span class="hide-sm">{r.admissionNo}</span>} /></td>
              <td><select class="input riderstop" disabled={!writes} aria-label={t("Stop of {name}", { name: fullName(r) })} value={r.stopId}
                onChange={(e) => change(r.studentId, { stopId: e.currentTarget.value })}>{route.stops.map((s) => <option key={s.id} value={s.id}>{s.name}</option>)}</select></td>
              <td><input type="checkbox" disabled={!writes} aria-label={t("{name} rides to school", { name: fullName(r) })} checked={r.pickup}
                onChange={(e) => change(r.studentId, { pickup: e.currentTarget.checked })} /></td>
              <td><input type="checkbox" disabled={!writes} aria-label={t("{name} rides home", { name: fullName(r) })} checked={r.dropoff}
                onChange={(e) => change(r.studentId, { dropoff: e.currentTarget.checked })} /></td>
              {writes && <td class="act">
                <Button kind="plain" size="sm" icon="x" aria-label={t("Take away {name}", { name: fullName(r) })}
                  onClick={() => setList((old) => old.filter((x) => x.studentId !== r.studentId))} /></td>}
            </tr>
          ))}</tbody>
        </table></div>
      )}
      {dirty && <div class="row pad"><span class="muted small grow">{t("Not saved yet")}</span>
        <Button kind="plain" onClick={() => { setList(saved); setFault("") }}>{t("Discard")}</Button>
          <Button kind="go" busy={busy} onClick={() => void save()}>{n(list.length, "Save {n} rider", "Save {n} riders")}</Button></div>}
    </>
  )
}

function AddRider({ taken, add }: { taken: string[]; add: (s: { studentId: string; admissionNo: string; firstName: string; lastName: string | null }) => void }) {
  const [text, setText] = useState("")
  const [asked, setAsked] = useState("")
  useEffect(() => { const timer = setTimeout(() => setAsked(text.trim()), 200); return () => clearTimeout(timer) }, [text])
  const found = useGet(asked.length > 1 ? "/school-admin/student/list" : null, { search: asked, status: "ACTIVE", limit: 6 })
  const hits = (found.data?.items ?? []).filter((s) => !taken.includes(s.id))
  const pick = (s: (typeof hits)[number]) => { add({ studentId: s.id, admissionNo: s.admissionNo, firstName: s.firstName, lastName: s.lastName ?? null }); setText("");
    setAsked("") }
  const label = t("Add a child by name or admission no.")
  return (
    <div class="stack">
      <span class="with"><Icon name="search" />
        <input class="input" type="search" aria-label={label} placeholder={label} value={text} onInput={(e) => setText(e.currentTarget.value)}
          onKeyDown={(e) => { if (e.key === "Enter" && hits[0]) { e.preventDefault(); pick(hits[0]) } }} /></span>
      {hits.length > 0 && <ul class="hitlist">
        {hits.map((s) => <li key={s.id}>
          <button type="button" onClick={() => pick(s)}><Avatar name={fullName(s)} photo={s.photoThumbnailUrl} /><bdi>{fullName(s)}</bdi>
            <span class="faint">{s.className} {s.divisionName}</span></button></li>)}</ul>}
    </div>
  )
}
