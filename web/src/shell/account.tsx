import { me } from "../api/session"
import { Head } from "../ui/basics"
import { t } from "../words/words"

export default function Account() {
  return <Head title={t("Security and sessions")} sub={me.value!.user.name} />
}
