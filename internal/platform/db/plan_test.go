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

// TestGrew: within a transaction that writes many rows, PostgreSQL knows of them, and no
// longer plans for an empty table.
func TestGrew(t *testing.T) {
	t.Parallel()
	d := dbtest.Open(t, "postgres", schema)
	school := newSchool(t, d)
	must(t, d.InSchool(t.Context(), school, func(ctx context.Context, tx *db.Tx) error {
		known := func() float64 {
			n, err := db.One[float64](ctx, tx, `SELECT CAST(reltuples AS float8) FROM pg_class WHERE relname = 'pupils' AND :school <> ''`, nil)
			must(t, err)
			return n
		}
		for _, step := range []struct {
			rows     int
			from, to float64
		}{{900, -1, 0}, {200, 1100, 1100}, {6000, 1100, 1100}, {2000, 8000, 9100}} {
			_, err := db.Insert(ctx, tx, insertPupil, newPupils(step.rows))
			must(t, err)
			if n := known(); n < step.from || n > step.to {
				t.Errorf("after %d more rows PostgreSQL knows of %v, want %v to %v", step.rows, n, step.from, step.to)
			}
		}
		return nil
	}))
}
