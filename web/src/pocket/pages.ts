// The pages that teachers, parents and drivers share.
import type { Page } from "../shell/router"

export const shared: Page[] = [
  { path: "/app/waiting", load: () => import("./waiting") },
  { path: "/app/me", load: () => import("./me") },
  { path: "/app/account", load: () => import("../shell/account") },
]
