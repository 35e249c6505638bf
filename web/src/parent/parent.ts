// The pages of a parent, on a phone first.
import { may } from "../api/session"
import { Frame } from "../pocket/frame"
import { keepPages } from "../pocket/offline"
import { shared } from "../pocket/pages"
import type { Space } from "../shell/app"
import { t } from "../words/words"
import { pages } from "./pages"

const space: Space = {
  frame: Frame,
  home: "/app/home",
  pages: [...pages, ...shared],
  nav: () => [{
    links: [
      { href: "/app/home", text: t("Home"), icon: "home" },
      { href: "/app/bus", text: t("Bus"), icon: "bus", hidden: !may("read", "transport") },
      { href: "/app/messages", text: t("Messages"), icon: "chat", hidden: !may("read", "message") },
      { href: "/app/school", text: t("School"), icon: "cap" },
      { href: "/app/me", text: t("Me"), icon: "person" },
    ],
  }],
}
keepPages(space.pages)

export default space
