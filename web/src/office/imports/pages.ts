import type { Page } from "../../shell/router"

export const pages: Page[] = [
  { path: "/app/import/{kind}", load: () => import("./wizard") },
]
