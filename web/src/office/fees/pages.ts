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
  { path: "/app/fees/tills", load: () => import("./tills") },
  { path: "/app/fees/tills/{id}", load: () => import("./till_sheet") },
  { path: "/app/fees/openings", load: () => import("./openings") },
  { path: "/app/fees/heads", load: () => import("./heads") },
  { path: "/app/fees/structures", load: () => import("./structures") },
  { path: "/app/fees/structures/{classId}", load: () => import("./structure") },
  { path: "/app/fees/charge", load: () => import("./charge") },
  { path: "/app/fees/charges", load: () => import("./charges") },
  { path: "/app/fees/concessions", load: () => import("./concessions") },
  { path: "/app/fees/students/{id}", load: () => import("./statement") },
]
