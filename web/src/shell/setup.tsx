import type { SignedIn } from "../api/session"
import { State } from "../ui/basics"
import { t } from "../words/words"

export function Setup(_: { take: (reply: SignedIn) => Promise<void> }) {
  return <State icon="flag" title={t("Set up")} />
}
