package leave_test

import (
	"fmt"
	"testing"
	"time"

	"homeroom/internal/apptest"
	"homeroom/internal/feature/file/filetest"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/dbtest"
	"homeroom/internal/platform/id"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

type (
	m    = map[string]any
	list = []any
)

// world is the school North on a Monday morning. Ann, the school's Teacher, is class
// teacher of One A, Bob of the whole class One, and Cid teaches in One A. Mia is in A,
// with the guardians Parent and Uncle; Noa is in B, with Parent; Zoe is in A, with
// neither.
type world struct {
	*apptest.Service
	testing.TB
	monday        clock.Date
	class, a, b   string
	mia, noa, zoe string
	ann, bob, cid string // employees
	bobs, cids    *apptest.Account
	uncle         *apptest.Account
}

func each(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	t.Parallel()
	apptest.Each(t, func(t *testing.T, s *apptest.Service) { test(t, newWorld(t, s)) })
}

func newWorld(t testing.TB, s *apptest.Service) *world {
	t.Helper()
	w := &world{Service: s, TB: t}
	now := s.Now()
	monday := now.Truncate(24*time.Hour).AddDate(0, 0, (8-int(now.Weekday()))%7+7).Add(8 * time.Hour)
	w.pass(monday.Sub(now))
	w.monday = clock.DateIn(monday, "UTC")
	admin := s.North.Admin
	make := func(path string, body m) string {
		t.Helper()
		return w.call(admin, "POST", "/school-admin/"+path, body).OK().Text("id")
	}
	w.class = make("class/create", m{"name": "One"})
	w.a = make("division/create", m{"classId": w.class, "name": "A"})
	w.b = make("division/create", m{"classId": w.class, "name": "B"})
	w.ann = make("employee/create", m{"firstName": "Ann", "lastName": "Lee", "phone": s.North.Teacher.Phone})
	w.bob = make("employee/create", m{"firstName": "Bob", "phone": "+15550100001"})
	w.cid = make("employee/create", m{"firstName": "Cid", "phone": "+15550100002"})
	for employee, assignment := range map[string]m{
		w.ann: {"classId": w.class, "divisionId": w.a, "isClassTeacher": true},
		w.bob: {"classId": w.class, "isClassTeacher": true},
		w.cid: {"classId": w.class, "divisionId": w.a},
	} {
		make("employee/"+employee+"/assignments", m{"assignments": list{assignment}})
	}
	parent, uncle := m{"name": "Pat", "phone": s.North.Parent.Phone}, m{"name": "Una", "phone": "+15550100003"}
	w.mia = make("student/create", m{"firstName": "Mia", "lastName": "Roe", "classId": w.class, "divisionId": w.a,
		"guardians": list{parent, uncle}})
	w.noa = make("student/create", m{"firstName": "Noa", "classId": w.class, "divisionId": w.b, "guardians": list{parent}})
	w.zoe = make("student/create", m{"firstName": "Zoe", "admissionNo": "Z1", "classId": w.class, "divisionId": w.a, "guardians": list{uncle}})
	w.bobs, w.cids = w.account("employees", w.bob, actor.Teacher), w.account("employees", w.cid, actor.Teacher)
	w.uncle = w.account("guardians", w.one(`SELECT id FROM guardians WHERE school_id = :school AND name = 'Una'`, nil), actor.Parent)
	return w
}

// account signs in the user of a record.
func (w *world) account(table, record string, role actor.Role) *apptest.Account {
	w.Helper()
	user := w.one(`SELECT user_id FROM `+table+` WHERE school_id = :school AND id = :id`, db.Args{"id": id.ID(record)})
	a := &apptest.Account{ID: id.ID(user), School: w.North.ID, Role: role}
	w.SignIn(w.TB, a)
	return a
}

// one reads one value from North's tables.
func (w *world) one(sql string, a db.Args) string {
	w.Helper()
	v, err := db.One[string](w.Context(), w.DB.School(w.North.ID), sql, a)
	if err != nil {
		w.Fatal(err)
	}
	return v
}

// pass moves the clock and signs everyone in again.
func (w *world) pass(d time.Duration) {
	w.Helper()
	w.Clock.Add(d)
	for _, a := range append(w.Everyone(), w.South.Admin, w.South.Parent, w.South.Teacher, w.bobs, w.cids, w.uncle) {
		if a != nil {
			w.SignIn(w.TB, a)
		}
	}
}

// day is the n-th day after the Monday.
func (w *world) day(n int) string { return string(w.monday.AddDays(n)) }

func (w *world) call(who *apptest.Account, method, path string, body any) apptest.Reply {
	w.Helper()
	return w.Call(w.TB, who, method, path, body)
}

// with is a copy of a body with some values changed; nil removes one.
func with(body m, pairs ...any) m {
	out := m{}
	for k, v := range body {
		out[k] = v
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		if out[pairs[i].(string)] = pairs[i+1]; pairs[i+1] == nil {
			delete(out, pairs[i].(string))
		}
	}
	return out
}

// days is an application for the from-th to the to-th day after the Monday.
func (w *world) days(from, to int) m {
	return m{"type": "SICK", "fromDate": w.day(from), "toDate": w.day(to), "reason": "Fever"}
}

// ask applies for a student's leave as Parent.
func (w *world) ask(student string, body m) apptest.Reply {
	w.Helper()
	return w.call(w.North.Parent, "POST", "/parent/leave/apply", with(body, "studentId", student))
}

// askOwn applies for a teacher's leave.
func (w *world) askOwn(who *apptest.Account, body m) apptest.Reply {
	w.Helper()
	return w.call(who, "POST", "/teacher/leave/apply", body)
}

// act calls an action on a leave.
func (w *world) act(who *apptest.Account, leave, action string) apptest.Reply {
	w.Helper()
	return w.call(who, "POST", "/"+who.Role.Prefix()+"/leave/"+leave+"/"+action, m{})
}

// status is the status of a leave.
func (w *world) status(leave string) string {
	w.Helper()
	return w.call(w.North.Admin, "GET", "/school-admin/leave/"+leave, nil).OK().Text("status")
}

// told counts a user's LEAVE_REQUEST notifications and the push notifications to a
// topic.
func (w *world) told(who *apptest.Account, topic string) (logged, pushed string) {
	w.Helper()
	logged = w.one(`SELECT CAST(COUNT(*) AS TEXT) FROM notifications WHERE school_id = :school AND user_id = :user AND type = 'LEAVE_REQUEST'`,
		db.Args{"user": who.ID})
	pushed = w.one(`SELECT CAST(COUNT(*) AS TEXT) FROM deliveries WHERE school_id = :school AND to_addr = :topic`, db.Args{"topic": topic})
	return logged, pushed
}

// audited counts the entries of an action in the audit log.
func (w *world) audited(action string) string {
	w.Helper()
	return w.one(`SELECT CAST(COUNT(*) AS TEXT) FROM audit_log WHERE school_id = :school AND action = :action`, db.Args{"action": action})
}

// texts returns one field of each item.
func texts(o apptest.Object, key string) (out []string) {
	for _, item := range o.Items() {
		out = append(out, fmt.Sprint(item[key]))
	}
	return out
}

// upload uploads a letter as a parent.
func (w *world) upload(by *apptest.Account) string {
	w.Helper()
	body, typ := filetest.Form("letter.pdf", filetest.PDF(300))
	return w.Call(w.TB, by, "POST", "/parent/file/upload", body, "Content-Type", typ).OK().Text("id")
}
