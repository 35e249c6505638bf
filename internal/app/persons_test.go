package app_test

import (
	"context"
	"slices"
	"testing"

	"homeroom/internal/apptest"
	"homeroom/internal/feature/academics"
	"homeroom/internal/feature/attendance"
	"homeroom/internal/feature/elective"
	"homeroom/internal/feature/exam"
	"homeroom/internal/feature/fee"
	"homeroom/internal/feature/leave"
	"homeroom/internal/feature/library"
	"homeroom/internal/feature/message"
	"homeroom/internal/feature/notification"
	"homeroom/internal/feature/timetable"
	"homeroom/internal/feature/transport"
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

// goesAlong maps each foreign key to a person that does not prevent undoing an import to
// the reason.
var goesAlong = map[string]string{
	"announcement_reads.user_id":       "needs a sign-in",
	"announcements.created_by":         "needs a sign-in",
	"calendar_links.user_id":           "needs a sign-in",
	"closed_topics.student_id":         "nobody listens to the topic of a student without accounts",
	"contact_changes.decided_by":       "needs a sign-in",
	"contact_changes.user_id":          "needs a sign-in",
	"devices.user_id":                  "needs a sign-in",
	"employees.user_id":                "the employee of the import itself",
	"enrolments.student_id":            "that of the import itself; another year's is counted",
	"fee_refunds.student_id":           "needs a payment or an opening balance",
	"fee_tills.closed_by":              "needs a sign-in",
	"fee_tills.user_id":                "needs a sign-in",
	"guardians.user_id":                "the guardian of the import itself",
	"incidents.acknowledged_by":        "needs a sign-in",
	"incidents.reported_by":            "needs a sign-in",
	"leaves.applied_by":                "needs a sign-in",
	"leaves.decided_by":                "needs a sign-in",
	"ledger_entries.student_id":        "needs a charge, a payment or an opening balance",
	"messages.author_id":               "needs a sign-in",
	"messages.read_by":                 "needs a sign-in",
	"notification_preferences.user_id": "needs a sign-in",
	"password_resets.user_id":          "the invitation of the import itself",
	"second_factors.user_id":           "needs a sign-in",
	"sessions.user_id":                 "counted with the account",
	"student_guardians.guardian_id":    "those of the import itself; other children are counted",
	"student_guardians.student_id":     "those of the import itself; others are in the audit log",
}

// TestImportsAreHeld fails if a foreign key refers to people, but neither prevents undoing
// their import nor has a reason not to.
func TestImportsAreHeld(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t, "postgres")
	held := map[string]bool{}
	for _, h := range slices.Concat(academics.Holds(), elective.Holds(), notification.Holds(), transport.Holds(), timetable.Holds(),
		attendance.Holds(), leave.Holds(), exam.Holds(), fee.Holds(), library.Holds(), message.Holds()) {
		held[h.Table+"."+h.Column] = true
	}
	held["contact_changes.guardian_id"] = true
	var found []string
	err := s.DB.InSchool(t.Context(), s.North.ID, func(ctx context.Context, tx *db.Tx) (err error) {
		found, err = db.All[string](ctx, tx, `
			SELECT DISTINCT c.conrelid::regclass::text || '.' || a.attname FROM pg_constraint c
			JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = ANY (c.conkey) AND a.attname <> 'school_id'
			WHERE c.contype = 'f' AND :school = :school
				AND c.confrelid IN ('students'::regclass, 'guardians'::regclass, 'employees'::regclass, 'users'::regclass) ORDER BY 1`, nil)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, column := range found {
		if held[column] == (goesAlong[column] != "") {
			t.Errorf("%s refers to people: add it to Holds of its feature, or to goesAlong with the reason, but not to both", column)
		}
	}
	for column := range goesAlong {
		if !slices.Contains(found, column) {
			t.Errorf("goesAlong names %s, which is no foreign key to people", column)
		}
	}
}
