import type { Page } from "../../shell/router"

export const pages: Page[] = [
  { path: "/app/setup-school", load: () => import("./setup") },
]
