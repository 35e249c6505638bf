import type { Page } from "../../shell/router"

export const pages: Page[] = [
  { path: "/app/classes", load: () => import("./classes") },
  { path: "/app/classes/subjects", load: () => import("./subjects") },
  { path: "/app/classes/electives", load: () => import("./electives") },
]
