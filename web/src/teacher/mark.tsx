// Marking a class: everyone is present, tap who isn't here.
import { useEffect, useState } from "preact/hooks"
import { keeping } from "../api/vault"
import { Screen } from "../pocket/screen"
import { go, query } from "../shell/router"
import { say, sayFault } from "../shell/toast"
import { Banner, Bones, Button, Ready, State } from "../ui/basics"
import { date, fullName, longDate, today } from "../words/format"
import { t } from "../words/words"
import { divisionName, useDivisions } from "./classes"
import { clashes, settleAll } from "./clash"
import { Clashes } from "./clashes"
import { Dock, Remark } from "./dock"
import { Kids } from "./kids"
import { takeBack, useMarking, type Child } from "./marking"
import { tally } from "./marks"
import { nameOf, type Spot } from "./register"
import { Which } from "./which"

export default function Mark({ params }: { params: Record<string, string> }) {
  const period = Number(query.value.get("period") ?? 0)
  const spot: Spot = {
    classId: params["classId"]!, divisionId: params["divisionId"] === "all" ? undefined : params["divisionId"],
    date: query.value.get("date") ?? today(), periodNo: period || undefined,
  }
  return <Marking key={nameOf(spot)} spot={spot} />
}

function Marking({ spot }: { spot: Spot }) {
  const divisions = useDivisions()
  const label = divisionName(divisions.data, spot)
  const m = useMarking(spot, label)
  const [choosing, setChoosing] = useState(false)
  const [remark, setRemark] = useState<Child>()
  const [busy, setBusy] = useState(false)
  useEffect(() => { void settleAll() }, [])
  const holiday = m.register.data?.holiday
  const now = remark && m.children.find((c) => c.row.studentId === remark.row.studentId)
  async function finish() {
    setBusy(true)
    try {
      const sent = await m.done()
      if (sent.length) say(`${label}: ${tally(m.children.map((c) => c.mark))}.`, () => takeBack(spot, label, sent))
      go("/app/home")
    } catch (e) {
      sayFault(e)
      setBusy(false)
    }
  }
  const dock = !holiday && m.children.length > 0 && m.ready && (
    <Dock last={m.last} period={!!spot.periodNo} onSet={m.set} onRemark={setRemark}>
      <Button kind="go" class="full" busy={busy} onClick={() => void finish()}>{t("Done: {tally}", { tally: tally(m.children.map((c) => c.mark)) })}</Button>
    </Dock>
  )
  return (
    <Screen title={label} sub={<When spot={spot} />} back="/app/home" dock={dock}
      action={<Button kind="plain" icon="cal" aria-label={t("Another day or lesson")} onClick={() => setChoosing(true)} />}>
      <Clashes of={clashes.value.filter((c) => nameOf(c.spot) === nameOf(spot))} />
      {m.refused && <Banner tone="bad" icon="alert"><p role="alert"><b>{t("The marks were not accepted.")}</b> {m.refused.message}</p>{m.refused.details.map((d) => <p key={d.field}>{d.message}</p>)}</Banner>}
      <Ready of={m.register} rows={12}>{(register) => (
        !m.ready ? <Bones rows={12} />
        : holiday ? <State icon="sun" title={t("No school on this day")}><p><bdi>{holiday}</bdi></p></State>
        : register.items.length === 0 ? <State icon="people" title={t("No students in this division")} />
        : <>
          {!register.isSchoolDay && <Banner tone="warn">{t("There is no school on this day. You can mark it all the same.")}</Banner>}
          <p class="hint"><b>{t("Tap who isn’t here:")}</b> {t("once absent, twice late.")} <Kept dirty={m.dirty} kept={m.kept} waits={m.waits} /></p>
          <Kids of={label} list={m.children} last={m.last?.row.studentId} onTap={m.tap} />
        </>
      )}</Ready>
      {choosing && <Which spot={spot} onClose={() => setChoosing(false)} />}
      {now && <Remark name={fullName(now.row)} mark={now.mark} onSet={(mark) => m.set(now, mark)} onClose={() => setRemark(undefined)} />}
    </Screen>
  )
}

/** What became of the taps. */
function Kept({ dirty, kept, waits }: { dirty: boolean; kept: boolean; waits: boolean }) {
  return <span class="keep" data-kept={kept}>{!keeping() ? "" : dirty && kept ? t("Kept on this phone.") : !dirty && waits ? t("Kept on this phone, not sent yet.") : ""}</span>
}

function When({ spot }: { spot: Spot }) {
  const day = spot.date === today() ? t("Today, {date}", { date: date(spot.date) }) : longDate(spot.date)
  return <>{day}{spot.periodNo && `, ${t("period {n}", { n: spot.periodNo })}`}</>
}
