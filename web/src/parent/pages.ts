import { ahead } from "../shell/load"
import type { Page } from "../shell/router"
import * as home from "./home"

export const pages: Page[] = [
  { path: "/app/home", load: async () => home, ahead: () => ahead("/parent/home") },
  { path: "/app/bus", load: () => import("./bus/bus") },
  { path: "/app/school", load: () => import("./school") },
  { path: "/app/child/{id}", load: () => import("./child") },
  { path: "/app/child/{id}/attendance", load: () => import("./attendance") },
  { path: "/app/child/{id}/results", load: () => import("./results") },
  { path: "/app/child/{id}/timetable", load: () => import("./timetable") },
  { path: "/app/fees", load: () => import("./fees") },
  { path: "/app/fees/{id}", load: () => import("./statement") },
  { path: "/app/leave", load: () => import("./leave") },
  { path: "/app/leave/new", load: () => import("./apply") },
  { path: "/app/books", load: () => import("./books") },
  { path: "/app/events", load: () => import("./events") },
  { path: "/app/contact", load: () => import("./contact") },
]
