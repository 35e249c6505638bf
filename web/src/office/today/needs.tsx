import type { Schema } from "../../api/contract"
import { may } from "../../api/session"
import { Icon, LinkButton, State, type Tone } from "../../ui/basics"
import type { IconName } from "../../ui/icons"
import { n, t } from "../../words/words"
import { Remind } from "../attendance/remind"

type Need = Schema["ReportNeed"]

const kinds: Record<Need["kind"], { icon: IconName; text: (n: number) => string; href: string; act: () => string }> = {
  INCIDENT: { icon: "alert", text: (c) => n(c, "{n} incident on a bus", "{n} incidents on buses"), href: "/app/transport/incidents", act: () => t("Look") },
  TRIP_LATE: { icon: "bus", text: (c) => n(c, "{n} bus is late", "{n} buses are late"), href: "/app/transport", act: () => t("Open the map") },
  TRIP_WITHOUT_DRIVER: { icon: "bus", text: (c) => n(c, "{n} trip has no driver", "{n} trips have no driver"), href: "/app/transport/trips", act: () => t("Find a driver") },
  BUS_PAPERS: { icon: "file", text: (c) => n(c, "Papers of {n} bus expire", "Papers of {n} buses expire"), href: "/app/transport/buses", act: () => t("Look") },
  LESSON_WITHOUT_TEACHER: { icon: "swap", text: (c) => n(c, "{n} lesson needs cover", "{n} lessons need cover"), href: "/app/timetable/cover", act: () => t("Find cover") },
  CLASS_NOT_MARKED: { icon: "tick", text: (c) => n(c, "{n} division is not marked", "{n} divisions are not marked"), href: "/app/attendance", act: () => t("Open") },
  LEAVE: { icon: "door", text: (c) => n(c, "{n} leave to decide", "{n} leaves to decide"), href: "/app/leave?status=PENDING", act: () => t("Decide") },
  MESSAGE: { icon: "chat", text: (c) => n(c, "{n} unread message", "{n} unread messages"), href: "/app/messages", act: () => t("Read") },
  CONTACT_CHANGE: { icon: "pen", text: (c) => n(c, "{n} correction proposed by a parent", "{n} corrections proposed by parents"), href: "/app/guardians/changes", act: () => t("Review") },
  DELIVERY_FAILED: { icon: "mail", text: (c) => n(c, "{n} message did not arrive", "{n} messages did not arrive"), href: "/app/announcements/deliveries", act: () => t("Look") },
  TRIP_NOT_ENDED: { icon: "bus", text: (c) => n(c, "{n} trip was not ended", "{n} trips were not ended"), href: "/app/transport/trips", act: () => t("Open") },
  ACADEMIC_YEAR: { icon: "cal", text: () => t("The academic year ends soon"), href: "/app/calendar", act: () => t("Prepare the next") },
  RESULTS: { icon: "cap", text: (c) => n(c, "{n} exam waits for results", "{n} exams wait for results"), href: "/app/exams", act: () => t("Open") },
  BOOK_OVERDUE: { icon: "book", text: (c) => n(c, "{n} book is overdue", "{n} books are overdue"), href: "/app/library/loans?status=OVERDUE", act: () => t("Look") },
  FEE_OVERDUE: { icon: "coin", text: (c) => n(c, "{n} student has overdue fees", "{n} students have overdue fees"), href: "/app/fees/dues", act: () => t("Remind") },
}

const tones: Record<Need["urgency"], Tone> = { HIGH: "bad", NORMAL: "warn", LOW: "" }

/** What waits for the office, in the order of the server. */
export function NeedsList({ items }: { items: Need[] }) {
  if (items.length === 0) return <State icon="check" title={t("Nothing needs you")}><p>{t("New things appear here by themselves.")}</p></State>
  return (
    <ul class="list needs">
      {items.map((x) => {
        const kind = kinds[x.kind]
        const named = x.first.map((f) => f.name).filter(Boolean).join(", ")
        return (
          <li key={x.kind}>
            <span class={`disc ${tones[x.urgency]}`}><Icon name={kind.icon} /></span>
            <div class="grow"><b>{kind.text(x.count)}</b>{named && <p><bdi>{named}</bdi>{x.count > x.first.length && " …"}</p>}</div>
            {x.kind === "CLASS_NOT_MARKED" && may("write", "attendance") && <Remind size="sm" />}
            <LinkButton size="sm" href={kind.href}>{kind.act()}</LinkButton>
          </li>
        )
      })}
    </ul>
  )
}
