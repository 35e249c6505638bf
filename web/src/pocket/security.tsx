// Security and sessions on the phone.
import { t } from "../words/words"
import { identity, Security } from "../shell/account"
import { Screen } from "./screen"

export default function SecurityScreen() {
  return <Screen title={t("Security and sessions")} sub={<bdi>{identity()}</bdi>} back="/app/me"><Security /></Screen>
}
