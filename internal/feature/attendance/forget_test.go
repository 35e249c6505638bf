package attendance_test

import (
	"testing"
	"time"

	"homeroom/internal/platform/db"
)

// Old marks are deleted with their revisions and alerts, after the time that the operator
// has set. Without one they stay.
func TestForget(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		old, young := w.day(-1), w.day(0)
		w.markMia(old, "ABSENT")
		w.markMia(old, "LATE") // a revision
		w.markMia(young, "ABSENT")
		forget := func(keep time.Duration) {
			w.marks.Keep = keep
			if err := w.marks.Periodics()[0].Run(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		rows := func(table string) int {
			n, err := db.One[int](t.Context(), w.DB.School(w.North.ID),
				`SELECT COUNT(*) FROM `+table+` WHERE school_id = :school AND date = :date`, db.Args{"date": old})
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		const keep = 800 * 24 * time.Hour
		w.Pass(keep)
		forget(0)
		if rows("attendance") != 1 || rows("attendance_revisions") != 1 {
			t.Error("without a limit old marks were deleted")
		}
		forget(keep)
		if a, r, told := rows("attendance"), rows("attendance_revisions"), rows("attendance_alerts"); a+r+told != 0 {
			t.Errorf("of the old day %d marks, %d revisions and %d alerts are left", a, r, told)
		}
		if got := w.said(w.mia, young); got != "ABSENT" {
			t.Errorf("the younger mark: %q", got)
		}
	})
}
