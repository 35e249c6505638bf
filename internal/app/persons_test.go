package app_test

import (
	"context"
	"slices"
	"testing"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/db"
)

// aboutStudents maps each table with a student_id to how it is shown in a student's data
// export and erased, or why it needs neither. See connect in join.go.
var aboutStudents = map[string]string{
	"attendance":           "attendance.Section, attendance.Erase",
	"attendance_alerts":    "which alerts were sent; no text",
	"attendance_revisions": "attendance.Section, attendance.Erase",
	"boardings":            "transport.Section, transport.Erase",
	"calendar_links":       "a secret's hash; goes with the link to the child",
	"closed_topics":        "an id alone",
	"elective_students":    "elective.Section; ids alone",
	"enrolments":           "the profile itself",
	"exam_results":         "exam.Section, exam.Erase",
	"fee_accounts":         "fee.Section, fee.Erase",
	"fee_charges":          "fee.Section, fee.Erase",
	"fee_concessions":      "fee.Section, fee.Erase",
	"fee_allocations":      "amounts alone; the books stay",
	"fee_openings":         "fee.Section, fee.Erase",
	"fee_options":          "the choice of fees; no text",
	"fee_receipt_lines":    "fee.Section, fee.Erase",
	"fee_refunds":          "fee.Section, fee.Erase",
	"leaves":               "leave.Section, leave.Erase",
	"ledger_entries":       "amounts alone; the books stay",
	"library_loans":        "library.Section; a loan has no text",
	"library_reservations": "library.Section",
	"message_sides":        "message.Section, message.Erase",
	"message_threads":      "message.Section, message.Erase",
	"notifications":        "notification.Erase",
	"push_digests":         "notification.Erase",
	"student_guardians":    "people itself",
	"student_stops":        "the profile itself",
	"trip_alerts":          "which alerts were sent; no text",
}

// TestPersonalData fails if a table has data of students that the map does not name.
func TestPersonalData(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t, "postgres")
	var found []string
	err := s.DB.InSchool(t.Context(), s.North.ID, func(ctx context.Context, tx *db.Tx) (err error) {
		found, err = db.All[string](ctx, tx, `
			SELECT table_name FROM information_schema.columns WHERE table_schema = 'public' AND column_name = 'student_id' AND :school = :school
			ORDER BY table_name`, nil)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range found {
		if aboutStudents[table] == "" {
			t.Errorf("%s has a student_id: register a Section and an Eraser in join.go and name them in aboutStudents, or give the reason", table)
		}
	}
	for table := range aboutStudents {
		if !slices.Contains(found, table) {
			t.Errorf("aboutStudents names %s, which has no student_id", table)
		}
	}
}
