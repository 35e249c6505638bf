package app

import (
	"testing"

	"homeroom/internal/platform/db"
)

// checkToday finds a substitute, electives, a parent's pending change, an urgent
// announcement and a trip under way.
func checkToday(t *testing.T, q db.Q) {
	t.Helper()
	for what, rows := range map[string]string{
		"substitutes":          `timetable_overrides WHERE school_id = :school AND employee_id IS NOT NULL`,
		"electives":            `elective_students WHERE school_id = :school`,
		"proposed changes":     `contact_changes WHERE school_id = :school AND status = 'PENDING'`,
		"urgent announcements": `announcements WHERE school_id = :school AND urgent`,
		"trips under way":      `trips WHERE school_id = :school AND status = 'in_progress'`,
		"riders":               `boardings WHERE school_id = :school`,
	} {
		if one[int](t, q, `SELECT COUNT(*) FROM `+rows, nil) == 0 {
			t.Errorf("the demo has no %s", what)
		}
	}
}
