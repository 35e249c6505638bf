// The pages of a teacher, on a phone first.
import { effect, untracked } from "@preact/signals"
import { answered } from "../api/queue"
import { Frame } from "../pocket/frame"
import { keepPages } from "../pocket/offline"
import { shared } from "../pocket/pages"
import type { Space } from "../shell/app"
import { changed } from "../shell/load"
import { t } from "../words/words"
import { pages } from "./pages"

const space: Space = {
  frame: Frame,
  home: "/app/home",
  pages: [...pages, ...shared],
  nav: () => [{
    links: [
      { href: "/app/home", text: t("Home"), icon: "home" },
      { href: "/app/classes", text: t("Classes"), icon: "people" },
      { href: "/app/messages", text: t("Messages"), icon: "chat" },
      { href: "/app/news", text: t("News"), icon: "horn" },
      { href: "/app/me", text: t("Me"), icon: "person" },
    ],
  }],
}
keepPages(space.pages)
effect(() => { if (answered.value) untracked(changed) }) // what was sent shows, and the network is back

export default space
