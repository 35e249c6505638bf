package app_test

import (
	"testing"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/clock"
)

// The round trips to the database of the requests that a school makes most. More of them
// is a decision, not an accident: change a number here together with the reason.
func TestRoundTrips(t *testing.T) {
	apptest.Worlds(t, func(w *apptest.World) *apptest.World { return w }, func(t *testing.T, s *apptest.World) {
		admin, teacher := s.North.Admin, s.North.Teacher
		day := clock.DateIn(s.Now(), "UTC")
		s.As(admin, "PUT", "/school-admin/setting", m{"weekendDays": list{}}).OK() // a school day on any day
		class := s.Make("class/create", m{"name": "One"})
		division := s.Make("division/create", m{"classId": class, "name": "A"})
		ann := s.Make("employee/create", m{"firstName": "Ann", "phone": teacher.Phone})
		s.As(admin, "POST", "/school-admin/employee/"+ann+"/assignments", m{"assignments": list{
			m{"classId": class, "divisionId": division, "isClassTeacher": true}}}).OK()
		pupil := func(name string) m {
			return m{"firstName": name, "classId": class, "divisionId": division, "admissionDate": "2020-01-01"}
		}
		mia, noa := s.Make("student/create", pupil("Mia")), s.Make("student/create", pupil("Noa"))
		marks := func(status string) m {
			return m{"classId": class, "divisionId": division, "date": day, "records": list{
				m{"studentId": mia, "status": status}, m{"studentId": noa, "status": "PRESENT"}}}
		}
		s.As(teacher, "POST", "/teacher/attendance/mark", marks("PRESENT")).OK()
		s.As(s.North.Parent, "GET", "/parent/school", nil).OK() // reads the account, which is then known
		for _, c := range []struct {
			what         string
			who          *apptest.Account
			method, path string
			body         any
			trips        int64
		}{
			{"a list with guardians", admin, "GET", "/school-admin/student/list?classId=" + class, nil, 2},
			{"a search", admin, "GET", "/school-admin/student/list?search=mia", nil, 2},
			{"one student", admin, "GET", "/school-admin/student/" + mia, nil, 1},
			{"a new student", admin, "POST", "/school-admin/student/create", pupil("Lea"), 3},
			{"marks", teacher, "POST", "/teacher/attendance/mark", marks("LATE"), 7},
			{"the same marks again", teacher, "POST", "/teacher/attendance/mark", marks("LATE"), 3},
			{"a month", admin, "GET", "/school-admin/attendance/report?classId=" + class + "&divisionId=" + division, nil, 2},
			{"the office's day", admin, "GET", "/school-admin/dashboard/today", nil, 6}, // five of them: the lessons that need cover
			{"a parent's first page", s.North.Parent, "GET", "/parent/home", nil, 1},
			{"a statement", admin, "GET", "/school-admin/fee/report/" + mia, nil, 1},
		} {
			before := s.DB.Trips()
			s.As(c.who, c.method, c.path, c.body).OK()
			if got := s.DB.Trips() - before; got != c.trips {
				t.Errorf("%s: %d round trips, want %d", c.what, got, c.trips)
			}
		}
	})
}
