import { Tabs } from "../../ui/basics"
import { t } from "../../words/words"

export type LibraryPage = "counter" | "loans" | "books" | "reservations" | "rules"

export function LibraryTabs({ current }: { current: LibraryPage }) {
  const items: { key: LibraryPage; href: string; text: string }[] = [
    { key: "counter", href: "/app/library", text: t("Counter") }, { key: "loans", href: "/app/library/loans", text: t("Loans") },
    { key: "books", href: "/app/library/books", text: t("Catalogue") },
    { key: "reservations", href: "/app/library/reservations", text: t("Reservations") }, { key: "rules", href: "/app/library/rules", text: t("Rules") },
  ]
  return <Tabs label={t("Pages of the library")} items={items} current={current} />
}
