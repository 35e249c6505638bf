import { get, post, put, remove } from "../../api/client"
import { may } from "../../api/session"
import { Webhooks, type Calls } from "../../ui/webhooks"
import { OneRoster } from "./oneroster"

const calls: Calls = {
  events: () => get("/school-admin/webhook/events"),
  one: (path) => get("/school-admin/webhook/{id}", undefined, { path }),
  create: (v) => post("/school-admin/webhook/create", v),
  change: (path, v, key) => put("/school-admin/webhook/{id}", v, { path, ...(key && { key }) }),
  drop: (path) => remove("/school-admin/webhook/{id}", { path }),
  rotate: (path) => post("/school-admin/webhook/{id}/rotate", undefined, { path }),
  test: (path) => post("/school-admin/webhook/{id}/test", undefined, { path }),
  replay: (path, since) => post("/school-admin/webhook/{id}/replay", { since }, { path }),
  deliveries: (path) => get("/school-admin/webhook/{id}/deliveries", { limit: 100 }, { path }),
  retry: (path) => post("/school-admin/webhook/{id}/deliveries/{eventId}/retry", undefined, { path }),
}

export default function SchoolWebhooks() {
  return <><Webhooks path="/school-admin/webhook/list" calls={calls} write={may("write", "setting")} /><OneRoster /></>
}
