// Chooses one of several children.
import { Avatar } from "../ui/basics"
import { t } from "../words/words"
import type { Child } from "./family"

export function Children({ all, chosen, href }: { all: Child[]; chosen: string; href: (id: string) => string }) {
  if (all.length < 2) return null
  return (
    <nav class="siblings" aria-label={t("Children")}>
      {all.map((c) => <a key={c.id} href={href(c.id)} aria-current={c.id === chosen ? "true" : undefined}><Avatar name={c.firstName} photo={c.photoThumbnailUrl} />
        <bdi>{c.firstName}</bdi></a>)}
    </nav>
  )
}
