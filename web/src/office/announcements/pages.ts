import type { Page } from "../../shell/router"

export const pages: Page[] = [
  { path: "/app/announcements", load: () => import("./list") },
  { path: "/app/announcements/new", load: () => import("./new") },
  { path: "/app/announcements/events", load: () => import("./events") },
  { path: "/app/announcements/deliveries", load: () => import("./deliveries") },
  { path: "/app/announcements/notifications", load: () => import("./notifications") },
  { path: "/app/announcements/{id}", load: () => import("./one") },
]
