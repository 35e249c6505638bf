package webhook_test

import (
	"testing"

	"homeroom/internal/apptest"
)

// TestUndone: who was told of something hears when it is taken back, as of what comes by a file or a copy.
func TestUndone(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		year := w.Make("academic-year/create", m{"name": "Later", "startDate": w.Day(1000), "endDate": w.Day(1300)})
		class, next := w.Make("class/create", m{"name": "Grade 1"}), w.Make("class/create", m{"name": "Grade 2", "academicYearId": year})
		division := w.Make("division/create", m{"name": "A", "classId": class})
		w.Make("subject/create", m{"name": "Maths", "classIds": list{class}})
		w.Make("student/create", m{"firstName": "Ada", "classId": class, "divisionId": division})
		child := w.Make("student/create", m{"firstName": "Bea", "guardians": list{m{"name": "Pat", "phone": w.North.Parent.Phone}}})
		var all list
		for _, e := range w.Admin("GET", at+"events", nil).OK().Objects("events") {
			all = append(all, e.Text("type"))
		}
		w.hook(all...)
		told := func(what, want, key, value string) {
			t.Helper()
			sent := w.sends()
			apptest.Eq(t, what, types(sent), want)
			if value == "" || len(sent) == 0 {
				return
			}
			if got := sent[len(sent)-1].m["data"].(m)[key]; got != value {
				t.Errorf("%s: %s is %v, want %s", what, key, got, value)
			}
		}

		w.Admin("POST", "/school-admin/student/promote", m{"fromClassId": class, "toClassId": next}).OK()
		w.Admin("POST", "/school-admin/student/promote/undo", m{"fromClassId": class}).OK()
		told("a promotion", "student.promoted student.unpromoted", "classId", class)

		leave := w.As(w.North.Parent, "POST", "/parent/leave/apply",
			m{"studentId": child, "type": "SICK", "fromDate": w.Day(7), "toDate": w.Day(10)}).OK().Text("id")
		leaves := "/school-admin/leave/" + leave + "/"
		w.Admin("POST", leaves+"approve", nil).OK()
		w.Admin("POST", leaves+"shorten", m{"toDate": w.Day(8)}).OK()
		w.Admin("POST", leaves+"reopen", nil).OK()
		told("a decision", "leave.requested leave.decided leave.shortened leave.requested", "id", leave)

		news := w.Make("announcement/create", m{"title": "T"})
		w.Admin("DELETE", "/school-admin/announcement/"+news, nil).OK()
		told("an announcement", "announcement.published announcement.deleted", "id", news)

		for kind, file := range map[string]string{"student": "firstName\nBob\n", "employee": "firstName,role\nNil,TEACHER\n"} {
			made := w.Admin("POST", "/school-admin/"+kind+"/import", file, "Content-Type", "text/csv").OK().Text("id")
			w.Admin("POST", "/school-admin/"+kind+"/import/"+made+"/undo", nil).OK()
			told("an import", kind+".imported "+kind+".imported", "", "")
		}
		week := "class,division,day,period,start,end,subject\nGrade 1,A,Monday,1,08:00,08:45,Maths\n"
		made := w.Admin("POST", "/school-admin/timetable/import", week, "Content-Type", "text/csv").OK().Text("id")
		w.Admin("POST", "/school-admin/timetable/import/"+made+"/undo", nil).OK()
		told("timetables", "timetable.updated timetable.updated", "", "")

		other := w.Make("academic-year/create", m{"name": "Last", "startDate": w.Day(2000), "endDate": w.Day(2300)})
		w.Admin("DELETE", "/school-admin/academic-year/"+other, nil).OK()
		told("a year", "year.created year.deleted", "id", other)
		w.Admin("POST", "/school-admin/class/copy", m{"toAcademicYearId": year}).OK()
		told("a copy", "class.created", "academicYearId", year)
	})
}
