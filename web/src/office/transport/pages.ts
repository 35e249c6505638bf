import type { Page } from "../../shell/router"

export const pages: Page[] = [
  { path: "/app/transport", load: () => import("./live") },
  { path: "/app/live", load: () => import("./live") }, // old links
  { path: "/app/transport/buses", load: () => import("./buses") },
  { path: "/app/transport/routes", load: () => import("./routes") },
  { path: "/app/transport/routes/{id}", load: () => import("./route") },
  { path: "/app/transport/trips", load: () => import("./trips") },
  { path: "/app/transport/trips/{id}", load: () => import("./trip") },
  { path: "/app/transport/incidents", load: () => import("./incidents") },
]
