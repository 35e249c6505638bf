// The sign-ins of one account.
import { List } from "../../ui/list"
import { outcomes, signInColumns } from "../../ui/signins"
import { t } from "../../words/words"

export function SignIns({ userId }: { userId: string }) {
  return <List path="/school-admin/audit/sign-ins" name="sign-ins" fixed={{ userId }} columns={signInColumns().filter((c) => c.key !== "who")}
    filters={[{ name: "outcome", label: t("Outcome"), options: outcomes() }]}
    empty={{ icon: "lock", title: t("No sign-in in the last 180 days") }} />
}
