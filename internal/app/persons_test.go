package app_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
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
	"homeroom/internal/feature/people"
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
	"incidents.withdrawn_by":           "needs a sign-in",
	"leaves.applied_by":                "needs a sign-in",
	"leaves.decided_by":                "needs a sign-in",
	"ledger_entries.student_id":        "needs a charge, a payment or an opening balance",
	"messages.author_id":               "needs a sign-in",
	"messages.read_by":                 "needs a sign-in",
	"notification_preferences.user_id": "needs a sign-in",
	"oneroster_keys.user_id":           "needs a sign-in",
	"password_resets.user_id":          "the invitation of the import itself",
	"second_factors.user_id":           "needs a sign-in",
	"sessions.user_id":                 "counted with the account",
	"stop_walks.user_id":               "needs a sign-in",
	"student_guardians.guardian_id":    "those of the import itself; other children are counted",
	"student_guardians.student_id":     "those of the import itself; others are in the audit log",
}

// holds are those of all features but people.
func holds() []people.Hold {
	return slices.Concat(academics.Holds(), elective.Holds(), notification.Holds(), transport.Holds(), timetable.Holds(),
		attendance.Holds(), leave.Holds(), exam.Holds(), fee.Holds(), library.Holds(), message.Holds())
}

// heldRows are rows that the fixtures don't have.
var heldRows = []string{
	`INSERT INTO fee_options (school_id, student_id, item_id) VALUES (:school, :student, :item)`,
	`UPDATE fee_accounts SET category = 'STAFF' WHERE school_id = :school AND student_id = :student`,
	`INSERT INTO leave_entitlements (school_id, id, employee_id, type, half_days, created_at)
		VALUES (:school, :id, :employee, 'SICK', 2, :now)`,
	`INSERT INTO electives (school_id, class_id, subject_id, created_at) VALUES (:school, :class, :subject, :now)`,
	`INSERT INTO elective_students (school_id, class_id, subject_id, student_id) VALUES (:school, :class, :subject, :student)`,
	`INSERT INTO attendance_revisions (school_id, student_id, date, period_no, status, half_day, minutes_late, remark, marked_at, ended_at, id,
		is_removed, is_void) VALUES (:school, :student, '2026-01-01', 0, 'ABSENT', '', 0, '', :now, :now, :id, FALSE, FALSE)`,
	`INSERT INTO attendance_alerts (school_id, student_id, date, period_no, told, updated_at)
		VALUES (:school, :student, '2026-01-01', 0, 'ABSENT', :now)`,
	`INSERT INTO boardings (school_id, trip_id, student_id, stop_id, status, updated_at)
		VALUES (:school, :trip, :student, :stop, 'waiting', :now)`,
	`INSERT INTO trip_alerts (school_id, trip_id, student_id, kind, created_at) VALUES (:school, :trip, :student, 'near', :now)`,
	`INSERT INTO timetable_overrides (school_id, id, academic_year_id, class_id, division_id, date, day_of_week, period_no, employee_id,
		is_cancelled, created_at, updated_at) VALUES (:school, :id, :year, :class, :division, '2026-01-01', 4, 9, :employee, FALSE, :now, :now)`,
	`INSERT INTO calendar_links (school_id, id, user_id, student_id, hash, created_at) VALUES (:school, :id, :user, :student, 'x', :now)`,
}

// hold adds heldRows.
func hold(w *apptest.World, f fixtures) {
	w.Helper()
	one := func(sql string) string { return w.One(sql, db.Args{}) }
	args := db.Args{"student": f["student"], "item": f["feeItem"], "employee": f["employee"], "class": f["class"], "division": f["division"],
		"year": f["year"], "id": w.NewID(), "now": w.Now(), "user": w.North.Parent.ID,
		"subject": w.One(`SELECT subject_id FROM class_subjects WHERE school_id = :school AND class_id = :class ORDER BY subject_id LIMIT 1`,
			db.Args{"class": f["class"]}),
		"trip": one(`SELECT id FROM trips WHERE school_id = :school ORDER BY id LIMIT 1`),
		"stop": one(`SELECT id FROM route_stops WHERE school_id = :school ORDER BY id LIMIT 1`)}
	for _, sql := range heldRows {
		w.Exec(sql, named(sql, args))
	}
}

// TestEachHold pretends that everyone in a school was imported: the refusal to undo it names
// each kind of record that holds someone.
func TestEachHold(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, s *apptest.Service) {
		w := s.World(t)
		hold(w, furnish(t, s, s.North))
		made := string(s.NewID())
		w.Exec(`INSERT INTO imports (school_id, id, entity, file, total, created, updated, unchanged, failed, status, created_at)
			VALUES (:school, :id, 'student', 'all.csv', 1, 1, 0, 0, 0, 'DONE', :now)`, db.Args{"id": made, "now": s.Now()})
		for i, table := range []string{"students", "guardians", "employees", "users"} {
			everyone, err := json.Marshal(w.All(`SELECT id FROM `+table+` WHERE school_id = :school`, db.Args{}))
			if err != nil {
				t.Fatal(err)
			}
			w.Exec(`INSERT INTO import_parts (school_id, import_id, part, entity, version, records) VALUES (:school, :id, :part, :entity, 1, :all)`,
				db.Args{"id": made, "part": i, "entity": strings.TrimSuffix(table, "s"), "all": string(everyone)})
		}
		said := w.Admin("POST", "/school-admin/student/import/"+made+"/undo", m{}).Want(409, "Conflict").Message
		for _, h := range holds() {
			if !strings.Contains(said, " "+h.One) && !strings.Contains(said, " "+h.Many) {
				t.Errorf("%s.%s is not named in %q", h.Table, h.Column, said)
			}
		}
	})
}

// TestImportsAreHeld fails if a foreign key refers to people, but neither prevents undoing
// their import nor has a reason not to.
func TestImportsAreHeld(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t, "postgres")
	held := map[string]bool{}
	for _, h := range holds() {
		held[h.Table+"."+h.Column] = true
	}
	held["contact_changes.guardian_id"] = true
	var found []string
	err := s.DB.InSchool(t.Context(), s.North.ID, func(ctx context.Context, tx *db.Tx) (err error) {
		found, err = db.All[string](ctx, tx, `
			SELECT DISTINCT t.relname || '.' || a.attname FROM pg_constraint c
			JOIN pg_class t ON t.oid = c.conrelid
			JOIN pg_class p ON p.oid = c.confrelid AND p.relname IN ('students', 'guardians', 'employees', 'users')
			JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = ANY (c.conkey) AND a.attname <> 'school_id'
			WHERE c.contype = 'f' AND :school = :school ORDER BY 1`, nil)
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
