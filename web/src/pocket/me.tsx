// One's own account on the phone: who is signed in, other accounts, language, security, sign-out.
import { may, me } from "../api/session"
import { waiting } from "../api/queue"
import { Line, Screen } from "./screen"
import { useSignOut } from "../shell/signout"
import { Avatar, Card, Icon } from "../ui/basics"
import { language, languages, speak, t, type Language } from "../words/words"

export default function Me() {
  const { user, school, accounts } = me.value!
  const [signOut, question] = useSignOut()
  const other = (Object.keys(languages) as Language[]).find((l) => l !== language())!
  return (
    <Screen title={user.name} sub={school.name} lead={<Avatar name={user.name} size="lg" />}>
      {!!accounts?.length && (
        <Card title={t("Your other accounts")} flush>
          {accounts.map((a) => <Line key={a.id} href={`/app/account?switch=${a.id}`} lead={<Avatar name={a.schoolName} size="md" />} title={<bdi>{a.schoolName}</bdi>} />)}
        </Card>
      )}
      <Card flush>
        {may("read", "notification") && <Line href="/app/notifications" lead={<Icon name="bell" size="md" />} title={t("Notifications")} />}
        <Line href="/app/account" lead={<Icon name="lock" size="md" />} title={t("Security and sessions")} />
        <Line href="/app/waiting" lead={<Icon name="cloud" size="md" />} title={t("Not sent yet")} end={waiting.value.length > 0 && <b>{waiting.value.length}</b>} />
        <button type="button" class="line" onClick={() => void speak(other)}><Icon name="globe" size="md" /><span class="grow"><b>{languages[other]}</b></span></button>
        <button type="button" class="line" onClick={() => void signOut()}><Icon name="door" size="md" /><span class="grow"><b>{t("Sign out")}</b></span></button>
      </Card>
      {question}
    </Screen>
  )
}
