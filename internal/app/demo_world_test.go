package app_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"homeroom/internal/app"
	"homeroom/internal/apptest"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/unscoped"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/web"
)

// demoWorld is the first demo school, with an account of each role signed in.
type demoWorld struct {
	*testing.T
	s   *apptest.Service
	at  id.ID
	who map[actor.Role]*apptest.Account
	f   fixtures // records of these accounts
}

// demoCalls are the parameters of the administrator's lists that need some. Those of the
// other roles are in looks, unless named here.
var demoCalls = map[string]look{
	"GET /school-admin/attendance/list":               {query: m{"classId": "$class"}},
	"GET /school-admin/attendance/absentees":          {query: m{"date": "$absentDay"}},
	"GET /school-admin/transport/route/{id}/students": {path: []string{"$route"}},
	"GET /school-admin/message/thread/{id}":           {path: []string{"$officeThread"}},
	"GET /school-admin/employee/{id}/assignments":     {path: []string{"$employee"}},
	"GET /school-admin/announcement/{id}/reads":       {path: []string{"$ownNews"}},
	"GET /school-admin/webhook/{id}/deliveries":       {path: []string{"$webhook"}},
	"GET /super-admin/webhook/{id}/deliveries":        {path: []string{"$platformWebhook"}},
	"GET /driver/student/list":                        {query: m{"tripId": "$trip"}},
	"GET /bus-tracking/trip/{tripId}/students":        {path: []string{"$trip"}},
	"GET /bus-tracking/incidents/{busId}":             {path: []string{"$bus"}},
}

func newDemoWorld(t *testing.T, s *apptest.Service) *demoWorld {
	t.Helper()
	w := &demoWorld{T: t, s: s, who: map[actor.Role]*apptest.Account{actor.SuperAdmin: s.Super}, f: fixtures{}}
	for _, d := range app.DemoAccounts()[1:5] {
		var err error
		w.at, err = db.One[id.ID](t.Context(), s.DB.Across(unscoped.Permit{}), `SELECT id FROM schools WHERE code = :code`,
			db.Args{"code": d.School})
		if err != nil {
			t.Fatal(err)
		}
		a := &apptest.Account{School: w.at, Role: d.Role, Phone: d.Phone, Email: d.Email}
		a.ID = w.one(`SELECT id FROM users WHERE school_id = :school AND role = :role AND (phone = :phone OR email = :email)`,
			db.Args{"role": d.Role, "phone": d.Phone, "email": d.Email})
		w.who[d.Role] = a
	}
	for _, a := range w.who {
		s.SignIn(t, a)
		s.SignIn(t, a)
	}
	w.find()
	w.fill()
	return w
}

// find looks up the records that calls name.
func (w *demoWorld) find() {
	w.Helper()
	for _, r := range []struct{ name, sql string }{
		{"employee", `SELECT id FROM employees WHERE school_id = :school AND user_id = :teacher`},
		{"class", `SELECT class_id FROM teacher_assignments WHERE school_id = :school AND employee_id = :employee AND is_class_teacher`},
		{"division", `SELECT division_id FROM teacher_assignments WHERE school_id = :school AND employee_id = :employee AND is_class_teacher`},
		{"student", `
			SELECT s.id FROM students s JOIN student_guardians l ON l.school_id = s.school_id AND l.student_id = s.id
			JOIN guardians g ON g.school_id = s.school_id AND g.id = l.guardian_id
			WHERE s.school_id = :school AND s.division_id = :division AND g.user_id = :parent`},
		{"spareStudent", `SELECT id FROM students WHERE school_id = :school AND division_id = :division AND id <> :student LIMIT 1`},
		{"bus", `
			SELECT b.id FROM buses b JOIN employees e ON e.school_id = b.school_id AND e.id = b.driver_id
			WHERE b.school_id = :school AND e.user_id = :driver`},
		{"route", `SELECT route_id FROM buses WHERE school_id = :school AND id = :bus`},
		{"trip", `SELECT id FROM trips WHERE school_id = :school AND bus_id = :bus ORDER BY date DESC, id DESC LIMIT 1`},
		{"ride", `SELECT id FROM trips WHERE school_id = :school AND id = :trip`},
		{"feeHead", `SELECT id FROM fee_heads WHERE school_id = :school LIMIT 1`},
		{"book", `
			SELECT id FROM library_books WHERE school_id = :school
			AND id NOT IN (SELECT book_id FROM library_copies WHERE school_id = :school AND status = 'ISSUED') LIMIT 1`},
		{"role", `SELECT id FROM roles WHERE school_id = :school AND type = 'TEACHER' AND is_system`},
		{"transport", `SELECT id FROM modules WHERE :school <> '' AND name = 'transport'`},
		{"absentDay", `SELECT date FROM attendance WHERE school_id = :school AND status = 'ABSENT' GROUP BY date ORDER BY COUNT(*) DESC LIMIT 1`},
	} {
		args := db.Args{"teacher": w.who[actor.Teacher].ID, "parent": w.who[actor.Parent].ID, "driver": w.who[actor.Driver].ID}
		for name, v := range w.f {
			args[name] = v
		}
		w.f[r.name] = w.one(r.sql, named(r.sql, args))
	}
}

// fill adds to lists that have less than two rows.
func (w *demoWorld) fill() {
	w.Helper()
	head, student, day := w.f["feeHead"], w.f["student"], leaveDay
	for _, c := range []struct {
		role actor.Role
		path string
		body m
	}{
		{actor.SchoolAdmin, "academic-year/create", m{"name": "Later", "startDate": day(900), "endDate": day(1200)}},
		{actor.SchoolAdmin, "grade-scale/create", m{"name": "Other", "bands": list{m{"grade": "A", "minPercent": 50}}}},
		{actor.SchoolAdmin, "announcement/create", m{"title": "Ice", "body": "Drive slowly.", "audience": "DRIVERS"}},
		{actor.SchoolAdmin, "announcement/create", m{"title": "Snow", "body": "Drive slowly.", "audience": "DRIVERS"}},
		{actor.SchoolAdmin, "fee/charge/create", m{"studentId": student, "feeHeadId": head, "amount": 50}},
		{actor.SchoolAdmin, "fee/opening/create", m{"studentId": student, "owed": 20}},
		{actor.SchoolAdmin, "fee/opening/create", m{"studentId": w.f["spareStudent"], "advance": 20}},
		{actor.SchoolAdmin, "fee/concession/grant", m{"studentId": student, "amount": 5}},
		{actor.SchoolAdmin, "fee/collection/record", m{"studentId": w.f["spareStudent"], "amount": 90000, "method": "CASH"}},
		{actor.SchoolAdmin, "fee/refund/create", m{"studentId": w.f["spareStudent"], "amount": 1, "method": "CASH"}},
		{actor.SchoolAdmin, "fee/refund/create", m{"studentId": w.f["spareStudent"], "amount": 2, "method": "CASH"}},
		{actor.SchoolAdmin, "library/reservation/create", m{"bookId": w.f["book"], "studentId": student}},
		{actor.SchoolAdmin, "library/reservation/create", m{"bookId": w.f["book"], "studentId": w.f["spareStudent"]}},
		{actor.Driver, "incident/report", m{"type": "other", "busId": w.f["bus"]}},
		{actor.Driver, "incident/report", m{"type": "other", "busId": w.f["bus"], "severity": "LOW"}},
		{actor.Parent, "leave/apply", m{"studentId": student, "type": "SICK", "fromDate": day(20)}},
		{actor.Parent, "leave/apply", m{"studentId": student, "type": "SICK", "fromDate": day(30)}},
		{actor.Driver, "leave/apply", m{"type": "SICK", "fromDate": day(20)}},
		{actor.Driver, "leave/apply", m{"type": "SICK", "fromDate": day(30)}},
		{actor.Teacher, "leave/apply", m{"type": "SICK", "fromDate": day(20)}},
		{actor.Teacher, "leave/apply", m{"type": "SICK", "fromDate": day(30)}},
	} {
		w.s.Call(w.T, w.who[c.role], "POST", "/"+c.role.Prefix()+"/"+c.path, c.body).OK()
	}
	w.imports()
	w.hooks()
	w.s.Call(w.T, w.who[actor.SchoolAdmin], "PUT", "/school-admin/role/"+w.f["role"].String()+"/permissions",
		m{"permissions": list{m{"moduleId": w.f["transport"], "canRead": true}}}).OK()
	for range 2 {
		for _, role := range []actor.Role{actor.SchoolAdmin, actor.SuperAdmin} {
			w.s.Call(w.T, nil, "POST", "/auth/login", m{"email": w.who[role].Email, "password": "wrong password"}).Want(401, "Unauthorized")
		}
	}
	w.f["ownNews"] = id.ID(w.s.Call(w.T, w.who[actor.Teacher], "POST", "/teacher/announcement/create",
		m{"title": "Homework", "body": "None today.", "audience": "DIVISION", "divisionIds": list{w.f["division"]}}).OK().Text("id"))
	w.write("thread", actor.Parent, m{"recipientId": w.who[actor.Teacher].ID, "studentId": student, "body": "Hello"})
	w.write("officeThread", actor.SchoolAdmin, m{"recipientId": w.who[actor.Parent].ID, "studentId": student, "body": "Hello"})
	w.write("driverThread", actor.SchoolAdmin, m{"recipientId": w.who[actor.Driver].ID, "body": "Hello"})
	w.exec(`
		INSERT INTO timetable_overrides (school_id, id, academic_year_id, class_id, division_id, date, day_of_week, period_no,
			is_cancelled, created_at, updated_at)
		SELECT t.school_id, t.division_id, t.academic_year_id, d.class_id, d.id, '2026-01-05', 1, 1, TRUE, d.created_at, d.created_at
		FROM timetables t JOIN divisions d ON d.school_id = t.school_id AND d.id = t.division_id WHERE t.school_id = :school`)
	w.exec(`
		UPDATE student_stops SET stop_id = (SELECT o.stop_id FROM student_stops o WHERE o.school_id = :school AND o.student_id = :student)
		WHERE school_id = :school AND student_id IN (
			SELECT l.student_id FROM student_guardians l JOIN guardians g ON g.school_id = l.school_id AND g.id = l.guardian_id
			WHERE l.school_id = :school AND g.user_id = :parent)`)
	w.exec(`
		UPDATE trips SET status = 'in_progress', started_at = created_at WHERE school_id = :school AND status = 'scheduled'
		AND NOT EXISTS (SELECT 1 FROM trips o WHERE o.school_id = trips.school_id AND o.bus_id = trips.bus_id
			AND o.status = 'scheduled' AND o.id < trips.id)`)
}

// hooks registers two webhooks for the school and for the platform, and queues two tests of one.
func (w *demoWorld) hooks() {
	w.Helper()
	for role, name := range map[actor.Role]string{actor.SchoolAdmin: "webhook", actor.SuperAdmin: "platformWebhook"} {
		at := "/" + role.Prefix() + "/webhook/"
		for range 2 {
			w.f[name] = id.ID(w.s.Call(w.T, w.who[role], "POST", at+"create",
				m{"url": "https://example.org/hook", "events": list{"year.created"}}).OK().Text("id"))
		}
		for range 2 {
			w.s.Call(w.T, w.who[role], "POST", at+w.f[name].String()+"/test", nil).OK()
		}
	}
}

// imports imports two files of each kind. The first opening balance is cancelled, so that
// the second can be entered.
func (w *demoWorld) imports() {
	w.Helper()
	post := func(path string, body any, headers ...string) apptest.Object {
		return w.s.Call(w.T, w.who[actor.SchoolAdmin], "POST", "/school-admin/"+path, body, headers...).OK()
	}
	files := importFiles(w.T, w.s, w.who[actor.SchoolAdmin])
	for i := range 2 {
		for kind, file := range files {
			r := post(kind+"/import", file, "Content-Type", "text/csv")
			if r["created"] != 1.0 {
				w.Fatalf("import %d of %s: %v", i, kind, r)
			}
			if kind == "fee/opening" && i == 0 {
				post("fee/opening/import/"+r.Text("id")+"/undo", m{})
			}
		}
	}
}

func (w *demoWorld) exec(sql string) {
	w.Helper()
	args := named(sql, db.Args{"student": w.f["student"], "parent": w.who[actor.Parent].ID})
	if _, err := db.Exec(w.Context(), w.s.DB.School(w.at), sql, args); err != nil {
		w.Fatal(err)
	}
}

// write sends a message twice, and keeps the conversation.
func (w *demoWorld) write(thread string, from actor.Role, body m) {
	w.Helper()
	for range 2 {
		sent := w.s.Call(w.T, w.who[from], "POST", "/"+from.Prefix()+"/message/send", body).OK()
		w.f[thread] = id.ID(sent.Object("thread").Text("id"))
	}
}

// one reads the only value that a statement finds.
func (w *demoWorld) one(sql string, a db.Args) id.ID {
	w.Helper()
	v, err := db.One[id.ID](w.Context(), w.s.DB.School(w.at), sql, a)
	if err != nil {
		w.Fatalf("%s: %v", sql, err)
	}
	return v
}

// named returns the arguments that a statement names.
func named(sql string, a db.Args) db.Args {
	out := db.Args{}
	for name, v := range a {
		if strings.Contains(sql, ":"+name) {
			out[name] = v
		}
	}
	return out
}

// url returns the route's address as the role calls it, and the parameters that it needs.
func (w *demoWorld) url(rt web.Route, role actor.Role) string {
	w.Helper()
	of, ok := demoCalls[rt.Pattern()]
	if i := slices.IndexFunc(looks[role], func(l look) bool { return l.route == rt.Pattern() }); i >= 0 && !ok {
		of = looks[role][i]
	}
	value := func(v string) string {
		if name, ok := strings.CutPrefix(v, "$"); ok {
			return w.f[name].String()
		}
		return v
	}
	if n := strings.Count(rt.Path, "{"); n != len(of.path) {
		w.Fatalf("%s as %s needs %d ids: name them in demoCalls", rt.Pattern(), role, n)
	}
	i := 0
	path := param.ReplaceAllStringFunc(rt.Path, func(string) string { i++; return value(of.path[i-1]) })
	q := url.Values{}
	for name, v := range of.query {
		q.Set(name, value(v.(string)))
	}
	return path + "?" + q.Encode() + "&"
}

// count makes the call twice, because the first may fill caches, and counts the
// statements and the rows of the second.
func (w *demoWorld) count(role actor.Role, url string) (statements int64, rows int) {
	w.Helper()
	w.s.Call(w.T, w.who[role], "GET", url, nil)
	before := w.s.DB.Statements()
	r := w.s.Call(w.T, w.who[role], "GET", url, nil)
	statements = w.s.DB.Statements() - before
	if r.Status != 200 {
		w.Errorf("%s as %s: %d %s", url, role, r.Status, r.Body)
		return statements, 0
	}
	for _, v := range r.OK() {
		if list, ok := v.([]any); ok {
			rows = max(rows, len(list))
		}
	}
	return statements, rows
}
