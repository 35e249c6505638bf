// Announcements: those for the teacher, and the teacher's own.
import { waiting } from "../api/queue"
import { may, me } from "../api/session"
import { Line, Screen } from "../pocket/screen"
import { useGet } from "../shell/load"
import { Badge, Card, Icon, LinkButton, Ready, State, Tabs } from "../ui/basics"
import { when } from "../words/format"
import { t } from "../words/words"

export const tabs = () => [{ key: "news", href: "/app/news", text: t("Announcements") }, { key: "events", href: "/app/events", text: t("Events") }]

export default function News() {
  const list = useGet("/teacher/announcement/list", { limit: 50 })
  const waits = waiting.value.filter((w) => w.about === "announcement")
  return (
    <Screen title={t("News")} action={may("write", "announcement") && <LinkButton kind="go" size="sm" icon="pen" href="/app/news/new">{t("Write")}</LinkButton>}>
      <Tabs label={t("News")} items={tabs()} current="news" />
      {waits.map((w) => <Card key={w.id}><div class="row"><b class="grow cut"><bdi>{(w.body as { title: string }).title}</bdi></b><Badge tone={w.refused ? "bad" : "warn"}>{w.refused ? t("Not accepted") : t("Not sent yet")}</Badge></div>
        {w.refused && <p><a href="/app/news/new">{t("Correct it")}</a></p>}</Card>)}
      <Ready of={list}>{(l) => (
        l.items.length === 0 ? <State icon="horn" title={t("No announcements")} /> : (
          <Card flush>{l.items.map((a) => {
            const own = a.createdBy === me.value!.user.id
            return (
              <Line key={a.id} href={`/app/news/${a.id}`} lead={<Icon name={a.urgent ? "alert" : "horn"} size="md" />} title={<bdi>{a.title}</bdi>}
                sub={<>{own ? t("You") : <bdi>{a.authorName}</bdi>} · {when(a.publishAt)}</>}
                end={a.status === "SCHEDULED" ? <Badge tone="info">{t("scheduled")}</Badge> : !a.isRead && !own ? <Badge tone="brand">{t("New")}</Badge> : a.isPinned && <Icon name="flag" />} />
            )
          })}</Card>
        )
      )}</Ready>
    </Screen>
  )
}
