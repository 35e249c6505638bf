// An entry of the audit log as a sentence, with what was before and after.
import { t } from "../words/words"

interface Entry { userName: string | null; action: string; entity: string; before: Record<string, unknown> | null; after: Record<string, unknown> | null }

const verbs = (): Record<string, string> => ({
  create: t("added"), update: t("changed"), change: t("changed"), delete: t("deleted"), approve: t("approved"), reject: t("rejected"), cancel: t("cancelled"), apply: t("asked for"),
  publish: t("published"), unpublish: t("took back"), import: t("imported"), export: t("exported"), erase: t("erased"), merge: t("merged"), promote: t("promoted"), "promote-undo": t("took back the promotion of"),
  "new-year": t("began the new year for"), start: t("began"), end: t("ended"), schedule: t("scheduled"), takeover: t("took over"), board: t("noted who boarded"), mark: t("marked"), send: t("sent"),
  upload: t("uploaded"), report: t("reported"), acknowledge: t("acknowledged"), propose: t("proposed a change of"), issue: t("lent"), return: t("took back"), renew: t("renewed"), charge: t("charged"), void: t("cancelled"),
  record: t("recorded"), reverse: t("reversed"), grant: t("granted"), revoke: t("took away"), retry: t("sent again"), suspend: t("suspended"), resume: t("resumed"), "sign-out": t("signed out"), password: t("set the password of"),
  "second-factor": t("changed the second step of"), permissions: t("changed what it may do:"), students: t("changed the riders of"), "hand-over": t("handed over the duties of"), shorten: t("shortened"), renumber: t("renumbered"),
  assign: t("assigned"), complete: t("completed"), retire: t("retired"), theft: t("ended, because its token was used twice:"), leave: t("marked as on leave"),
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
