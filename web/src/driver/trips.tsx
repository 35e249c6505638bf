// Earlier trips, newest first.
import { useState } from "preact/hooks"
import { Screen } from "../pocket/screen"
import { useGet } from "../shell/load"
import { Button, Card, Ready, State } from "../ui/basics"
import { date } from "../words/format"
import { t } from "../words/words"
import { TripLine } from "./home"

export default function Trips() {
  const [page, setPage] = useState(1)
  const trips = useGet("/driver/trip/list", { status: "completed", sort: "date", order: "desc", page, limit: 20 })
  return (
    <Screen title={t("Earlier trips")} back="/app/home">
      <Ready of={trips}>{({ items, totalPages }) => (
        <>
          {items.length === 0 && <State icon="bus" title={t("No trips yet")} />}
          {[...new Set(items.map((x) => x.date))].map((day) => <Card key={day} title={date(day)} flush>{items.filter((x) => x.date === day).map((x) => <TripLine key={x.id} trip={x} />)}</Card>)}
          {totalPages > 1 && (
            <div class="pair">
              <Button disabled={page === 1} onClick={() => setPage(page - 1)}>{t("Newer")}</Button>
              <Button disabled={page >= totalPages} onClick={() => setPage(page + 1)}>{t("Older")}</Button>
            </div>
          )}
        </>
      )}</Ready>
    </Screen>
  )
}
