import type { Page } from "../../shell/router"

export const pages: Page[] = [
  { path: "/app/students", load: () => import("./list") },
]
