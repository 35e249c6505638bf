import type { Page } from "../shell/router"

export const pages: Page[] = [
  { path: "/app/home", load: () => import("./home") },
  { path: "/app/trips", load: () => import("./trips") },
  { path: "/app/trips/{id}", load: () => import("./trip") },
  { path: "/app/incident", load: () => import("./incident") },
]
