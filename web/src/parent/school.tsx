// Everything about school, by child and for the family.
import { may, school } from "../api/session"
import { Line, Screen } from "../pocket/screen"
import { Avatar, Card, Icon, Ready } from "../ui/basics"
import { money } from "../words/format"
import { t } from "../words/words"
import { classOf, nameOf, useDay } from "./family"

export default function School() {
  const day = useDay()
  const due = day.data?.fees.reduce((sum, f) => sum + f.due, 0) ?? 0
  return (
    <Screen title={t("School")} sub={<bdi>{school.value?.name}</bdi>}>
      <Ready of={day} rows={8}>{(d) => (
        <>
          <Card title={t("Your children")} flush>
            {d.children.map((c) => <Line key={c.id} href={`/app/child/${c.id}`} lead={<Avatar name={c.firstName} photo={c.photoThumbnailUrl} size="md" />}
              title={<bdi>{nameOf(c)}</bdi>} sub={classOf(c)} />)}
          </Card>
          <Card title={t("For the family")} flush>
            {may("read", "fee") && <Line href="/app/fees" lead={<Icon name="coin" size="md" />} title={t("Fees and receipts")}
              sub={due ? t("{amount} to pay soon", { amount: money(due) }) : undefined} />}
            {may("read", "leave") && <Line href="/app/leave" lead={<Icon name="door" size="md" />} title={t("Leave")} />}
            {may("read", "announcement") && <Line href="/app/news" lead={<Icon name="horn" size="md" />} title={t("Announcements")} />}
            {may("read", "event") && <Line href="/app/events" lead={<Icon name="cal" size="md" />} title={t("Events and holidays")} />}
            {may("read", "library") && <Line href="/app/books" lead={<Icon name="book" size="md" />} title={t("Library books")} />}
            <Line href="/app/contact" lead={<Icon name="pen" size="md" />} title={t("Your contact data")} />
          </Card>
          {(school.value?.phone || school.value?.email) && (
            <Card title={t("The office")} flush>
              {school.value.phone && <a class="line" href={`tel:${school.value.phone}`}><Icon name="phone" size="md" /><span class="grow"><b>{t("Call office")}</b><span>
                <bdi>{school.value.phone}</bdi></span></span></a>}
              {school.value.email && <a class="line" href={`mailto:${school.value.email}`}><Icon name="mail" size="md" /><span class="grow"><b>{t("Write an e-mail")}</b>
                <span><bdi>{school.value.email}</bdi></span></span></a>}
            </Card>
          )}
        </>
      )}</Ready>
    </Screen>
  )
}
