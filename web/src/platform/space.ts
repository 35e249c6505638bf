// The pages of the platform, for super-administrators.
import type { Space } from "../shell/app"
import { t } from "../words/words"

const space: Space = {
  home: "/app/platform",
  pages: [{ path: "/app/account", load: () => import("../shell/account") }],
  nav: () => [{ links: [{ href: "/app/platform", text: t("Platform"), icon: "globe" }] }],
}

export default space
