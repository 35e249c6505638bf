// Lists that many forms and filters choose from: years, classes, divisions, subjects, teachers.
import { get } from "../api/client"
import type { ListPath, Query, Row } from "../api/contract"
import { school } from "../api/session"
import { useLoad, type Loaded } from "../shell/load"
import { fullName } from "../words/format"
import type { Option } from "./form"

const most = 100 // rows of a page

/** Every row of a list, page by page: a school may have more than one page of them. A null path loads nothing. */
function useAll<P extends ListPath>(path: P | null, query: Query<P, "get">): Loaded<Row<P>[]> {
  return useLoad(path ? JSON.stringify(["all", path, query]) : "", async (signal) => {
    const items: Row<P>[] = []
    for (let page = 1, pages = 1; page <= pages; page++) {
      const reply = await get(path as P, { ...query, limit: most, page }, { signal }) as { items: Row<P>[]; totalPages: number }
      items.push(...reply.items)
      pages = reply.totalPages
    }
    return items
  })
}

/** The classes of a year; of the current one without. false loads none. */
export function useClasses(yearId?: string | false) {
  const loaded = useAll(yearId === false ? null : "/school-admin/class/list", { ...(yearId && { academicYearId: yearId }) })
  const items = loaded.data ?? []
  return { ...loaded, items, options: items.map((c): Option => ({ value: c.id, text: c.name })) }
}

/** The divisions of a class; of all classes without one. false loads none. */
export function useDivisions(classId?: string | null | false) {
  const loaded = useAll(classId === false ? null : "/school-admin/division/list", { ...(classId && { classId }) })
  const items = loaded.data ?? []
  return { ...loaded, items, options: items.map((d): Option => ({ value: d.id, text: classId ? d.name : `${d.className} ${d.name}` })) }
}

export function useSubjects() {
  const loaded = useAll("/school-admin/subject/list", {})
  const items = loaded.data ?? []
  return { ...loaded, items, options: items.map((s): Option => ({ value: s.id, text: s.name })) }
}

export function useEmployees(q: { type?: "TEACHER" | "DRIVER" } = {}) {
  const loaded = useAll("/school-admin/employee/list", { ...q, status: "ACTIVE" })
  const items = loaded.data ?? []
  return { ...loaded, items, options: items.map((e): Option => ({ value: e.id, text: fullName(e) })) }
}

export function yearOptions(): Option[] {
  return (school.value?.academicYears ?? []).map((y) => ({ value: y.id, text: y.name }))
}

export function currentYear(): string | undefined { return school.value?.academicYears.find((y) => y.isCurrent)?.id }
