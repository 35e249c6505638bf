// The classes and divisions of a teacher.
import type { Reply } from "../api/contract"
import { useGet, type Loaded } from "../shell/load"

export type Classes = Reply<"/teacher/class/list", "get">

export function useDivisions(): Loaded<Classes> { return useGet("/teacher/class/list", { limit: 100 }) }

/** "Grade 5 A". */
export function divisionName(classes: Classes | undefined, at: { classId: string; divisionId?: string | null | undefined }): string {
  const c = classes?.items.find((x) => x.id === at.classId)
  const d = c?.divisions.find((x) => x.id === at.divisionId)
  return [c?.name ?? "…", d?.name].filter(Boolean).join(" ")
}
