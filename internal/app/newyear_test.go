package app_test

import (
	"fmt"
	"testing"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/clock"
)

// Next year is prepared while this one runs. Nothing changes for teachers and parents
// until the new year is activated.
func TestNewYearIsPrepared(t *testing.T) {
	apptest.Worlds(t, func(w *apptest.World) *apptest.World { return w }, func(t *testing.T, s *apptest.World) {
		admin, teacher, parent := s.North.Admin, s.North.Teacher, s.North.Parent
		call, add := s.As, s.Make
		today := clock.DateIn(s.Now(), "UTC")
		if w := today.Time().Weekday(); w == 0 || w == 6 {
			today = today.AddDays(-2)
		}
		one := add("class/create", m{"name": "One"})
		a := add("division/create", m{"classId": one, "name": "A"})
		maths := add("subject/create", m{"name": "Maths", "classIds": list{one}})
		ann := add("employee/create", m{"firstName": "Ann", "phone": teacher.Phone})
		call(admin, "POST", "/school-admin/employee/"+ann+"/assignments", m{"assignments": list{
			m{"classId": one, "divisionId": a, "isClassTeacher": true}}}).OK()
		mia := add("student/create", m{"firstName": "Mia", "classId": one, "divisionId": a, "rollNo": 7,
			"guardians": list{m{"name": "Pat", "phone": parent.Phone}}})
		add("student/create", m{"firstName": "Noa", "classId": one, "divisionId": a})
		lesson := m{"dayOfWeek": 1, "periodNo": 1, "startTime": "08:00", "endTime": "08:45", "subjectId": maths, "teacherId": ann}
		call(admin, "PUT", "/school-admin/timetable", m{"classId": one, "divisionId": a, "periods": list{lesson}}).OK()
		tuition := m{"name": "Tuition", "amount": 100, "frequency": "YEARLY", "dueDate": today}
		add("fee/structure/create", m{"classId": one, "items": list{tuition}})

		next := add("academic-year/create", m{"name": "Next year", "startDate": today.AddDays(200), "endDate": today.AddDays(500)})
		copied := call(admin, "POST", "/school-admin/class/copy", m{"toAcademicYearId": next, "assignments": true, "timetable": true,
			"feeStructures": true}).OK()
		if got := fmt.Sprint(copied["classes"], copied["divisions"], copied["assignments"], copied["timetables"], copied["feeStructures"]); got !=
			"1 1 1 1 1" {
			t.Errorf("copied: %s", got)
		}
		again := call(admin, "POST", "/school-admin/class/copy", m{"toAcademicYearId": next, "assignments": true, "timetable": true,
			"feeStructures": true}).OK()
		if got := fmt.Sprint(again["classes"], again["assignments"], again["timetables"], again["feeStructures"]); got != "0 0 0 0" {
			t.Errorf("copied again: %s", got)
		}
		ahead := call(admin, "GET", "/school-admin/class/list?academicYearId="+next, nil).OK().Items()[0].Text("id")
		call(teacher, "POST", "/teacher/announcement/create", m{"title": "Welcome", "body": "Soon", "audience": "CLASS",
			"classIds": list{ahead}}).Want(403, "PERMISSION_DENIED")
		early := add("announcement/create", m{"title": "Next year", "body": "Books", "audience": "CLASS", "classIds": list{ahead}})
		if got := call(admin, "GET", "/school-admin/announcement/"+early+"/reads", nil).OK(); got["total"] != 0.0 {
			t.Errorf("readers in a class of next year: %v", got)
		}
		two := add("class/create", m{"name": "Two", "academicYearId": next})
		twoA := add("division/create", m{"classId": two, "name": "A"})
		call(admin, "POST", "/school-admin/student/promote", m{"fromClassId": one, "toClassId": two, "keepRollNumbers": true}).OK()

		names := func(who *apptest.Account, path, class string) string {
			t.Helper()
			out := ""
			for _, st := range call(who, "GET", path+"?classId="+class, nil).OK().Items() {
				out += st.Text("firstName") + " "
			}
			return out
		}
		if got := names(teacher, "/teacher/class/students", one); got != "Mia Noa " {
			t.Errorf("the teacher's register before the year ends: %q", got)
		}
		call(teacher, "POST", "/teacher/attendance/mark", m{"classId": one, "divisionId": a, "date": today,
			"records": list{m{"studentId": mia, "status": "ABSENT"}}}).OK()
		if got := call(parent, "GET", "/parent/timetable/get?studentId="+mia, nil).OK()["periods"]; len(got.(list)) != 1 {
			t.Errorf("the child's timetable: %v", got)
		}
		leave := call(parent, "POST", "/parent/leave/apply", m{"studentId": mia, "type": "SICK", "fromDate": today.AddDays(7),
			"toDate": today.AddDays(7), "reason": "Dentist"}).OK().Text("id")
		call(teacher, "POST", "/teacher/leave/"+leave+"/approve", m{}).OK()
		stats := call(admin, "GET", "/school-admin/dashboard/stats", nil).OK()
		if stats["classes"] != 1.0 || len(stats["students"].(m)["byClass"].(list)) != 1 {
			t.Errorf("the dashboard: %v classes, %v", stats["classes"], stats["students"])
		}
		if got := s.Admin("GET", "/school-admin/class/list", nil).OK(); got["total"] != 1.0 {
			t.Errorf("classes of the current year: %v", got)
		}
		if got := call(admin, "GET", "/school-admin/class/list?academicYearId="+next, nil).OK(); got["total"] != 2.0 {
			t.Errorf("classes of next year: %v", got)
		}

		call(admin, "POST", "/school-admin/academic-year/"+next+"/activate", nil).OK()
		st := call(admin, "GET", "/school-admin/student/"+mia, nil).OK()
		if st.Text("classId") != two || st.Text("divisionId") != twoA || st["rollNo"] != 7.0 {
			t.Errorf("Mia in the new year: %v", st)
		}
		call(teacher, "POST", "/teacher/attendance/mark", m{"classId": one, "divisionId": a, "date": today,
			"records": list{m{"studentId": mia, "status": "PRESENT"}}}).Want(422, "Unprocessable Entity")
	})
}
