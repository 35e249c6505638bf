// The end of a trip: nobody may be left asleep on the bus.
import { useState } from "preact/hooks"
import { later } from "../api/queue"
import { go } from "../shell/router"
import { say } from "../shell/toast"
import { Button } from "../ui/basics"
import { Dialog } from "../ui/dialog"
import { n, t } from "../words/words"
import { laneOf, tripName, type Rider, type Trip } from "./plan"
import { nameOf, setStatus } from "./rider"

export function EndTrip({ trip, riders, onClose }: { trip: Trip; riders: Rider[]; onClose: () => void }) {
  const [searched, setSearched] = useState(false)
  const aboard = trip.type === "dropoff" ? riders.filter((r) => r.status === "boarded") : []
  async function end() {
    await later("/driver/bus-tracking/trips/{tripId}/end", { confirmEmpty: true }, { label: t("End of the trip: {trip}", { trip: tripName(trip) }), lane: laneOf(trip.id), about: "trip", params: { tripId: trip.id } })
    say(t("The trip has ended."))
    go("/app/home")
  }
  return (
    <Dialog title={t("Is anyone still on the bus?")} onClose={onClose} footer={<Button kind="go" disabled={!searched || aboard.length > 0} onClick={() => void end()}>{t("End the trip")}</Button>}>
      <div class="stack loose">
        {aboard.length > 0 && (
          <>
            <p role="alert">{n(aboard.length, "{n} child is marked as on board. Say where they are before you end the trip.", "{n} children are marked as on board. Say where they are before you end the trip.")}</p>
            {aboard.map((r) => (
              <div class="row wide" key={r.studentId}><b class="grow"><bdi>{nameOf(r)}</bdi></b>
                <Button size="sm" aria-label={t("{name} got off", { name: nameOf(r) })} onClick={() => void setStatus(trip.id, r, "alighted")}>{t("Got off")}</Button></div>
            ))}
          </>
        )}
        <p>{t("Stop the engine. Walk to the last row and look on and under every seat.")}</p>
        <label class="check"><input type="checkbox" checked={searched} onChange={(e) => setSearched(e.currentTarget.checked)} /><span>{t("I walked to the last row. The bus is empty.")}</span></label>
      </div>
    </Dialog>
  )
}
