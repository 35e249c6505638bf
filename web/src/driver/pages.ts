import type { Page } from "../shell/router"
import * as home from "./home"

export const pages: Page[] = [
  { path: "/app/home", load: async () => home },
  { path: "/app/trips", load: () => import("./trips") },
  { path: "/app/trips/{id}", load: () => import("./trip") },
  { path: "/app/leave", load: () => import("../pocket/leave") },
  { path: "/app/incident", load: () => import("./incident") },
]
