import type { Page } from "../../shell/router"

export const pages: Page[] = [
  { path: "/app/fees/counter", load: () => import("./counter") },
]
