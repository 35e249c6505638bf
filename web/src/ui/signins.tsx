// The sign-in trail as a table, for a school and for the platform.
import type { Row } from "../api/contract"
import { when } from "../words/format"
import { t } from "../words/words"
import { Badge, type Tone } from "./basics"
import type { Option } from "./form"
import type { Column } from "./list"

type Attempt = Row<"/super-admin/audit/sign-ins">

const names = (): Record<Attempt["outcome"], [string, Tone]> => ({
  SUCCESS: [t("signed in"), "good"], SECOND_FACTOR: [t("waits for the second step"), "info"], WRONG: [t("wrong"), "bad"],
  EXPIRED: [t("code too old"), "warn"], THROTTLED: [t("too many tries"), "bad"], SUSPENDED: [t("school suspended"), "warn"],
})

const ways = (): Record<Attempt["way"], string> => ({ otp: t("code"), pin: t("PIN"), password: t("password"), switch: t("switching accounts"), reset: t("password link") })

export function outcomes(): Option[] { return Object.entries(names()).map(([value, [text]]) => ({ value, text })) }

export function signInColumns(): Column<Attempt>[] {
  return [
    { key: "who", label: t("Who"), text: (a) => a.userName, cell: (a) => a.userName ?? <span class="faint">{t("unknown name")}</span> },
    { key: "outcome", label: t("Outcome"), text: (a) => names()[a.outcome][0], cell: (a) => { const [text, tone] = names()[a.outcome]; return <Badge tone={tone}>{text}</Badge> } },
    { key: "way", label: t("By"), text: (a) => ways()[a.way], cell: (a) => ways()[a.way], hide: "sm" },
    { key: "ip", label: t("Address"), text: (a) => a.ip, cell: (a) => a.ip, hide: "md" },
    { key: "device", label: t("Device"), text: (a) => a.device, cell: (a) => a.device && <span class="one">{a.device}</span>, hide: "md" },
    { key: "at", label: t("When"), text: (a) => a.at, cell: (a) => <time class="muted nowrap">{when(a.at)}</time> },
  ]
}
