package db_test

import (
	"context"
	"testing"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/dbtest"
	"homeroom/internal/platform/page"
)

// TestPlans: PostgreSQL plans a statement once per connection, and a list for its values,
// also in one transaction.
func TestPlans(t *testing.T) {
	t.Parallel()
	d := dbtest.Open(t, "postgres", schema)
	school := newSchool(t, d)
	q := d.School(school)
	_, err := db.Insert(t.Context(), q, insertPupil, newPupils(1))
	must(t, err)
	const mode = `current_setting('plan_cache_mode') AS mode`
	look := func(ctx context.Context, q db.Q) (statement, list string) {
		statement, err := db.One[string](ctx, q, `SELECT `+mode+` FROM pupils WHERE school_id = :school`, nil)
		must(t, err)
		p, err := db.Page[struct{ ID, Mode string }](ctx, q, db.List{Columns: "id, " + mode, From: "pupils WHERE school_id = :school",
			Sorts: map[string]string{"id": "id"}, Default: "id"}, page.Request{}, nil)
		must(t, err)
		return statement, p.Items[0].Mode
	}
	for range 2 { // the second time on a connection that was used
		if statement, list := look(t.Context(), q); statement != "force_generic_plan" || list != "auto" {
			t.Errorf("a statement is planned by %s, a list by %s", statement, list)
		}
	}
	must(t, d.InSchool(t.Context(), school, func(ctx context.Context, tx *db.Tx) error {
		for range 2 {
			if statement, list := look(ctx, tx); statement != "force_generic_plan" || list != "auto" {
				t.Errorf("in a transaction a statement is planned by %s, a list by %s", statement, list)
			}
		}
		return nil
	}))
}
