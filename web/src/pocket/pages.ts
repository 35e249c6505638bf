// The pages that teachers, parents and drivers share.
import type { Page } from "../shell/router"

export const shared: Page[] = [
  { path: "/app/waiting", load: () => import("./waiting") },
  { path: "/app/me", load: () => import("./me") },
  { path: "/app/messages", load: () => import("./messages") },
  { path: "/app/messages/new", load: () => import("./new") },
  { path: "/app/messages/{id}", load: () => import("./thread") },
  { path: "/app/notifications", load: () => import("./notifications") },
  { path: "/app/notifications/preferences", load: () => import("./preferences") },
  { path: "/app/news", load: () => import("./news") },
  { path: "/app/news/{id}", load: () => import("./article") },
  { path: "/app/live", load: () => import("../live/live") },
  { path: "/app/account", load: () => import("./security") },
]
