import type { Page } from "../shell/router"
import * as home from "./home"

export const pages: Page[] = [
  { path: "/app/home", load: async () => home },
  { path: "/app/mark/{classId}/{divisionId}", load: () => import("./mark") },
  { path: "/app/classes", load: () => import("./children") },
  { path: "/app/children/{id}", load: () => import("./child") },
  { path: "/app/exams", load: () => import("./exams") },
  { path: "/app/exams/{examId}/{classId}/{subjectId}", load: () => import("./entry") },
  { path: "/app/leaves", load: () => import("./leaves") },
  { path: "/app/leave", load: () => import("../pocket/leave") },
  { path: "/app/news", load: () => import("./news") },
  { path: "/app/news/new", load: () => import("./write") },
  { path: "/app/news/{id}", load: () => import("./one") },
  { path: "/app/events", load: () => import("./events") },
  { path: "/app/timetable", load: () => import("./timetable") },
]
