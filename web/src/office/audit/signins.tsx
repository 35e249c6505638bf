import { Head } from "../../ui/basics"
import { List } from "../../ui/list"
import { outcomes, signInColumns } from "../../ui/signins"
import { t } from "../../words/words"
import { AuditTabs } from "./log"

export default function SignIns() {
  return (
    <>
      <Head title={t("Sign-ins")} sub={t("Every attempt, kept for 180 days.")} />
      <AuditTabs current="sign-ins" />
      <List path="/school-admin/audit/sign-ins" name="sign-ins" columns={signInColumns()} filters={[{ name: "outcome", label: t("Outcome"), options: outcomes() }]} empty={{ icon: "lock", title: t("No attempts yet") }} />
    </>
  )
}
