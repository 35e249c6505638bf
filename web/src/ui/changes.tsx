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
  assign: t("assigned|verb"), complete: t("completed|verb"), retire: t("retired|verb"), theft: t("ended, because its token was used twice:|verb"), leave: t("marked as on leave|verb"), remind: t("reminded the teachers about|verb"),
  "leave.reopen": t("took back the decision on|verb"), archive: t("archived|verb"), enrol: t("enrolled|verb"), lost: t("noted as lost|verb"), "leave-back": t("took back the leave in|verb"),
  download: t("downloaded|verb"), test: t("sent a test|verb"),
})

const nouns = (): Record<string, string> => ({
  "academic-year": t("the academic year"), announcement: t("the announcement"), attendance: t("attendance|noun"), bus: t("the bus"), "calendar-link": t("the calendar link"),
  class: t("the class"), delivery: t("the message"), division: t("the division"), elective: t("the elective"), employee: t("the employee"), event: t("the event"),
  exam: t("the exam"), file: t("the file"), guardian: t("the guardian"), holiday: t("the holiday"), incident: t("the incident"), leave: t("the leave"),
  "leave-entitlement": t("the days of leave a year"), message: t("the message"), module: t("the module"), result: t("the results"), role: t("the role"),
  route: t("the route"), school: t("the school"), session: t("the sign-in"), student: t("the student"), subject: t("the subject"), timetable: t("the timetable"),
  "timetable-override": t("the change of one lesson"), trip: t("the trip"), user: t("the account"), "grade-scale": t("the grade scale"), "fee-charge": t("the charge"),
  "fee-concession": t("the concession"), "fee-fine": t("the fine"), "fee-head": t("the kind of fee"), "fee-opening": t("the opening balance"),
  "fee-profile": t("the fee profile"), "fee-receipt": t("the receipt"), "fee-refund": t("the refund"), "fee-reminder": t("the reminder"),
  "fee-structure": t("the fee structure"), "library-book": t("the book"),
  "library-copy": t("the copy of a book"),
  "library-rules": t("the rules of the library"), "library-loan": t("the loan"), "library-reservation": t("the reservation"), setting: t("the settings"),
  "fee-till": t("the till"), backup: t("the backup"), import: t("the import"),
})

/** What people call a field of a record. */
const fields = (): Record<string, string> => ({
  firstName: t("first name"), lastName: t("last name"), admissionNo: t("admission number"), dateOfBirth: t("date of birth"), gender: t("gender"), bloodGroup: t("blood group"),
  rollNo: t("roll number"), address: t("address"), phone: t("phone"), email: t("e-mail"), medicalNotes: t("health notes"), rideNotes: t("ride notes"), status: t("status"),
  leavingDate: t("leaving date"), leavingReason: t("leaving reason"), classId: t("class"), divisionId: t("division"), photoFileId: t("photo"), guardians: t("guardians"),
  emergencyContacts: t("emergency contacts"), designation: t("position"), department: t("department"), roleId: t("role"), salary: t("salary"), qualification: t("qualification"),
  licenseNo: t("licence"), joinDate: t("joining date"), employeeCode: t("staff number"), optionalItemIds: t("optional fees"), category: t("fee category"), name: t("name"),
  language: t("language"),
})

const verbOf = (action: string) => { const last = action.split(".").at(-1) ?? action; return verbs()[action] ?? verbs()[last] ?? words(last) }
const nounOf = (entity: string) => nouns()[entity] ?? words(entity)
export const fieldOf = (name: string) => fields()[name] ?? words(name)

const quiet = new Set(["id", "version", "createdAt", "updatedAt", "schoolId"])

/** Who did what to which record, and what is different. */
export function Changes({ entry: e }: { entry: Entry }) {
  return (
    <div class="stack tight changes">
      <span><b><bdi>{e.userName ?? t("The system")}</bdi></b> {verbOf(e.action)} {nounOf(e.entity)} {nameOf(e) && <b><bdi>{nameOf(e)}</bdi></b>}</span>
      <Differences entry={e} />
    </div>
  )
}

/** What was done to a record whose page it is on. */
export function Did({ entry: e }: { entry: Entry }) {
  return <>{verbOf(e.action)} {nounOf(e.entity)} <Differences entry={e} /></>
}

function Differences({ entry: e }: { entry: Entry }) {
  const changes = differences(e)
  if (changes.length === 0) return null
  return (
    <span class="small muted">{changes.slice(0, 4).map(([field, before, after]) => (
      <span key={field}>{fieldOf(field)}: {before !== "" && <del>{before}</del>} {after !== "" && <ins>{after}</ins>} </span>
    ))}{changes.length > 4 && "…"}</span>
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
