// Lists that many forms and filters choose from: years, classes, divisions, subjects, teachers.
import { school } from "../api/session"
import { useGet } from "../shell/load"
import { fullName } from "../words/format"
import type { Option } from "./form"

const all = { limit: 100 }

/** The classes of a year; of the current one without. false loads none. */
export function useClasses(yearId?: string | false) {
  const loaded = useGet(yearId === false ? null : "/school-admin/class/list", { ...all, ...(yearId && { academicYearId: yearId }) })
  const items = loaded.data?.items ?? []
  return { ...loaded, items, options: items.map((c): Option => ({ value: c.id, text: c.name })) }
}

/** The divisions of a class; of all classes without one. false loads none. */
export function useDivisions(classId?: string | null | false) {
  const loaded = useGet(classId === false ? null : "/school-admin/division/list", { ...all, ...(classId && { classId }) })
  const items = loaded.data?.items ?? []
  return { ...loaded, items, options: items.map((d): Option => ({ value: d.id, text: classId ? d.name : `${d.className} ${d.name}` })) }
}

export function useSubjects() {
  const loaded = useGet("/school-admin/subject/list", all)
  const items = loaded.data?.items ?? []
  return { ...loaded, items, options: items.map((s): Option => ({ value: s.id, text: s.name })) }
}

export function useEmployees(q: { type?: "TEACHER" | "DRIVER" } = {}) {
  const loaded = useGet("/school-admin/employee/list", { ...all, status: "ACTIVE" })
  const items = (loaded.data?.items ?? []).filter((e) => !q.type || e.type === q.type)
  return { ...loaded, items, options: items.map((e): Option => ({ value: e.id, text: fullName(e) })) }
}

export function yearOptions(): Option[] {
  return (school.value?.academicYears ?? []).map((y) => ({ value: y.id, text: y.name }))
}

export function currentYear(): string | undefined { return school.value?.academicYears.find((y) => y.isCurrent)?.id }
