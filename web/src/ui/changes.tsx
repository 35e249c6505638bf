// An entry of the audit log as a sentence, with what was before and after.
import { t } from "../words/words"

interface Entry { userName: string | null; action: string; entity: string; before: Record<string, unknown> | null; after: Record<string, unknown> | null }

const verbs = (): Record<string, string> => ({
  create: t("added|verb"), update: t("changed|verb"), change: t("changed|verb"), delete: t("deleted|verb"), approve: t("approved|verb"), reject: t("rejected|verb"), cancel: t("cancelled|verb"), apply: t("asked for|verb"),
  publish: t("published|verb"), unpublish: t("took back|verb"), import: t("imported|verb"), export: t("exported|verb"), erase: t("erased|verb"), merge: t("merged|verb"), promote: t("promoted|verb"), "promote-undo": t("took back the promotion of|verb"),
  "new-year": t("began the new year for|verb"), start: t("began|verb"), end: t("ended|verb"), schedule: t("scheduled|verb"), takeover: t("took over|verb"), board: t("noted who boarded|verb"), mark: t("marked|verb"), send: t("sent|verb"),
  upload: t("uploaded|verb"), report: t("reported|verb"), acknowledge: t("acknowledged|verb"), propose: t("proposed a change of|verb"), issue: t("lent|verb"), return: t("took back|verb"), renew: t("renewed|verb"), charge: t("charged|verb"), void: t("cancelled|verb"),
  record: t("recorded|verb"), reverse: t("reversed|verb"), grant: t("granted|verb"), revoke: t("took away|verb"), retry: t("sent again|verb"), suspend: t("suspended|verb"), resume: t("resumed|verb"), "sign-out": t("signed out|verb"), password: t("set the password of|verb"),
  "second-factor": t("changed the second step of|verb"), permissions: t("changed what it may do:|verb"), students: t("changed the riders of|verb"), "hand-over": t("handed over the duties of|verb"), shorten: t("shortened|verb"), renumber: t("renumbered|verb"),
  open: t("opened|verb"), close: t("closed|verb"), reopen: t("opened again|verb"), "import-undo": t("took back the import of|verb"),
  assign: t("assigned|verb"), complete: t("completed|verb"), retire: t("retired|verb"), theft: t("ended, because its token was used twice:|verb"), leave: t("marked as on leave|verb"),
  download: t("downloaded|verb"), test: t("sent a test|verb"),
})

const quiet = new Set(["id", "version", "createdAt", "updatedAt", "schoolId"])

export function Changes({ entry: e }: { entry: Entry }) {
  const action = e.action.split(".").at(-1) ?? e.action
  const verb = verbs()[action] ?? words(action)
  const changes = differences(e)
  return (
    <div class="stack tight changes">
      <span><b>{e.userName ?? t("The system")}</b> {verb} {words(e.entity)} {nameOf(e) && <b><bdi>{nameOf(e)}</bdi></b>}</span>
      {changes.length > 0 && (
        <span class="small muted">{changes.slice(0, 4).map(([field, before, after]) => (
          <span key={field}>{words(field)}: {before !== "" && <del>{before}</del>} {after !== "" && <ins>{after}</ins>} </span>
        ))}{changes.length > 4 && "…"}</span>
      )}
    </div>
  )
}

/** The fields that differ, with their values in words. Ids say nothing to people, and are left out. */
export function differences(e: Entry): [string, string, string][] {
  const before = e.before ?? {}, after = e.after ?? {}
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((k) => !quiet.has(k) && !/Ids?$/.test(k) && e.before && JSON.stringify(before[k]) !== JSON.stringify(after[k]))
    .map((k) => [k, show(before[k]), show(after[k])])
}

function show(v: unknown): string {
  if (v === null || v === undefined || v === "") return ""
  if (typeof v === "boolean") return v ? t("yes") : t("no")
  return typeof v === "object" ? (Array.isArray(v) ? v.map(show).join(", ") : "…") : String(v)
}

function nameOf(e: Entry): string {
  const r = e.after ?? e.before ?? {}
  return String(r.name ?? r.title ?? [r.firstName, r.lastName].filter(Boolean).join(" "))
}

/** "feeHead" as "fee head". */
function words(name: string): string { return name.replace(/([a-z])([A-Z])/g, "$1 $2").replaceAll(/[_-]/g, " ").toLowerCase() }
