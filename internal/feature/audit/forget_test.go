package audit_test

import (
	"strings"
	"testing"
	"time"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/unscoped"
)

// Old entries are deleted after the time that the operator has set, and never in their
// first year, whoever asks.
func TestForget(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		const day = 24 * time.Hour
		now := time.Now().UTC()
		write := func(age time.Duration) {
			w.now = now.Add(-age)
			w.record(one, actor.Actor{User: ada, School: one}, "user.do", "user", thing, nil, m{"a": 1})
			_, err := db.Exec(t.Context(), w.db.School(one), `
				INSERT INTO reads (school_id, id, at, user_id, role, entity, record_id, request_id, ip)
				VALUES (:school, :id, :at, :user, 'PARENT', 'student', :of, '', '')`,
				db.Args{"id": w.log.NewID(), "at": w.now, "user": ada, "of": thing})
			if err != nil {
				t.Fatal(err)
			}
		}
		write(500 * day)
		write(399 * day)
		write(10 * day)
		left := func() (n [2]int) {
			for i, table := range []string{"audit_log", "reads"} {
				var err error
				if n[i], err = db.One[int](t.Context(), w.db.School(one), `SELECT COUNT(*) FROM `+table+` WHERE school_id = :school`, nil); err != nil {
					t.Fatal(err)
				}
			}
			return n
		}
		forget := w.log.Periodics()[0].Run
		for _, step := range []struct {
			keep time.Duration
			want [2]int
		}{{0, [2]int{3, 3}}, {400 * day, [2]int{2, 2}}, {365 * day, [2]int{1, 1}}} {
			w.now, w.log.Keep = now, step.keep
			if err := forget(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := left(); got != step.want {
				t.Errorf("kept for %s: %v entries are left, want %v", step.keep, got, step.want)
			}
		}
		w.log.Keep = day
		if err := forget(t.Context()); err == nil || !strings.Contains(err.Error(), "never changed") {
			t.Errorf("entries of this year were deleted: %v", err)
		}
		for _, table := range []string{"audit_log", "reads"} {
			if _, err := db.Exec(t.Context(), w.db.Across(unscoped.Permit{}), `DELETE FROM `+table, nil); err == nil {
				t.Errorf("rows of %s of this year can be deleted", table)
			}
		}
		if got := left(); got != [2]int{1, 1} {
			t.Errorf("%v entries are left", got)
		}
	})
}
