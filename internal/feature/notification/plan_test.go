package notification_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"homeroom/internal/apptest"
	"homeroom/internal/feature/access"
	"homeroom/internal/feature/notification"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/dbtest"
	"homeroom/internal/platform/id"
	"homeroom/internal/schema"
)

// TestPlans: reading the log of one of 2,000 parents uses indexes, also for the
// check of permissions.
func TestPlans(t *testing.T) {
	t.Parallel()
	for _, engine := range dbtest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			url := dbtest.URL(t, engine, schema.FS)
			s := apptest.Open(t, url)
			user := crowd(t, s, 2000)
			dbtest.Settle(t, s.DB, url)
			for sql, index := range map[string]string{notification.ListSQL: "notifications_user", notification.UnreadSQL: "notifications_"} {
				plan := explain(t, s, sql, db.Args{"user": user, "users": []id.ID{user}})
				for _, want := range []string{index, "guardians_user"} {
					if !strings.Contains(plan, want) {
						t.Errorf("want %s:\n%s", want, plan)
					}
				}
				for _, never := range []string{"SCAN n", "SCAN g", "SCAN l", "SCAN s", "TEMP B-TREE", "Seq Scan on notifications",
					"Seq Scan on guardians",
					"Seq Scan on student", "Sort"} {
					if strings.Contains(plan, never+" ") || strings.HasSuffix(plan, never) {
						t.Errorf("%s:\n%s", never, plan)
					}
				}
			}
		})
	}
}

// crowd makes families with a log each, and returns one of their accounts.
func crowd(t *testing.T, s *apptest.Service, n int) id.ID {
	t.Helper()
	role, err := access.System(t.Context(), s.DB.School(s.North.ID), actor.Parent)
	if err != nil {
		t.Fatal(err)
	}
	type family struct {
		UserID, RoleID, GuardianID, StudentID, One, Two, Three id.ID
		Name                                                   string
		Now                                                    time.Time
	}
	rows := make([]family, n)
	for i := range rows {
		rows[i] = family{s.NewID(), role.ID, s.NewID(), s.NewID(), s.NewID(), s.NewID(), s.NewID(), fmt.Sprint("No ", i), s.Now()}
	}
	entry := func(at string) string {
		return `INSERT INTO notifications (school_id, id, user_id, type, title, body, student_id, created_at)
			VALUES (:school, :` + at + `, :user_id, 'FEE', 't', 'b', :student_id, :now)`
	}
	for _, sql := range []string{
		`INSERT INTO users (school_id, id, role_id, role, name, status, search, created_at, updated_at)
			VALUES (:school, :user_id, :role_id, 'PARENT', :name, 'ACTIVE', :name, :now, :now)`,
		`INSERT INTO guardians (school_id, id, user_id, name, created_at, updated_at)
			VALUES (:school, :guardian_id, :user_id, :name, :now, :now)`,
		`INSERT INTO students (school_id, id, admission_no, first_name, status, search, created_at, updated_at)
			VALUES (:school, :student_id, :name, :name, 'ACTIVE', :name, :now, :now)`,
		`INSERT INTO student_guardians (school_id, student_id, guardian_id, relation, is_primary, can_view_data, can_pick_up, created_at)
			VALUES (:school, :student_id, :guardian_id, 'MOTHER', TRUE, TRUE, TRUE, :now)`,
		entry("one"), entry("two"), entry("three"),
	} {
		if _, err := db.Insert(t.Context(), s.DB.School(s.North.ID), sql, rows); err != nil {
			t.Fatal(err)
		}
	}
	return rows[n/2].UserID
}

// explain returns the query plan.
func explain(t *testing.T, s *apptest.Service, sql string, a db.Args) string {
	t.Helper()
	q := s.DB.School(s.North.ID)
	if s.DB.Engine() == "postgres" {
		lines, err := db.All[string](t.Context(), q, `EXPLAIN `+sql, a)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(lines, "\n")
	}
	steps, err := db.All[struct {
		ID, Parent, Notused int
		Detail              string
	}](t.Context(), q, `EXPLAIN QUERY PLAN `+sql, a)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, step := range steps {
		out = append(out, step.Detail)
	}
	return strings.Join(out, "\n")
}
