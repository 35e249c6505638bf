package elective_test

import (
	"testing"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/clock"
)

// TestMove: a student who changes class no longer takes the electives of the old one.
func TestMove(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.Admin("PUT", w.path(w.art), m{"studentIds": list{w.mia, w.noa}}).OK()
		change := func(student string, data m) {
			t.Helper()
			w.Admin("PUT", "/school-admin/student/"+student, data).OK()
		}
		taken := func() (names []string) {
			t.Helper()
			for _, s := range w.Admin("GET", w.path(w.art), nil).OK().Objects("takenBy") {
				names = append(names, s.Text("name"))
			}
			return names
		}
		both := []string{"Mia", "Noa"}
		w.Audited("elective.update", 2) // the world's and this one
		change(w.mia, m{"divisionId": w.Make("division/create", m{"classId": w.class, "name": "B"})})
		apptest.Eq(t, "after a change of division", taken(), both)
		change(w.mia, m{"firstName": "Mia"})
		change(w.mia, m{"status": "LEFT"})
		change(w.mia, m{"status": "ACTIVE"})
		apptest.Eq(t, "after coming back", taken(), both)
		w.Audited("elective.update", 2)

		two := w.Make("class/create", m{"name": "Two"})
		change(w.mia, m{"classId": two})
		apptest.Eq(t, "after a change of class", taken(), []string{"Noa"})
		w.Admin("GET", "/school-admin/student/"+w.mia+"/profile", nil).HasNot(`"subjectName":"Art"`)
		w.Audited("elective.update", 3)
		change(w.mia, m{"classId": w.class, "divisionId": w.division})
		apptest.Eq(t, "back in the class, she chooses anew", taken(), []string{"Noa"})
		change(w.noa, m{"classId": nil})
		apptest.Eq(t, "taken out of the class", len(taken()), 0)
		w.Audited("elective.update", 4)
	})
}

// TestMoveByImport changes the class with a file.
func TestMoveByImport(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.Make("class/create", m{"name": "Two"})
		number := w.Admin("GET", "/school-admin/student/"+w.mia, nil).OK().Text("admissionNo")
		w.Admin("POST", "/school-admin/student/import?mode=upsert", "admissionNo,firstName,class\n"+number+",Mia,Two\n",
			"Content-Type", "text/csv").OK()
		apptest.Eq(t, "students", w.Admin("GET", w.path(w.art), nil).OK()["students"], any(0.0))
	})
}

// TestMoveNextYear changes the class of another year, and leaves before it begins.
func TestMoveNextYear(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		today := clock.Date(w.Day(0))
		next := w.Make("academic-year/create", m{"name": "Next year", "startDate": today.AddDays(200), "endDate": today.AddDays(500)})
		two := w.Make("class/create", m{"name": "Two", "academicYearId": next})
		three := w.Make("class/create", m{"name": "Three", "academicYearId": next})
		w.Admin("PUT", "/school-admin/subject/"+w.art, m{"classIds": list{w.class, two}}).OK()
		later := "/school-admin/elective/" + two + "/" + w.art
		for what, change := range map[string]m{"another class of that year": {"classId": three}, "leaving the school": {"status": "LEFT"}} {
			w.Admin("PUT", "/school-admin/student/"+w.mia, m{"classId": two, "status": "ACTIVE"}).OK()
			w.Admin("PUT", later, m{"studentIds": list{w.mia}}).OK()
			w.Admin("PUT", "/school-admin/student/"+w.mia, change).OK()
			apptest.Eq(t, what, w.Admin("GET", later, nil).OK()["students"], any(0.0))
			if change["status"] == "LEFT" {
				w.Admin("PUT", "/school-admin/student/"+w.mia, m{"status": "ACTIVE"}).OK()
				apptest.Eq(t, "after coming back", w.Admin("GET", later, nil).OK()["students"], any(1.0))
			}
			apptest.Eq(t, what+", this year", w.Admin("GET", w.path(w.art), nil).OK()["students"], any(1.0))
		}
	})
}
