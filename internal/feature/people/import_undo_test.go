package people_test

import (
	"fmt"
	"strings"
	"testing"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
)

// registry is North with a class, for imports through the whole service.
type registry struct {
	*apptest.World
	class, division string
}

func eachRegistry(t *testing.T, test func(t *testing.T, o *registry)) {
	t.Helper()
	apptest.Worlds(t, func(w *apptest.World) *registry {
		o := &registry{World: w, class: w.Make("class/create", obj{"name": "Grade 5"})}
		o.division = w.Make("division/create", obj{"name": "A", "classId": o.class})
		return o
	}, test)
}

// imports imports a file and returns the import's id.
func (o *registry) imports(kind, file string) string {
	o.Helper()
	return o.Admin("POST", "/school-admin/"+kind+"/import", file, "Content-Type", "text/csv").OK().Text("id")
}

func (o *registry) undo(kind, made string) apptest.Reply {
	o.Helper()
	return o.Admin("POST", "/school-admin/"+kind+"/import/"+made+"/undo", obj{})
}

// rows counts what an import of people adds.
func (o *registry) rows() string {
	o.Helper()
	out := ""
	for _, table := range []string{"students", "guardians", "student_guardians", "enrolments", "employees"} {
		out += fmt.Sprint(table, " ", o.Count(table+` WHERE school_id = :school`, db.Args{}), ", ")
	}
	return out + fmt.Sprint("accounts ", o.Count(`users WHERE school_id = :school AND status <> 'DELETED'`, db.Args{}))
}

const familyFile = "admissionNo,firstName,class,division,guardianName,guardianPhone,guardian2Name,status\n" +
	"S-1,Ada,Grade 5,A,Eva,+15550109001,Grandma,\nS-2,Bob,Grade 5,A,Eva,+15550109001,,\nS-3,Old,Grade 5,A,Kim,+15550109002,,LEFT\n"

func TestUndoImport(t *testing.T) {
	eachRegistry(t, func(t *testing.T, o *registry) {
		o.Make("student/create", obj{"firstName": "Sib", "guardians": []obj{{"name": "Known", "phone": "+15550109003", "relation": "MOTHER"}}})
		before := o.rows()
		made := o.imports("student", familyFile+"S-4,Sis,,,Known again,+15550109003,,\n")
		done := o.undo("student", made).OK()
		apptest.Eq(t, "rows", o.rows(), before)
		apptest.Eq(t, "undone", fmt.Sprint(done["status"], " ", done["created"], " ", done["undoneByName"]), "UNDONE 4 Test SCHOOL_ADMIN")
		o.undo("student", made).Want(409, "Conflict")
		list := o.Admin("GET", "/school-admin/student/import/list", nil).OK().Items()
		apptest.Eq(t, "listed", fmt.Sprint(len(list), list[0]["id"], list[0]["status"]), fmt.Sprint(1, made, "UNDONE"))
		o.Audited("student.import-undo", 1)
		again := o.imports("student", familyFile) // the numbers and phones are free
		apptest.Eq(t, "total", o.Admin("GET", "/school-admin/student/import/list?status=DONE", nil).OK()["total"], any(1.0))
		o.Account(actor.Parent, "+15550109001") // the account of the second import works
		o.undo("student", again).Want(409, "Conflict")

		staff := o.imports("employee", "employeeCode,firstName,role,phone,email\nT1,Tia,TEACHER,+15550109101,\n"+
			"A1,Ann,SCHOOL_ADMIN,,ann@north.test\nN1,Nil,TEACHER,,\n")
		o.Drain() // the administrator's invitation is no reason to keep the import
		apptest.Eq(t, "employees", o.Count(`employees WHERE school_id = :school`, db.Args{}), 3)
		o.undo("employee", staff).OK()
		apptest.Eq(t, "employees", o.Count(`employees WHERE school_id = :school`, db.Args{}), 0)
		left := o.Count(`users WHERE school_id = :school AND (phone = '+15550109101' OR email = 'ann@north.test')`, db.Args{})
		apptest.Eq(t, "accounts", left, 0)
		o.imports("employee", "employeeCode,firstName,phone\nT1,Tia,+15550109101\n")
	})
}

// TestImportIsHeld: each thing that refers to what an import added prevents its undo, and is named.
func TestImportIsHeld(t *testing.T) {
	eachRegistry(t, func(t *testing.T, o *registry) {
		made := o.imports("student", familyFile)
		one := func(sql string) string { return o.One(sql, db.Args{}) }
		ada := one(`SELECT id FROM students WHERE school_id = :school AND admission_no = 'S-1'`)
		eva := one(`SELECT id FROM guardians WHERE school_id = :school AND name = 'Eva'`)
		user := one(`SELECT user_id FROM guardians WHERE school_id = :school AND name = 'Eva'`)
		staff := o.imports("employee", "employeeCode,firstName,phone\nT1,Tia,+15550109101\n")
		tia := one(`SELECT id FROM employees WHERE school_id = :school AND employee_code = 'T1'`)
		before := o.rows()
		a := db.Args{"ada": ada, "eva": eva, "user": user, "tia": tia, "now": o.Now()}
		for _, tt := range []struct{ kind, made, do, undo, says string }{
			{"student", made, `UPDATE students SET version = 7 WHERE school_id = :school AND id = :ada`,
				`UPDATE students SET version = 1 WHERE school_id = :school AND id = :ada`, "1 changed record."},
			{"student", made, `UPDATE guardians SET version = 2 WHERE school_id = :school AND id = :eva`,
				`UPDATE guardians SET version = 1 WHERE school_id = :school AND id = :eva`, "1 changed record."},
			{"student", made, `UPDATE users SET last_seen_at = :now WHERE school_id = :school AND id = :user`,
				`UPDATE users SET last_seen_at = NULL WHERE school_id = :school AND id = :user`, "1 person who has signed in."},
			{"student", made, `INSERT INTO attendance_alerts (school_id, student_id, date, period_no, told, updated_at)
				VALUES (:school, :ada, '2026-01-01', 0, 'ABSENT', :now)`,
				`DELETE FROM attendance_alerts WHERE school_id = :school`, "1 alert about attendance."},
			{"student", made, `INSERT INTO fee_accounts (school_id, student_id, due, advance, category, created_at, updated_at)
				VALUES (:school, :ada, 0, 0, 'STAFF', :now, :now)`, `DELETE FROM fee_accounts WHERE school_id = :school`, "1 fee category."},
			{"employee", staff, `UPDATE employees SET version = 2 WHERE school_id = :school AND id = :tia`,
				`UPDATE employees SET version = 1 WHERE school_id = :school AND id = :tia`, "1 changed record."},
		} {
			o.run(tt.do, a)
			r := o.undo(tt.kind, tt.made)
			r.Want(409, "Conflict")
			r.Has("This import can't be undone because of " + tt.says)
			o.run(tt.undo, a)
		}
		o.holdByCalls(ada, tia, made, staff)
		apptest.Eq(t, "rows", o.rows(), before)
		o.Audited("student.import-undo", 0)
	})
}

// run executes a statement with the arguments that it names.
func (o *registry) run(sql string, a db.Args) {
	o.Helper()
	named := db.Args{}
	for name, v := range a {
		if strings.Contains(sql, ":"+name+" ") || strings.Contains(sql, ":"+name+",") || strings.Contains(sql, ":"+name+")") ||
			strings.HasSuffix(sql, ":"+name) {
			named[name] = v
		}
	}
	o.Exec(sql, named)
}

// holdByCalls uses the records as an office does. Each call adds to what is named.
func (o *registry) holdByCalls(ada, tia, made, staff string) {
	o.Helper()
	post := func(path string, body obj) { o.Admin("POST", "/school-admin/"+path, body).OK() }
	day := o.Day(0)
	subject := o.Make("subject/create", obj{"name": "Maths", "classIds": []string{o.class}})
	post("fee/charge/create", obj{"studentId": ada, "name": "Books", "amount": 10})
	o.undo("student", made).Has("1 charge")
	post("fee/collection/record", obj{"studentId": ada, "amount": 15, "method": "CASH"})
	o.undo("student", made).Has("1 charge", "1 payment")
	post("fee/concession/grant", obj{"studentId": ada, "amount": 1})
	o.undo("student", made).Has("1 concession")
	book := o.Make("library/book/create", obj{"title": "Emma", "copies": []obj{{}}})
	post("library/reservation/create", obj{"bookId": book, "studentId": ada})
	o.undo("student", made).Has("1 reservation")
	post("leave/create", obj{"studentId": ada, "type": "SICK", "fromDate": day})
	o.undo("student", made).Has("1 leave")
	o.undo("student", made).Has("notifications") // of the charge and the payment
	o.Admin("POST", "/school-admin/student/import/"+made+"/undo", obj{}, "Accept-Language", "es").Has("no se puede deshacer", "1 cargo")

	post("employee/"+tia+"/assignments", obj{"assignments": []obj{{"classId": o.class, "divisionId": o.division, "subjectId": subject}}})
	o.undo("employee", staff).Has("1 class assignment")
	o.undo("employee", staff).Want(409, "Conflict")
}

// TestGuardianOfAnother: a guardian whom an import added and who has another child by now stays, and so does the import.
func TestGuardianOfAnother(t *testing.T) {
	eachRegistry(t, func(t *testing.T, o *registry) {
		made := o.imports("student", familyFile)
		eva := obj{"name": "Eva", "phone": "+15550109001", "relation": "MOTHER"}
		later := o.Make("student/create", obj{"firstName": "Later", "guardians": []obj{eva}})
		before := o.rows()
		o.undo("student", made).Want(409, "Conflict")
		o.undo("student", made).Has("because of 1 guardian with another child.")
		apptest.Eq(t, "rows", o.rows(), before)
		o.Admin("GET", "/school-admin/student/"+later, nil).Has("Eva")
	})
}

// TestUndoImportMisuse: only who may write reaches imports, of their own kind and school, and one of several undos wins.
func TestUndoImportMisuse(t *testing.T) {
	eachRegistry(t, func(t *testing.T, o *registry) {
		made := o.imports("student", familyFile)
		path := "/school-admin/student/import/" + made + "/undo"
		o.As(o.South.Admin, "POST", path, obj{}).Want(404, "Not Found")
		apptest.Eq(t, "imports of South", o.As(o.South.Admin, "GET", "/school-admin/student/import/list", nil).OK()["total"], any(0.0))
		o.undo("employee", made).Want(404, "Not Found") // the permission of another module does not help
		o.undo("student", string(o.NewID())).Want(404, "Not Found")
		for _, who := range []*apptest.Account{o.North.Teacher, o.North.Parent, o.North.Driver} {
			o.As(who, "POST", path, obj{}).Want(403, "PERMISSION_DENIED")
			o.As(who, "GET", "/school-admin/student/import/list", nil).Want(403, "PERMISSION_DENIED")
		}
		o.As(nil, "POST", path, obj{}).Want(401, "Unauthorized")
		dry := o.Admin("POST", "/school-admin/student/import?dryRun=true", "firstName\nDry\n", "Content-Type", "text/csv").OK()
		apptest.Eq(t, "id of a dry run", dry["id"], nil)
		changed := o.imports("student", "admissionNo,firstName\nS-9,Nia\n")
		update := o.Admin("POST", "/school-admin/student/import?mode=upsert", "admissionNo,firstName\nS-9,Nina\nS-10,Neu\n",
			"Content-Type", "text/csv").OK()
		o.undo("student", update.Text("id")).Has("1 record that existed before and was changed")
		o.undo("student", changed).Has("1 changed record")
		got := apptest.AtOnce(6, func(int) apptest.Reply { return o.Call(t, o.North.Admin, "POST", path, obj{}) })
		apptest.Eq(t, "at once", fmt.Sprint(got), "map[200:1 409:5]")
	})
}

// TestUndoOfAdministrators: nobody removes an administrator with more permissions by undoing an import.
func TestUndoOfAdministrators(t *testing.T) {
	eachRegistry(t, func(t *testing.T, o *registry) {
		role := o.Make("role/create", obj{"name": "Clerk", "type": "SCHOOL_ADMIN"})
		module := o.One(`SELECT id FROM modules WHERE name = 'employee' AND :school <> ''`, db.Args{})
		o.Admin("PUT", "/school-admin/role/"+role+"/permissions",
			obj{"permissions": []obj{{"moduleId": module, "canRead": true, "canWrite": true}}}).OK()
		o.Make("employee/create", obj{"firstName": "Cle", "roleId": role, "email": "clerk@north.test"})
		clerk := o.Account(actor.SchoolAdmin, "clerk@north.test")
		made := o.imports("employee", "firstName,role,email\nAnn,SCHOOL_ADMIN,ann@north.test\n")
		o.As(clerk, "POST", "/school-admin/employee/import/"+made+"/undo", obj{}).Want(403, "PERMISSION_DENIED")
		o.undo("employee", made).OK()
		made = o.imports("employee", "firstName,phone\nTea,"+o.North.Teacher.Phone+"\n")
		o.undo("employee", made).Has("1 account that existed before")
		o.As(o.North.Teacher, "GET", "/teacher/school", nil).OK()
	})
}
