import type { Page } from "../../shell/router"

export const pages: Page[] = [
  { path: "/app/fees", load: () => import("./overview") },
  { path: "/app/fees/counter", load: () => import("./counter") },
  { path: "/app/fees/dues", load: () => import("./dues") },
  { path: "/app/fees/daybook", load: () => import("./daybook") },
  { path: "/app/fees/trial-balance", load: () => import("./trial") },
  { path: "/app/fees/receipts", load: () => import("./receipts") },
  { path: "/app/fees/receipts/{id}", load: () => import("./receipt") },
  { path: "/app/fees/refunds", load: () => import("./refunds") },
  { path: "/app/fees/openings", load: () => import("./openings") },
]
