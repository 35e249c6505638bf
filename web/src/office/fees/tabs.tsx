import { Tabs } from "../../ui/basics"
import { t } from "../../words/words"

export type FeePage = "overview" | "dues" | "receipts" | "charges" | "concessions" | "refunds" | "openings" | "structures" | "tills" | "daybook" | "trial"

/** The pages of the fees, below the head of each. */
export function FeeTabs({ current }: { current: FeePage }) {
  const items: { key: FeePage; href: string; text: string }[] = [
    { key: "overview", href: "/app/fees", text: t("Overview") }, { key: "dues", href: "/app/fees/dues", text: t("Dues") },
    { key: "receipts", href: "/app/fees/receipts", text: t("Receipts") },
    { key: "charges", href: "/app/fees/charges", text: t("Charges") }, { key: "concessions", href: "/app/fees/concessions", text: t("Concessions") },
    { key: "refunds", href: "/app/fees/refunds", text: t("Refunds") },
    { key: "openings", href: "/app/fees/openings", text: t("Opening balances") }, { key: "structures", href: "/app/fees/structures", text: t("Fee structures") },
    { key: "tills", href: "/app/fees/tills", text: t("Tills") },
    { key: "daybook", href: "/app/fees/daybook", text: t("Day book") }, { key: "trial", href: "/app/fees/trial-balance", text: t("Trial balance") },
  ]
  return <Tabs label={t("Pages of the fees")} items={items} current={current} />
}
