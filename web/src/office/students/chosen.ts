// The rows chosen in the list, for the page that moves them, so that it need not ask for each again.
import type { Row } from "../../api/contract"

let rows: Row<"/school-admin/student/list">[] = []
export function choose(list: typeof rows): void { rows = list }
export function chosen(ids: string[]): typeof rows | null { return ids.every((id) => rows.some((r) => r.id === id)) ? rows.filter((r) => ids.includes(r.id)) : null }
