import type { Page } from "../../shell/router"

export const pages: Page[] = [
  { path: "/app/students", load: () => import("./list") },
  { path: "/app/students/new", load: () => import("./new") },
  { path: "/app/students/move", load: () => import("./move") },
  { path: "/app/students/promote", load: () => import("./promote") },
  { path: "/app/students/{id}", load: () => import("./profile") },
]
