// The pages of the platform, for super-administrators.
import type { Space } from "../shell/app"
import { Shell } from "../shell/shell"
import { t } from "../words/words"

const space: Space = {
  frame: Shell,
  home: "/app/platform",
  pages: [
    { path: "/app/platform", load: () => import("./overview") },
    { path: "/app/platform/schools", load: () => import("./schools") },
    { path: "/app/platform/schools/{id}", load: () => import("./school") },
    { path: "/app/platform/administrators", load: () => import("./administrators") },
    { path: "/app/platform/system", load: () => import("./system") },
    { path: "/app/platform/backups", load: () => import("./backups") },
    { path: "/app/platform/providers", load: () => import("./providers") },
    { path: "/app/platform/webhooks", load: () => import("./webhooks") },
    { path: "/app/platform/jobs", load: () => import("./jobs") },
    { path: "/app/platform/modules", load: () => import("./modules") },
    { path: "/app/platform/audit", load: () => import("./audit") },
    { path: "/app/platform/sign-ins", load: () => import("./signins") },
    { path: "/app/account", load: () => import("../shell/account") },
  ],
  nav: () => [
    {
      links: [
        { href: "/app/platform", text: t("Overview"), icon: "globe", key: "t" },
        { href: "/app/platform/schools", text: t("Schools"), icon: "home", key: "s" },
        { href: "/app/platform/administrators", text: t("Administrators"), icon: "badge", key: "a" },
      ],
    },
    {
      title: t("Operation"),
      links: [
        { href: "/app/platform/system", text: t("System"), icon: "chart", key: "y" },
        { href: "/app/platform/backups", text: t("Backups"), icon: "disk", key: "b" },
        { href: "/app/platform/providers", text: t("Providers"), icon: "mail", key: "p" },
        { href: "/app/platform/webhooks", text: t("Webhooks"), icon: "cloud" },
        { href: "/app/platform/jobs", text: t("Jobs"), icon: "queue", key: "j" },
        { href: "/app/platform/modules", text: t("Modules"), icon: "cols" },
        { href: "/app/platform/audit", text: t("Audit log"), icon: "list" },
        { href: "/app/platform/sign-ins", text: t("Sign-ins"), icon: "lock" },
      ],
    },
  ],
}

export default space
