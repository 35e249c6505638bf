// The first page of a driver.
import { me } from "../api/session"
import { Screen } from "../pocket/screen"
import { longDate, today } from "../words/format"
import { t } from "../words/words"

export default function Home() {
  return <Screen title={t("Hello, {name}", { name: me.value!.user.name })} sub={longDate(today())}><span /></Screen>
}
