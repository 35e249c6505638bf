package timetable_test

import (
	"testing"
	"time"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
)

// absence is the school North on a Monday morning. Ann teaches mathematics in One A and,
// as the second period, in One B; Bob teaches nothing. Mia is in A, Noa in B.
type absence struct {
	*apptest.World
	class, a, b, maths string
	mia, noa           string
	ann, bob           string // employees
	bobs               *apptest.Account
}

func absences(t *testing.T, test func(t *testing.T, w *absence)) {
	t.Helper()
	apptest.Worlds(t, func(base *apptest.World) *absence {
		base.Monday(8)
		w := &absence{World: base}
		w.class = w.Make("class/create", m{"name": "One"})
		w.a = w.Make("division/create", m{"classId": w.class, "name": "A"})
		w.b = w.Make("division/create", m{"classId": w.class, "name": "B"})
		w.maths = w.Make("subject/create", m{"name": "Mathematics", "code": "M", "classIds": []any{w.class}})
		w.ann = w.Make("employee/create", m{"firstName": "Ann", "phone": w.North.Teacher.Phone})
		w.bob = w.Make("employee/create", m{"firstName": "Bob", "phone": "+15550100001"})
		w.mia = w.Make("student/create", m{"firstName": "Mia", "classId": w.class, "divisionId": w.a})
		w.noa = w.Make("student/create", m{"firstName": "Noa", "classId": w.class, "divisionId": w.b})
		w.bobs = w.Account(actor.Teacher, "+15550100001")
		for division, lesson := range map[string]m{
			w.a: {"dayOfWeek": 1, "periodNo": 1, "startTime": "09:00", "endTime": "10:00", "subjectId": w.maths, "teacherId": w.ann},
			w.b: {"dayOfWeek": 1, "periodNo": 2, "startTime": "10:00", "endTime": "11:00", "subjectId": w.maths, "teacherId": w.ann},
		} {
			w.Admin("PUT", path, m{"classId": w.class, "divisionId": division, "periods": []any{lesson}}).OK()
		}
		return w
	}, test)
}

// substitute gives the first period of One A to Bob, a number of days from today.
func (w *absence) substitute(days int, key string, value any) apptest.Object {
	w.Helper()
	return w.Admin("POST", path+"/override",
		m{"date": w.Day(days), "classId": w.class, "divisionId": w.a, "periodNo": 1, key: value}).OK()
}

// mark marks a student as Bob, a number of days from today.
func (w *absence) mark(days int, division, student string) apptest.Reply {
	w.Helper()
	return w.As(w.bobs, "POST", "/teacher/attendance/mark", m{"classId": w.class, "divisionId": division, "date": w.Day(days),
		"records": []any{m{"studentId": student, "status": "PRESENT", "remark": "Knew the answer"}}})
}

func TestSubstituteReach(t *testing.T) {
	absences(t, func(t *testing.T, w *absence) {
		students := "/teacher/class/students?classId=" + w.class
		denied := func(when string) {
			t.Helper()
			apptest.Eq(t, "classes "+when, len(w.As(w.bobs, "GET", "/teacher/class/list", nil).OK().Items()), 0)
			w.As(w.bobs, "GET", students, nil).Want(403, "PERMISSION_DENIED")
			w.As(w.bobs, "GET", "/teacher/student/"+w.mia, nil).Want(403, "PERMISSION_DENIED")
			w.As(w.bobs, "GET", "/teacher/attendance/list?classId="+w.class+"&divisionId="+w.a, nil).Want(403, "PERMISSION_DENIED")
			w.mark(0, w.a, w.mia).Want(403, "PERMISSION_DENIED")
		}
		denied("without a substitution")
		w.substitute(7, "teacherId", w.bob)
		denied("with a substitution next week")

		override := w.substitute(0, "teacherId", w.bob).Text("id")
		w.As(w.bobs, "GET", "/teacher/class/list", nil).Has(w.a)
		w.As(w.bobs, "GET", "/teacher/class/list", nil).HasNot(w.b)
		apptest.Eq(t, "subjects", w.As(w.bobs, "GET", "/teacher/subject/list", nil).OK().Texts("id")[0], w.maths)
		apptest.Eq(t, "students", len(w.As(w.bobs, "GET", students, nil).OK().Items()), 1)
		w.As(w.bobs, "GET", students, nil).Has("Mia")
		w.As(w.bobs, "GET", "/teacher/student/"+w.mia, nil).Has("Mia")
		w.As(w.bobs, "GET", "/teacher/attendance/list?classId="+w.class, nil).Has("Mia")
		w.As(w.bobs, "GET", "/teacher/attendance/list?classId="+w.class, nil).HasNot("Noa")
		w.As(w.bobs, "GET", "/teacher/attendance/summary?date="+w.Day(0), nil).Has(w.a)
		w.mark(0, w.a, w.mia).OK()
		// Not the other division, other days, or the marks of exams.
		w.As(w.bobs, "GET", "/teacher/student/"+w.noa, nil).Want(403, "PERMISSION_DENIED")
		w.mark(0, w.b, w.noa).Want(403, "PERMISSION_DENIED")
		w.mark(-1, w.a, w.mia).Want(403, "PERMISSION_DENIED")
		w.As(w.bobs, "GET", "/teacher/attendance/list?classId="+w.class+"&date="+w.Day(-1), nil).Want(403, "PERMISSION_DENIED")
		w.As(w.bobs, "GET", "/teacher/attendance/report?classId="+w.class+"&month="+w.Day(0)[:7], nil).Want(403, "PERMISSION_DENIED")
		exam := w.Make("exam/create", m{"name": "Term 1", "type": "UNIT_TEST", "classIds": []any{w.class},
			"subjects": []any{m{"subjectId": w.maths, "classId": w.class, "date": w.Day(0), "maxMarks": 100, "passMarks": 35}}})
		w.As(w.bobs, "POST", "/teacher/result/upload", m{"examId": exam, "classId": w.class, "subjectId": w.maths,
			"results": []any{m{"studentId": w.mia, "marks": 60}}}).Want(403, "PERMISSION_DENIED")

		w.Admin("DELETE", path+"/override/"+override, nil).OK()
		denied("after the override is deleted")
		w.substitute(0, "teacherId", w.bob)
		w.substitute(0, "cancelled", true)
		denied("after the lesson is cancelled")
		w.substitute(0, "teacherId", w.bob)
		w.mark(0, w.a, w.mia).OK()
		w.Pass(24 * time.Hour)
		denied("a day later")
	})
}

func TestSubstituteIsNotified(t *testing.T) {
	absences(t, func(t *testing.T, w *absence) {
		told := func() []string {
			return w.All(`SELECT title FROM notifications WHERE school_id = :school AND user_id = :user AND type = 'TIMETABLE' ORDER BY id`,
				db.Args{"user": w.bobs.ID})
		}
		w.substitute(-7, "teacherId", w.bob)
		apptest.Eq(t, "a past day", len(told()), 0)
		w.substitute(0, "teacherId", w.bob)
		w.substitute(0, "teacherId", w.bob) // the same again
		w.substitute(0, "room", "Hall")
		override := w.substitute(0, "teacherId", w.bob).Text("id")
		w.Admin("DELETE", path+"/override/"+override, nil).OK()
		take, end := "You take over a lesson", "You no longer take over a lesson"
		got := told()
		if len(got) != 4 || got[0] != take || got[1] != end || got[2] != take || got[3] != end {
			t.Errorf("told Bob %q", got)
		}
		w.As(w.bobs, "GET", "/teacher/notification/delivered-notifications", nil).Has("Please take over period 1 of One A on")
	})
}

func TestCover(t *testing.T) {
	absences(t, func(t *testing.T, w *absence) {
		needed := func() []apptest.Object {
			t.Helper()
			return w.Admin("GET", path+"/cover", nil).OK().Objects("lessons")
		}
		free := func() string {
			t.Helper()
			reply := w.Admin("GET", path+"/free-teachers?startTime=12:00&endTime=13:00&date="+w.Day(0), nil).OK()
			var names string
			for _, teacher := range reply.Objects("teachers") {
				names += teacher.Text("firstName") + " "
			}
			return names
		}
		ask := m{"type": "SICK", "fromDate": w.Day(0)}
		leave := w.As(w.North.Teacher, "POST", "/teacher/leave/apply", ask).OK().Text("id")
		apptest.Eq(t, "lessons while the leave is pending", len(needed()), 0)
		apptest.Eq(t, "free while the leave is pending", free(), "Bob Ann ")
		w.Admin("POST", "/school-admin/leave/"+leave+"/approve", m{}).OK()
		apptest.Eq(t, "lessons", len(needed()), 2)
		apptest.Eq(t, "the first", needed()[0].Text("divisionId"), w.a)
		apptest.Eq(t, "free", free(), "Bob ")
		if other := w.Admin("GET", path+"/cover?date="+w.Day(7), nil).OK().Objects("lessons"); len(other) != 0 {
			t.Errorf("lessons next week: %v", other)
		}
		w.As(w.South.Admin, "GET", path+"/cover", nil).HasNot(w.class)

		w.substitute(0, "room", "Hall") // still with Ann
		apptest.Eq(t, "lessons with another room", len(needed()), 2)
		w.substitute(0, "teacherId", w.bob)
		apptest.Eq(t, "lessons with one substituted", len(needed()), 1)
		// The substitute falls ill too.
		half := w.As(w.bobs, "POST", "/teacher/leave/apply", apptest.With(ask, "half", "SECOND")).OK().Text("id")
		w.Admin("POST", "/school-admin/leave/"+half+"/approve", m{}).OK()
		apptest.Eq(t, "half of the substitute's leave", needed()[0].Text("leaveHalf"), "SECOND")
		apptest.Eq(t, "free of two on leave", free(), "")
		w.substitute(0, "cancelled", true)
		apptest.Eq(t, "lessons with one cancelled", len(needed()), 1)
	})
}
