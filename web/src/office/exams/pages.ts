import type { Page } from "../../shell/router"

export const pages: Page[] = [
  { path: "/app/exams", load: () => import("./list"), module: "exam" },
  { path: "/app/exams/grades", load: () => import("./grades"), module: "exam" },
  { path: "/app/exams/{id}", load: () => import("./papers"), module: "exam" },
  { path: "/app/exams/{id}/marks", load: () => import("./marks"), module: "result" },
  { path: "/app/exams/{id}/results", load: () => import("./results"), module: "result" },
  { path: "/app/exams/{id}/analysis", load: () => import("./analysis"), module: "result" },
  { path: "/app/exams/{id}/card/{studentId}", load: () => import("./card"), module: "result" },
]
