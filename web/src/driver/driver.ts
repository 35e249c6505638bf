// The pages of a driver, on a phone first.
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
      { href: "/app/trips", text: t("Trips"), icon: "bus" },
      { href: "/app/messages", text: t("Messages"), icon: "chat", hidden: !may("read", "notification") },
      { href: "/app/news", text: t("News"), icon: "horn", hidden: !may("read", "announcement") },
      { href: "/app/me", text: t("Me"), icon: "person" },
    ],
  }],
}
keepPages(space.pages)

export default space
