import type { Page } from "../../shell/router"

export const pages: Page[] = [
  { path: "/app/leave", load: () => import("./list"), module: "leave" },
  { path: "/app/leave/balances", load: () => import("./balances"), module: "leave" },
]
