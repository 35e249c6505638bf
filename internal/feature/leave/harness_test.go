package leave_test

import (
	"testing"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/dbtest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

type (
	m    = apptest.M
	list = apptest.List
)

// world is the school North on a Monday morning. Ann, the school's Teacher, is class
// teacher of One A, Bob of the whole class One, and Cid teaches in One A. Mia is in A,
// with the guardians Parent and Uncle; Noa is in B, with Parent; Zoe is in A, with
// neither.
type world struct {
	*apptest.World
	monday        clock.Date
	class, a, b   string
	mia, noa, zoe string
	ann, bob, cid string // employees
	bobs, cids    *apptest.Account
	uncle         *apptest.Account
}

func each(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	apptest.Worlds(t, newWorld, test)
}

func newWorld(base *apptest.World) *world {
	base.Helper()
	w := &world{World: base, monday: base.Monday(8)}
	w.class = w.Make("class/create", m{"name": "One"})
	w.a = w.Make("division/create", m{"classId": w.class, "name": "A"})
	w.b = w.Make("division/create", m{"classId": w.class, "name": "B"})
	w.ann = w.Make("employee/create", m{"firstName": "Ann", "lastName": "Lee", "phone": w.North.Teacher.Phone})
	w.bob = w.Make("employee/create", m{"firstName": "Bob", "phone": "+15550100001"})
	w.cid = w.Make("employee/create", m{"firstName": "Cid", "phone": "+15550100002"})
	for employee, assignment := range map[string]m{
		w.ann: {"classId": w.class, "divisionId": w.a, "isClassTeacher": true},
		w.bob: {"classId": w.class, "isClassTeacher": true},
		w.cid: {"classId": w.class, "divisionId": w.a},
	} {
		w.Make("employee/"+employee+"/assignments", m{"assignments": list{assignment}})
	}
	parent, uncle := m{"name": "Pat", "phone": w.North.Parent.Phone}, m{"name": "Una", "phone": "+15550100003"}
	w.mia = w.Make("student/create", m{"firstName": "Mia", "lastName": "Roe", "classId": w.class, "divisionId": w.a,
		"guardians": list{parent, uncle}})
	w.noa = w.Make("student/create", m{"firstName": "Noa", "classId": w.class, "divisionId": w.b, "guardians": list{parent}})
	w.zoe = w.Make("student/create", m{"firstName": "Zoe", "admissionNo": "Z1", "classId": w.class, "divisionId": w.a,
		"guardians": list{uncle}})
	w.bobs, w.cids = w.Account(actor.Teacher, "+15550100001"), w.Account(actor.Teacher, "+15550100002")
	w.uncle = w.Account(actor.Parent, "+15550100003")
	return w
}

// day is the n-th day after the Monday.
func (w *world) day(n int) string { return string(w.monday.AddDays(n)) }

// days is an application for the from-th to the to-th day after the Monday.
func (w *world) days(from, to int) m {
	return m{"type": "SICK", "fromDate": w.day(from), "toDate": w.day(to), "reason": "Fever"}
}

// ask applies for a student's leave as Parent.
func (w *world) ask(student string, body m) apptest.Reply {
	w.Helper()
	return w.As(w.North.Parent, "POST", "/parent/leave/apply", apptest.With(body, "studentId", student))
}

// askOwn applies for a teacher's leave.
func (w *world) askOwn(who *apptest.Account, body m) apptest.Reply {
	w.Helper()
	return w.As(who, "POST", "/teacher/leave/apply", body)
}

// act calls an action on a leave.
func (w *world) act(who *apptest.Account, leave, action string) apptest.Reply {
	w.Helper()
	return w.As(who, "POST", "/"+who.Role.Prefix()+"/leave/"+leave+"/"+action, m{})
}

// status is the status of a leave.
func (w *world) status(leave string) string {
	w.Helper()
	return w.Admin("GET", "/school-admin/leave/"+leave, nil).OK().Text("status")
}

// told counts a user's LEAVE_REQUEST notifications and the push notifications to a
// topic.
func (w *world) told(who *apptest.Account, topic string) (logged, pushed int) {
	w.Helper()
	return w.Count(`notifications WHERE school_id = :school AND user_id = :user AND type = 'LEAVE_REQUEST'`, db.Args{"user": who.ID}),
		w.Count(`deliveries WHERE school_id = :school AND to_addr = :topic`, db.Args{"topic": topic})
}
