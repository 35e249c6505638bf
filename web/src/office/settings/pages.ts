import type { Page } from "../../shell/router"

export const pages: Page[] = [
  { path: "/app/settings", load: () => import("./settings") },
  { path: "/app/settings/webhooks", load: () => import("./webhooks") },
]
