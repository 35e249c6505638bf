// Announcements to a parent or driver, newest first. Teachers have a page of their own.
import { useState } from "preact/hooks"
import { role } from "../api/session"
import { useGet } from "../shell/load"
import { Badge, Button, Card, Icon, Ready, State } from "../ui/basics"
import { when } from "../words/format"
import { t } from "../words/words"
import { routes } from "./routes"
import { Line, Screen } from "./screen"

const page = 30

export default function News() {
  const [limit, setLimit] = useState(page)
  const list = useGet(routes().news, { limit })
  return (
    <Screen title={t("Announcements")} {...(role.value === "PARENT" && { back: "/app/school" })}>
      <Ready of={list} rows={8}>{(d) => d.items.length === 0 ? <State icon="horn" title={t("No announcements")} /> : (
        <>
          <Card flush>{d.items.map((a) => (
            <Line key={a.id} href={`/app/news/${a.id}`} lead={<Icon name={a.urgent ? "alert" : "horn"} size="md" />} title={<bdi>{a.title}</bdi>} sub={when(a.publishAt)}
              end={a.isRead ? a.isPinned && <Icon name="flag" /> : <Badge tone="brand">{t("New")}</Badge>} />
          ))}</Card>
          {d.total > d.items.length && <Button onClick={() => setLimit(limit + page)}>{t("Older ones")}</Button>}
        </>
      )}</Ready>
    </Screen>
  )
}
