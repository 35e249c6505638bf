// The trail of sign-ins: of one account, or of the whole school.
import type { Row } from "../../api/contract"
import { Badge, Head, type Tone } from "../../ui/basics"
import { List, type Column } from "../../ui/list"
import { when } from "../../words/format"
import { t } from "../../words/words"
import { StaffTabs } from "./list"

type Attempt = Row<"/school-admin/audit/sign-ins">

const ways = (): Record<Attempt["way"], string> => ({ otp: t("code by phone"), pin: t("PIN"), password: t("password"), switch: t("from another account"), reset: t("link for a new password") })
const outcomes = () => [
  { value: "SUCCESS", text: t("signed in") }, { value: "SECOND_FACTOR", text: t("asked for the second step") }, { value: "WRONG", text: t("wrong") },
  { value: "EXPIRED", text: t("too late") }, { value: "THROTTLED", text: t("too many attempts") }, { value: "SUSPENDED", text: t("school suspended") },
]
const tones: Record<Attempt["outcome"], Tone> = { SUCCESS: "", SECOND_FACTOR: "", WRONG: "bad", EXPIRED: "warn", THROTTLED: "bad", SUSPENDED: "warn" }

const columns = (whose: boolean): Column<Attempt>[] => [
  { key: "at", label: t("When"), sort: "at", text: (a) => a.at, cell: (a) => <span class="nowrap">{when(a.at)}</span> },
  ...(whose ? [{ key: "who", label: t("Who"), text: (a: Attempt) => a.userName, cell: (a: Attempt) => (a.userName ? <bdi>{a.userName}</bdi> : <span class="faint">{t("unknown")}</span>) }] : []),
  { key: "way", label: t("How"), text: (a) => ways()[a.way], cell: (a) => ways()[a.way] },
  { key: "outcome", label: t("Result"), text: (a) => a.outcome, cell: (a) => <Badge tone={tones[a.outcome]}>{outcomes().find((o) => o.value === a.outcome)?.text}</Badge> },
  { key: "device", label: t("Device"), text: (a) => a.device, cell: (a) => a.device && <span class="one">{a.device}</span>, hide: "sm" },
  { key: "ip", label: t("Network address"), text: (a) => a.ip, cell: (a) => <span class="muted">{a.ip}</span>, hide: "sm" },
]

export function SignIns({ userId }: { userId?: string }) {
  return <List path="/school-admin/audit/sign-ins" name="sign-ins" columns={columns(!userId)} {...(userId && { fixed: { userId } })} filters={[{ name: "outcome", label: t("Result"), options: outcomes() }]}
    empty={{ icon: "lock", title: t("No sign-in in the last 180 days") }} />
}

export default function SignInsPage() {
  return <><Head title={t("Sign-ins")} sub={t("Attempts of the last 180 days, newest first.")} /><StaffTabs current="sign-ins" /><SignIns /></>
}
