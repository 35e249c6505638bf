// The children of the signed-in parent, and what is known of their day.
import { effect, untracked } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { Fault } from "../api/client"
import { amenders, answered, discard, waiting } from "../api/queue"
import type { Reply } from "../api/contract"
import { keepDrafts, recall, remember } from "../api/vault"
import { amend, changed, forgetBut, keyOf, useGet, type Loaded } from "../shell/load"
import { fullName } from "../words/format"

export type Day = Reply<"/parent/home", "get">
export type Child = Day["children"][number]
export type Ride = Child["rides"][number]

/** The first page's data, which has the children's names for every other page. */
export function useDay(): Loaded<Day> {
  const day = useGet("/parent/home")
  useEffect(() => { if (day.data && !day.loading && !day.fault) void noticeEnd(day.data.children.map((c) => c.id)) }, [day.data, day.loading])
  return day
}

/** The name of the application for leave that is being written. */
export const applying = "leave"

/** Destroys what this phone keeps when the link to a child has ended: answers and what waits to be sent about it. */
async function noticeEnd(now: string[]): Promise<void> {
  const before = (await recall<string[]>("family"))?.value ?? []
  const gone = before.filter((id) => !now.includes(id))
  if (gone.length) {
    await forgetBut([keyOf("/parent/home")])
    await keepDrafts({ name: applying })
    for (const w of waiting.value) if (gone.some((id) => JSON.stringify(w.body).includes(id))) await discard(w.id)
  }
  if (gone.length || before.length !== now.length) await remember("family", now)
}

/** One child of the day. */
export function useChild(id: string): { day: Loaded<Day>; child: Child | undefined } {
  const day = useDay()
  return { day, child: day.data?.children.find((c) => c.id === id) }
}

export function classOf(c: Child): string { return [c.className, c.divisionName].filter(Boolean).join(" ") }
export function nameOf(c: Child): string { return fullName(c) }

/** What was answered, by the number of the call: undo needs its id. */
const replies = new Map<number, unknown>()
export function replyOf(call: number): { id: string } | undefined { return replies.get(call) as { id: string } | undefined }

/** Whether the service has answered a call, for those who can wait a moment (ms). A refusal is a fault. */
export async function isSent(call: number, moment = 2_000): Promise<boolean> {
  for (const end = Date.now() + moment; Date.now() < end; await new Promise((done) => setTimeout(done, 50))) {
    const w = waiting.value.find((x) => x.id === call)
    if (w?.refused) throw new Fault(w.refused.status, w.refused.code, w.refused.message, w.refused.details)
    if (!w) return true
  }
  return false
}

// The first page shows leave that was applied for or cancelled here, before it is loaded again.
amenders.add(async (call, reply) => {
  const leave = reply as Reply<"/parent/leave/apply", "post">
  const after = (c: Child, day: Day): Child["leaveToday"] => {
    if (call.path === "/parent/leave/{id}/cancel") return c.leaveToday?.id === call.params?.id ? null : c.leaveToday
    const isToday = leave.studentId === c.id && leave.fromDate <= day.date && day.date <= leave.toDate
    return isToday ? { id: leave.id, status: "PENDING", half: leave.half, toDate: leave.toDate, mine: true } : c.leaveToday
  }
  if (!call.path.startsWith("/parent/leave/")) return
  await amend<Day>(keyOf("/parent/home"), (day) => ({ ...day, children: day.children.map((c) => ({ ...c, leaveToday: after(c, day) })) }))
})

effect(() => {
  const a = answered.value
  if (!a) return
  replies.set(a.id, a.reply)
  untracked(changed)
})
