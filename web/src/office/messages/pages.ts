import type { Page } from "../../shell/router"

export const pages: Page[] = [
  { path: "/app/messages", load: () => import("./inbox") },
]
