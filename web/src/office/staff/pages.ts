import type { Page } from "../../shell/router"

export const pages: Page[] = [
  { path: "/app/staff", load: () => import("./list") },
  { path: "/app/staff/roles", load: () => import("./roles") },
  { path: "/app/staff/{id}", load: () => import("./employee") },
]
