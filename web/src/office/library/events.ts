// Lending and taking back at the counter, told in words.
import { date, money } from "../../words/format"
import type { Person } from "../../ui/person"
import { t } from "../../words/words"
import { giveBack, issue, personOf, type Returned } from "./lend"

/** What happened at the counter, with the way back if there is one. */
export interface Event { id: number; tone: "good" | "bad" | "warn"; text: string; note?: string | undefined; undo?: (() => Promise<unknown>) | undefined }
export type Tell = (e: Omit<Event, "id">) => void

export async function lendTo(member: Person, code: string, log: Tell) {
  const l = await issue(member, code, undefined, crypto.randomUUID())
  log({ tone: "good", text: t("{title} is lent to {name}.", { title: l.title, name: member.name }), note: t("Due on {date}", { date: date(l.dueDate) }),
    undo: () => giveBack(l.accessionNo) })
}

export async function takeBack(code: string, log: Tell) {
  const l = await giveBack(code, crypto.randomUUID())
  const late = l.daysLate > 0 || l.fine > 0
  log({ tone: late || l.hold ? "warn" : "good", text: t("{title} is back from {name}.", { title: l.title, name: l.borrowerName ?? "–" }), note: backNote(l),
    undo: late || l.hold ? undefined : () => issue(personOf(l), l.accessionNo, l.dueDate) })
}

function backNote(l: Returned): string {
  return [l.fine > 0 && t("{n} days late, fine {sum}.", { n: l.daysLate, sum: money(l.fine) }),
    l.hold && t("Keep it for {name} until {date}.", { name: l.hold.borrowerName ?? "–", date: date(l.hold.holdUntil) })].filter(Boolean).join(" ")
}
