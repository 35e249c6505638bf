import type { Page } from "../../shell/router"

export const pages: Page[] = [
  { path: "/app/timetable", load: () => import("./division"), module: "timetable" },
  { path: "/app/timetable/teacher", load: () => import("./teacher"), module: "timetable" },
  { path: "/app/timetable/cover", load: () => import("./cover"), module: "timetable" },
  { path: "/app/timetable/changes", load: () => import("./changes"), module: "timetable" },
]
