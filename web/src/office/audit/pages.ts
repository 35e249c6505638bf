import type { Page } from "../../shell/router"

export const pages: Page[] = [
  { path: "/app/audit", load: () => import("./log") },
  { path: "/app/audit/reads", load: () => import("./reads") },
  { path: "/app/audit/sign-ins", load: () => import("./signins") },
]
