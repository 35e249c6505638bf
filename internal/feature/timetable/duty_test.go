package timetable_test

import (
	"fmt"
	"strings"
	"testing"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/actor"
)

const staff = "/school-admin/employee/"

// duties returns what depends on an employee.
func (w *absence) duties(employee string) string {
	w.Helper()
	var out []string
	for _, d := range w.Admin("GET", staff+employee+"/duties", nil).OK().Objects("duties") {
		out = append(out, fmt.Sprint(d["kind"], " ", d["name"], " ", d["count"]))
	}
	return strings.Join(out, "; ")
}

func (w *absence) assign(employee string, assigned ...any) {
	w.Helper()
	w.Admin("POST", staff+employee+"/assignments", m{"assignments": assigned}).OK()
}

// TestTeacherHandsOver moves the assignments and lessons of a teacher who leaves.
func TestTeacherHandsOver(t *testing.T) {
	absences(t, func(t *testing.T, w *absence) {
		a := m{"classId": w.class, "divisionId": w.a, "isClassTeacher": true}
		w.assign(w.ann, a, m{"classId": w.class, "divisionId": w.b, "subjectId": w.maths})
		w.assign(w.bob, m{"classId": w.class, "divisionId": w.a})
		w.As(w.North.Teacher, "POST", "/teacher/leave/apply", m{"type": "SICK", "fromDate": w.Day(3)}).OK()
		w.Make("library/book/create", m{"title": "Atlas", "copies": []any{m{"accessionNo": "L-1"}}})
		w.Make("library/loan/issue", m{"accessionNo": "L-1", "employeeId": w.ann})
		lessons := "; LESSON One A, Mathematics 1; LESSON One B, Mathematics 1"
		kept := "LOAN Atlas 1; LEAVE SICK 1"
		apptest.Eq(t, "duties of Ann", w.duties(w.ann), "ASSIGNMENT One A 1; ASSIGNMENT One B, Mathematics 1"+lessons+"; "+kept)

		w.mark(0, w.b, w.noa).Want(403, "PERMISSION_DENIED")
		got := w.Admin("POST", staff+w.ann+"/hand-over", m{"toEmployeeId": w.bob}).OK().Objects("moved")
		if s := fmt.Sprint(got); s != "[map[count:2 kind:ASSIGNMENT] map[count:2 kind:LESSON] map[count:0 kind:BUS] map[count:0 kind:TRIP]]" {
			t.Errorf("moved: %s", s)
		}
		apptest.Eq(t, "duties of Ann after that", w.duties(w.ann), kept)
		apptest.Eq(t, "duties of Bob", w.duties(w.bob), "ASSIGNMENT One A 1; ASSIGNMENT One B, Mathematics 1"+lessons)
		w.mark(0, w.b, w.noa).OK()
		if list := w.Admin("GET", staff+w.bob+"/assignments", nil).OK().Objects("assignments"); list[0]["isClassTeacher"] != true {
			t.Errorf("Bob is not the class teacher: %v", list)
		}
		w.Audited("employee.hand-over", 1)
		if week := w.Admin("GET", path+"?classId="+w.class+"&divisionId="+w.a, nil).OK(); week["version"] != 2.0 {
			t.Errorf("a planner with the old timetable open would undo this: %v", week)
		}
		w.Admin("POST", staff+w.ann+"/hand-over", m{"toEmployeeId": w.bob}).OK() // nothing left
		w.Audited("employee.hand-over", 1)
	})
}

// TestTeacherLeaves: with handOverTo nothing is left behind, else lessons need cover.
func TestTeacherLeaves(t *testing.T) {
	absences(t, func(t *testing.T, w *absence) {
		needed := func() []apptest.Object { return w.Admin("GET", path+"/cover", nil).OK().Objects("lessons") }
		w.Admin("PUT", staff+w.ann, m{"handOverTo": w.bob}).Want(422, "Unprocessable Entity")
		w.Admin("PUT", staff+w.ann, m{"status": "RESIGNED"}).OK()
		if got := needed(); len(got) != 2 || got[0]["teacherLeft"] != true || got[0]["leaveHalf"] != nil {
			t.Errorf("lessons of a teacher who resigned: %v", got)
		}
		w.Admin("PUT", staff+w.ann, m{"status": "RESIGNED", "handOverTo": w.bob}).OK()
		apptest.Eq(t, "lessons that need cover", len(needed()), 0)
		cid := w.Make("employee/create", m{"firstName": "Cid"})
		if r := w.Admin("DELETE", staff+w.bob+"?handOverTo="+cid, nil); r.Status != 204 {
			t.Errorf("DELETE: got %d %s", r.Status, r.Body)
		}
		apptest.Eq(t, "duties of Cid", w.duties(cid), "LESSON One A, Mathematics 1; LESSON One B, Mathematics 1")
		w.Admin("DELETE", staff+cid, nil).OK()
		apptest.Eq(t, "lessons of a deleted teacher", len(needed()), 2)
	})
}

// TestHandOverRefused: a clash, the wrong person or a missing permission moves nothing.
func TestHandOverRefused(t *testing.T) {
	absences(t, func(t *testing.T, w *absence) {
		w.assign(w.ann, m{"classId": w.class, "divisionId": w.b})
		before := w.duties(w.ann)
		c := w.Make("division/create", m{"classId": w.class, "name": "C"})
		w.Admin("PUT", path, m{"classId": w.class, "divisionId": c, "periods": []any{
			m{"dayOfWeek": 1, "periodNo": 1, "startTime": "09:30", "endTime": "10:30", "subjectId": w.maths, "teacherId": w.bob}}}).OK()
		e := w.Admin("POST", staff+w.ann+"/hand-over", m{"toEmployeeId": w.bob}).Want(409, "Conflict")
		if !strings.Contains(e.Message, "Bob would be booked twice") {
			t.Errorf("message: %s", e.Message)
		}
		w.Admin("DELETE", staff+w.ann+"?handOverTo="+w.bob, nil).Want(409, "Conflict")
		driver := w.Make("employee/create", m{"firstName": "Dan", "roleId": w.Role(actor.Driver)})
		gone := w.Make("employee/create", m{"firstName": "Eve", "status": "RESIGNED"})
		far := w.As(w.South.Admin, "POST", staff+"create", m{"firstName": "Far"}).OK().Text("id")
		for to, status := range map[string]int{w.ann: 409, driver: 409, gone: 409, far: 404, string(w.NewID()): 404} {
			for _, r := range []apptest.Reply{w.Admin("POST", staff+w.ann+"/hand-over", m{"toEmployeeId": to}),
				w.Admin("PUT", staff+w.ann, m{"status": "RESIGNED", "handOverTo": to})} {
				if r.Status != status {
					t.Errorf("to %s: %d %s, want %d", to, r.Status, r.Body, status)
				}
			}
		}
		w.As(w.South.Admin, "GET", staff+w.ann+"/duties", nil).Want(404, "Not Found")
		w.As(w.South.Admin, "POST", staff+w.ann+"/hand-over", m{"toEmployeeId": far}).Want(404, "Not Found")

		// A clerk of the staff's records may not plan lessons.
		role := w.Make("role/create", m{"name": "Clerk", "type": "SCHOOL_ADMIN"})
		rights := "/school-admin/role/" + role + "/permissions"
		for _, p := range w.Admin("GET", rights, nil).OK().Objects("permissions") {
			if p.Text("module") == "employee" {
				w.Admin("PUT", rights, m{"permissions": []any{
					m{"moduleId": p["moduleId"], "canRead": true, "canWrite": true, "canDelete": true}}}).OK()
			}
		}
		w.Make("employee/create", m{"firstName": "Kit", "email": "kit@north.example", "roleId": role})
		kit := w.Account(actor.SchoolAdmin, "kit@north.example")
		w.As(kit, "GET", staff+w.ann+"/duties", nil).HasNot("LESSON")
		w.As(kit, "POST", staff+w.ann+"/hand-over", m{"toEmployeeId": w.bob}).Want(403, "PERMISSION_DENIED")
		apptest.Eq(t, "duties of Ann", w.duties(w.ann), before)
		if s := w.Admin("GET", staff+w.ann, nil).OK(); s["status"] != "ACTIVE" {
			t.Errorf("Ann: %v", s)
		}
	})
}

// TestHandOverAtOnce hands over to two teachers at once: one gets everything.
func TestHandOverAtOnce(t *testing.T) {
	absences(t, func(t *testing.T, w *absence) {
		place := m{"classId": w.class, "divisionId": w.a}
		w.assign(w.ann, apptest.With(place, "isClassTeacher", true))
		cid := w.Make("employee/create", m{"firstName": "Cid"})
		both := []string{w.bob, cid}
		for _, e := range both {
			w.assign(e, place)
		}
		got := apptest.AtOnce(2, func(i int) apptest.Reply {
			return w.Admin("POST", staff+w.ann+"/hand-over", m{"toEmployeeId": both[i]})
		})
		apptest.Eq(t, "successful calls", got[200], 2)
		w.Audited("employee.hand-over", 1)
		apptest.Eq(t, "duties of Ann", w.duties(w.ann), "")
		apptest.Eq(t, "class teachers", w.Count(`teacher_assignments WHERE school_id = :school AND is_class_teacher`, nil), 1)
	})
}
