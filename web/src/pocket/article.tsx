// One announcement. Opening it marks it as read.
import { useGet } from "../shell/load"
import { Badge, Ready } from "../ui/basics"
import { Files } from "../ui/files"
import { when } from "../words/format"
import { t } from "../words/words"
import { routes } from "./routes"
import { Screen } from "./screen"

export default function Article({ params }: { params: { id?: string } }) {
  const loaded = useGet(routes().one, undefined, { id: params.id! })
  const a = loaded.data
  return (
    <Screen title={a?.title ?? t("Announcement")} sub={a && <>{a.authorName && <><bdi>{a.authorName}</bdi> · </>}{when(a.publishAt)}</>} back="/app/news">
      <Ready of={loaded} rows={5}>{(x) => (
        <>
          {x.urgent && <p class="row"><Badge tone="bad">{t("Urgent")}</Badge></p>}
          {x.body && <p class="prose" dir="auto">{x.body}</p>}
          <Files files={x.attachmentFiles} />
        </>
      )}</Ready>
    </Screen>
  )
}
