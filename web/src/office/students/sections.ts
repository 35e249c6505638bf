// The parts of a profile. Each comes from the module that owns it; a part that the person may not see is missing.
import type { Reply, Schema } from "../../api/contract"

export type Profile = Reply<"/school-admin/student/{id}/profile", "get">
export type Student = Profile["student"]
export type Link = Student["guardians"][number]

export interface Mark {
  date: string
  periodNo: number | null
  status: "PRESENT" | "ABSENT" | "LATE" | "LEAVE" | "HOLIDAY"
  halfDay: "FIRST" | "SECOND" | null
  minutesLate: number | null
  remark: string | null
}
export interface Exam { exam: Schema["Exam"]; subjects: Schema["SubjectResult"][]; total: Schema["ExamTotal"] }
export interface Ride {
  tripId: string
  date: string
  type: "pickup" | "drop"
  routeName: string
  stopName: string
  status: string
  boardedAt: string | null
  alightedAt: string | null
}

export interface Sections {
  attendance?: { totals: Schema["AttendanceTotals"]; marks: Mark[] }
  electives?: Schema["Elective"][]
  fees?: { charges: Schema["FeeCharge"][]; receipts: Schema["FeeReceipted"][]; entries: Schema["FeeEntry"][]; totals: Schema["FeeTotals"] }
  leave?: Schema["Leave"][]
  loans?: Schema["Loan"][]
  results?: Exam[]
  trips?: Ride[]
}

export function sectionsOf(p: Profile): Sections { return p.sections as Sections }
