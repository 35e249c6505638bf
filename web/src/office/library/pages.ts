import type { Page } from "../../shell/router"

export const pages: Page[] = [
  { path: "/app/library", load: () => import("./counter") },
  { path: "/app/library/loans", load: () => import("./loans") },
  { path: "/app/library/books", load: () => import("./books") },
  { path: "/app/library/books/{id}", load: () => import("./book") },
  { path: "/app/library/reservations", load: () => import("./reservations") },
  { path: "/app/library/rules", load: () => import("./rules") },
]
