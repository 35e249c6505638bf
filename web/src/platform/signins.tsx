import { Head } from "../ui/basics"
import { List } from "../ui/list"
import { outcomes, signInColumns } from "../ui/signins"
import { t } from "../words/words"

export default function SignIns() {
  return (
    <>
      <Head title={t("Sign-ins")} sub={t("Attempts of super-administrators and with names that no account has. Kept for 180 days.")} />
      <List path="/super-admin/audit/sign-ins" name="sign-ins" columns={signInColumns()} filters={[{ name: "outcome", label: t("Outcome"), options: outcomes() }]} empty={{ icon: "lock", title: t("No attempts yet") }} />
    </>
  )
}
