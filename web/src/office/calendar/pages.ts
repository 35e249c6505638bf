import type { Page } from "../../shell/router"

export const pages: Page[] = [
  { path: "/app/calendar", load: () => import("./holidays"), module: "setting" },
  { path: "/app/calendar/years", load: () => import("./years"), module: "setting" },
]
