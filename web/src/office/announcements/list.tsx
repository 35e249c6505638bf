import { may } from "../../api/session"
import { useKey } from "../../shell/keys"
import { go } from "../../shell/router"
import { Badge, Head, Icon, LinkButton, Tabs } from "../../ui/basics"
import { useClasses, useDivisions } from "../../ui/choices"
import { List, type Column } from "../../ui/list"
import type { Option } from "../../ui/form"
import { count, percent, when } from "../../words/format"
import { t } from "../../words/words"
import { audiences, forWhom, sections, statuses, type Announcement } from "./words"

const columns = (classes: Option[], divisions: Option[]): Column<Announcement>[] => [
  {
    key: "title", label: t("Title"), rest: true, text: (a) => a.title,
    cell: (a) => (
      <span class="gist"><a class="strong" href={`/app/announcements/${a.id}`}><bdi>{a.title}</bdi></a>
        {a.isPinned && <span class="faint" title={t("On top")}><Icon name="flag" /><span class="sr">{t("On top")}</span></span>}
        {a.urgent && <Badge tone="bad">{t("urgent")}</Badge>}
          {a.attachmentFiles.length > 0 && <span class="faint"><Icon name="clip" /><span class="sr">{t("With files")}</span></span>}
        <span class="cut muted">{a.body}</span></span>
    ),
  },
  { key: "audience", label: t("For whom"), text: (a) => forWhom(a, classes, divisions), cell: (a) => <span class="one">{forWhom(a, classes, divisions)}</span>, hide: "md" },
  { key: "read", label: t("Have read it"), num: true, text: (a) => `${a.readCount}/${a.audienceCount}`, cell: (a) => a.publishedAt && <Read a={a} />, hide: "sm" },
  { key: "status", label: t("Status"), text: (a) => a.status,
    cell: (a) => { const s = statuses().find((x) => x.value === a.status)!;
      return a.status === "PUBLISHED" ? <span class="faint">{s.text}</span> : <Badge tone={s.tone}>{s.text}</Badge> }, hide: "sm" },
  { key: "at", label: t("When"), sort: "publishAt", text: (a) => a.publishAt, cell: (a) => <time class="nowrap muted">{when(a.publishAt)}</time> },
  { key: "author", label: t("Written by"), text: (a) => a.authorName, cell: (a) => <bdi class="one">{a.authorName}</bdi>, hide: "md" },
]

function Read({ a }: { a: Announcement }) {
  return <span class="nowrap"><progress class="tiny" max={a.audienceCount || 1} value={a.readCount} aria-hidden="true" /> {t("{read} of {all}",
    { read: count(a.readCount), all: count(a.audienceCount) })} <span class="faint">{percent(a.readCount, a.audienceCount)}</span></span>
}

export default function Announcements() {
  const classes = useClasses()
  const divisions = useDivisions()
  const writes = may("write", "announcement")
  useKey("n", t("Write an announcement"), () => { if (writes) go("/app/announcements/new") })
  return (
    <>
      <Head title={t("Announcements")}>{writes && <LinkButton href="/app/announcements/new" icon="plus" kind="go" hint="N">{t("Write an announcement")}</LinkButton>}</Head>
      <Tabs label={t("Communication")} items={sections()} current="announcements" />
      <List path="/school-admin/announcement/list" name="announcements" search={t("Words of the title")} columns={columns(classes.options, divisions.options)}
        open={(a) => `/app/announcements/${a.id}`}
        filters={[{ name: "status", label: t("Status"), options: statuses() }, { name: "audience", label: t("For whom"), options: audiences() }]}
        empty={{ icon: "horn", title: t("Nothing announced yet"), text: t("What you write here reaches parents, teachers and drivers in the app, by e-mail and SMS."),
          action: writes && <LinkButton kind="go" href="/app/announcements/new">{t("Write an announcement")}</LinkButton> }} />
    </>
  )
}
