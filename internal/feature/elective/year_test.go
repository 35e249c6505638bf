package elective_test

import (
	"fmt"
	"testing"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/clock"
)

// TestNextYear copies electives to the next year, and keeps them for those who go on.
func TestNextYear(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		music := w.Make("subject/create", m{"name": "Music", "code": "MU", "classIds": list{w.class}})
		w.Admin("PUT", w.path(music), m{"studentIds": list{w.mia, w.noa}}).OK()
		today := clock.Date(w.Day(0))
		next := w.Make("academic-year/create", m{"name": "Next year", "startDate": today.AddDays(200), "endDate": today.AddDays(500)})
		copied := func(electives bool) any {
			return w.Admin("POST", "/school-admin/class/copy", m{"toAcademicYearId": next, "electives": electives}).OK()["electives"]
		}
		apptest.Eq(t, "electives that were not asked for", copied(false), any(0.0))
		apptest.Eq(t, "electives", copied(true), any(2.0))
		apptest.Eq(t, "electives again", copied(true), any(0.0))
		taken := func() (out []string) {
			for _, e := range w.Admin("GET", "/school-admin/elective/list?filters[academicYearId]="+next, nil).OK().Items() {
				out = append(out, fmt.Sprint(e.Text("className"), " ", e.Text("subjectName"), " ", e["students"]))
			}
			return out
		}
		apptest.Eq(t, "who takes them", taken(), []string{"One Art 0", "One Music 0"})

		two := w.Make("class/create", m{"name": "Two", "academicYearId": next})
		again := w.Admin("GET", "/school-admin/class/list?search=One&academicYearId="+next, nil).OK().Items()[0].Text("id")
		for _, subject := range []string{w.art, music} {
			w.Admin("PUT", "/school-admin/subject/"+subject, m{"classIds": list{w.class, again, two}}).OK()
		}
		w.Admin("PUT", "/school-admin/elective/"+two+"/"+w.art, m{"studentIds": list{}}).OK() // Music is for everyone in Two
		promote := func(keep bool) {
			t.Helper()
			w.Admin("POST", "/school-admin/student/promote", m{"fromClassId": w.class, "toClassId": two, "except": list{w.noa},
				"detainedClassId": again, "keepElectives": keep}).OK()
		}
		undo := func() { w.Admin("POST", "/school-admin/student/promote/undo", m{"fromClassId": w.class}).OK() }
		promote(false)
		apptest.Eq(t, "who takes them, chosen anew", taken(), []string{"One Art 0", "One Music 0", "Two Art 0"})
		undo()
		promote(true)
		promote(true)
		want := []string{"One Art 0", "One Music 1", "Two Art 1"}
		apptest.Eq(t, "who takes them, kept", taken(), want) // Mia goes on with Art, Noa repeats with Music
		w.Admin("GET", "/school-admin/elective/"+two+"/"+w.art, nil).Has("Mia")
		undo()
		apptest.Eq(t, "who takes them, undone", taken(), []string{"One Art 0", "One Music 0", "Two Art 0"})
		got := w.Admin("GET", w.path(music), nil).OK()
		apptest.Eq(t, "who takes Music this year", got["students"], any(2.0))
	})
}
