import { get, post, put, remove } from "../api/client"
import { Webhooks, type Calls } from "../ui/webhooks"

const calls: Calls = {
  events: () => get("/super-admin/webhook/events"),
  one: (path) => get("/super-admin/webhook/{id}", undefined, { path }),
  create: (v) => post("/super-admin/webhook/create", v),
  change: (path, v, key) => put("/super-admin/webhook/{id}", v, { path, ...(key && { key }) }),
  drop: (path) => remove("/super-admin/webhook/{id}", { path }),
  rotate: (path) => post("/super-admin/webhook/{id}/rotate", undefined, { path }),
  test: (path) => post("/super-admin/webhook/{id}/test", undefined, { path }),
  replay: (path, since) => post("/super-admin/webhook/{id}/replay", { since }, { path }),
  deliveries: (path) => get("/super-admin/webhook/{id}/deliveries", { limit: 100 }, { path }),
  retry: (path) => post("/super-admin/webhook/{id}/deliveries/{eventId}/retry", undefined, { path }),
}

export default function PlatformWebhooks() { return <Webhooks path="/super-admin/webhook/list" calls={calls} write={true} /> }
