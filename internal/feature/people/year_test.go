package people_test

import (
	"testing"

	"homeroom/internal/feature/people/peopletest"
	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
)

// TestYearEndsEarlier: graduates leave on the last day of their year, also if it is moved after they have graduated. Going
// back to that year takes their graduation back, but not that of somebody who left during the year.
func TestYearEndsEarlier(t *testing.T) {
	each(t, func(t *testing.T, w *peopletest.World) {
		last, a := seat(w, w.North, "Grade 12")
		year := nextYear(w, w.North)
		ana := create(w, w.North, m{"firstName": "Ana", "classId": last, "divisionId": a})
		ben := create(w, w.North, m{"firstName": "Ben", "classId": last, "divisionId": a})
		w.Call(w.North.Admin, "PUT", students+ben, m{"status": "GRADUATED", "leavingDate": "2026-12-01"}).Is(200)
		w.Call(w.North.Admin, "POST", students+"promote", m{"fromClassId": last, "outcome": "GRADUATED"}).Is(200)
		is := func(when, student, status string, left any) {
			t.Helper()
			d := w.Call(w.North.Admin, "GET", students+student, nil).Is(200).Data
			if d["status"] != status || d["leavingDate"] != left {
				t.Errorf("%s: %v, left on %v; want %s, %v", when, d["status"], d["leavingDate"], status, left)
			}
		}
		activate(w, w.North, year)
		is("in the new year", ana, "GRADUATED", "2027-05-31")
		_, err := w.Schools.UpdateYear(t.Context(), actor.Actor{School: w.North.ID}, w.North.Year,
			school.YearChange{EndDate: new(clock.Date("2027-05-15"))})
		if err != nil {
			t.Fatal(err)
		}
		is("after the year was shortened", ana, "GRADUATED", "2027-05-15")
		is("who left before", ben, "GRADUATED", "2026-12-01")
		activate(w, w.North, w.North.Year)
		is("back in the old year", ana, "ACTIVE", nil)
		is("who left before, back in the old year", ben, "GRADUATED", "2026-12-01")
	})
}
