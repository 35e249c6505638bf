import type { Page } from "../../shell/router"

export const pages: Page[] = [
  { path: "/app/guardians", load: () => import("./list") },
  { path: "/app/guardians/changes", load: () => import("./changes") },
  { path: "/app/guardians/{id}", load: () => import("./detail") },
]
