import type { Page } from "../shell/router"

export const pages: Page[] = [
  { path: "/app/home", load: () => import("./home") },
]
