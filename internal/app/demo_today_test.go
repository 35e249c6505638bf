package app

import (
	"testing"

	"homeroom/internal/platform/db"
)

// checkToday finds what goes on in the school.
func checkToday(t *testing.T, q db.Q) {
	t.Helper()
	for what, rows := range map[string]string{
		"substitutes":          `timetable_overrides WHERE school_id = :school AND employee_id IS NOT NULL`,
		"electives":            `elective_students WHERE school_id = :school`,
		"proposed changes":     `contact_changes WHERE school_id = :school AND status = 'PENDING'`,
		"urgent announcements": `announcements WHERE school_id = :school AND urgent`,
		"trips under way":      `trips WHERE school_id = :school AND status = 'in_progress'`,
		"riders":               `boardings WHERE school_id = :school`,
		"incidents":            `incidents WHERE school_id = :school AND acknowledged_at IS NULL`,
		"leave to decide":      `leaves WHERE school_id = :school AND status = 'PENDING'`,
		"teachers on leave":    `leaves WHERE school_id = :school AND status = 'APPROVED' AND employee_id IS NOT NULL`,
		"unread messages":      `message_sides WHERE school_id = :school AND side_id = :school AND unread > 0`,
	} {
		if one[int](t, q, `SELECT COUNT(*) FROM `+rows, nil) == 0 {
			t.Errorf("the demo has no %s", what)
		}
	}
}
