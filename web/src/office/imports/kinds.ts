// What can be imported: where its template is, where it goes, and what its columns are called.
import { download, get, post, upload, type Options } from "../../api/client"
import type { Row } from "../../api/contract"
import { t } from "../../words/words"

export interface Kind {
  title: string
  module: string
  template: () => Promise<{ blob: Blob; name: string }>
  send: (query: string, form: FormData, o: Options) => Promise<unknown>
  back: { href: string; text: string }
  updates?: string // the question whether records that exist are changed
  byYear?: boolean
  note?: string
  past: Past
}

/** The imports of a kind, and how one is undone. */
export interface Past {
  list: () => Promise<{ items: PastImport[]; total: number }>
  undo: (id: string) => Promise<unknown>
}
export type PastImport = Row<"/school-admin/student/import/list">

export const kinds = (): Record<string, Kind> => ({
  students: {
    title: t("Import students"), module: "student", template: () => download("/school-admin/student/import/template"),
    send: (q, form, o) => upload("/school-admin/student/import" + q, form, o), byYear: true,
    past: { list: () => get("/school-admin/student/import/list", { limit: 5 }), undo: (id) => post("/school-admin/student/import/{id}/undo", {}, { path: { id } }) },
    back: { href: "/app/students", text: t("Show the students") }, updates: t("Change students who are here already, found by admission number"),
    note: t("Guardians come with their child. A phone that the school knows links the family."),
  },
  employees: {
    title: t("Import staff"), module: "employee", template: () => download("/school-admin/employee/import/template"),
    send: (q, form, o) => upload("/school-admin/employee/import" + q, form, o),
    past: { list: () => get("/school-admin/employee/import/list", { limit: 5 }), undo: (id) => post("/school-admin/employee/import/{id}/undo", {}, { path: { id } }) },
    back: { href: "/app/staff", text: t("Show the staff") }, updates: t("Change people who are here already, found by staff number"),
      note: t("Everyone with a phone or e-mail gets an account."),
  },
  books: {
    title: t("Import books"), module: "library", template: () => download("/school-admin/library/book/import/template"),
    send: (q, form, o) => upload("/school-admin/library/book/import" + q, form, o),
    past: { list: () => get("/school-admin/library/book/import/list", { limit: 5 }), undo: (id) => post("/school-admin/library/book/import/{id}/undo", {}, { path: { id } }) },
    back: { href: "/app/library/books", text: t("Show the books") },
  },
  openings: {
    title: t("Import opening balances"), module: "fee", template: () => download("/school-admin/fee/opening/import/template"),
    send: (q, form, o) => upload("/school-admin/fee/opening/import" + q, form, o),
    past: { list: () => get("/school-admin/fee/opening/import/list", { limit: 5 }), undo: (id) => post("/school-admin/fee/opening/import/{id}/undo", {}, { path: { id } }) },
    back: { href: "/app/fees", text: t("Show the fees") },
    note: t("What families owe or have paid in advance from before this program."),
  },
  timetable: {
    title: t("Import a timetable"), module: "timetable", template: () => download("/school-admin/timetable/import/template"),
    send: (q, form, o) => upload("/school-admin/timetable/import" + q, form, o),
    past: { list: () => get("/school-admin/timetable/import/list", { limit: 5 }), undo: (id) => post("/school-admin/timetable/import/{id}/undo", {}, { path: { id } }) },
    back: { href: "/app/timetable", text: t("Show the timetable") },
    note: t("The week of every division in the file is replaced."),
  },
})

/** What a column is called in the office. */
export const labels = (): Record<string, string> => ({
  admissionNo: t("Admission no."), firstName: t("First name"), lastName: t("Last name"), dateOfBirth: t("Born"), gender: t("Gender"), bloodGroup: t("Blood group"),
    class: t("Class"), division: t("Division"),
  rollNo: t("Roll"), admissionDate: t("Admitted"), address: t("Address"), phone: t("Phone"), email: t("E-mail"), medicalNotes: t("Health notes"), rideNotes: t("Notes for the ride"), status: t("Status"),
    leavingDate: t("Last day"),
  leavingReason: t("Leaving reason"), guardianName: t("Guardian"), guardianRelation: t("Relation"), guardianPhone: t("Guardian's phone"),
    guardianEmail: t("Guardian's e-mail"), guardian2Name: t("Second guardian"),
  guardian2Relation: t("Second relation"), guardian2Phone: t("Second phone"), guardian2Email: t("Second e-mail"), employeeCode: t("Staff no."), designation: t("Position"),
    department: t("Department"), role: t("Role"),
  joinDate: t("Joined"), qualification: t("Qualification"), salary: t("Salary"), licenseNo: t("Licence"), title: t("Title"), author: t("Author"), isbn: t("ISBN"),
    publisher: t("Publisher"), category: t("Category"),
  shelf: t("Shelf"), price: t("Price"), copies: t("Copies"), accessionNo: t("Accession no."), owed: t("Owed"), advance: t("In advance"), dueDate: t("Pay by"), note: t("Note"),
    day: t("Day"), period: t("Period"),
  start: t("Begins"), end: t("Ends"), subject: t("Subject"), teacher: t("Teacher"), room: t("Room"),
})

export function labelOf(column: string): string { return labels()[column] ?? column.replace(/([A-Z0-9]+)/g, " $1").toLowerCase() }

const others: Record<string, string[]> = {
  firstName: ["name", "given name", "forename", "nombre"], lastName: ["surname", "family name", "apellido", "apellidos"],
    dateOfBirth: ["dob", "birthday", "birth date", "fecha de nacimiento"],
  admissionNo: ["admission", "admission number", "student id", "student no"], class: ["grade", "standard", "grado"], division: ["section", "div", "seccion"],
    guardianName: ["parent", "parent name", "guardian name"],
  guardianPhone: ["parent phone", "mobile", "parent mobile"], guardianEmail: ["parent email"], employeeCode: ["code", "staff id", "employee id"],
    phone: ["mobile", "telephone", "telefono"], email: ["mail", "correo"],
  rollNo: ["roll number"], gender: ["sex", "sexo"],
}

/** The column that a heading means, or "". */
export function guess(heading: string, columns: string[]): string {
  const key = (s: string) => s.normalize("NFD").toLowerCase().replace(/[^a-z0-9]/g, "")
  const want = key(heading)
  return columns.find((c) => key(c) === want || key(labelOf(c)) === want) ?? columns.find((c) => others[c]?.some((o) => key(o) === want)) ?? ""
}
