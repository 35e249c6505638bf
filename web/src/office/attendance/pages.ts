import type { Page } from "../../shell/router"

export const pages: Page[] = [
  { path: "/app/attendance", load: () => import("./day"), module: "attendance" },
  { path: "/app/attendance/absentees", load: () => import("./absentees"), module: "attendance" },
  { path: "/app/attendance/report", load: () => import("./report"), module: "attendance" },
  { path: "/app/attendance/{classId}/{divisionId}", load: () => import("./division"), module: "attendance" },
]
