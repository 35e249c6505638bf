package db_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/dbtest"
	"homeroom/internal/platform/db/unscoped"
)

// Rows in any number come back as they were: PostgreSQL takes many another way than few.
func TestInsertRoundTrip(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, schema, func(t *testing.T, d *db.DB) {
		for _, n := range []int{1, 31, 32, 200, 1500} {
			school := newSchool(t, d)
			rows := newPupils(n)
			for i := range rows {
				mail, height, born, left := fmt.Sprintf("p%d@b.test", i), float64(i)/4, clock.Date("2015-02-03"), noon.Add(time.Duration(i)*time.Hour)
				rows[i].Tags.V = []string{"a,b", `"{}\`, "NULL", "ü\n"}
				switch i % 3 {
				case 0:
					rows[i].Name, rows[i].Email, rows[i].Height = `"quoted" \ {braces}, NULL`, &mail, &height
				case 1:
					rows[i].Name, rows[i].Born, rows[i].LeftAt = "", &born, &left
				default:
					rows[i].Name, rows[i].Marks = "NULL", -i
				}
			}
			if got, err := db.Insert(t.Context(), d.School(school), insertPupil, rows); err != nil || got != int64(n) {
				t.Fatal(got, err)
			}
			got, err := db.All[pupil](t.Context(), d.School(school), `SELECT `+pupilColumns+` FROM pupils WHERE school_id = :school ORDER BY created_at`, nil)
			must(t, err)
			want, _ := json.Marshal(rows)
			if have, _ := json.Marshal(got); string(have) != string(want) {
				t.Errorf("%d rows: have %.300s\nwant %.300s", n, have, want)
			}
		}
	})
}

func TestLoad(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, schema, func(t *testing.T, d *db.DB) {
		ours, theirs := newSchool(t, d), newSchool(t, d)
		newClass(t, d, theirs, "theirs")
		all := d.Across(unscoped.Permit{})
		if d.Engine() == "sqlite" { // which then stay as they are
			_, err := db.Exec(t.Context(), all, `CREATE INDEX pupils_marks ON pupils (school_id, marks, id)`, nil)
			must(t, err)
		}
		before := indexesOf(t, d)
		errStop := errors.New("stop")
		for _, n := range []int{10, 6000} {
			err := d.InSchool(t.Context(), ours, func(ctx context.Context, tx *db.Tx) error {
				return tx.Load(ctx, n, []string{"pupils"}, func() error {
					_, err := db.Insert(ctx, tx, insertPupil, newPupils(n))
					must(t, err)
					return errStop
				})
			})
			if !errors.Is(err, errStop) {
				t.Error(err)
			}
			if left := count(t, d.School(ours), "pupils"); left != 0 {
				t.Errorf("%d rows are left of a load that failed", left)
			}
			if after := indexesOf(t, d); !slices.Equal(after, before) {
				t.Errorf("a load that failed leaves %v", after)
			}
		}
		must(t, d.InSchool(t.Context(), ours, func(ctx context.Context, tx *db.Tx) error {
			err := tx.Load(ctx, 6000, []string{"pupils"}, func() error {
				_, err := db.Insert(ctx, tx, insertPupil, newPupils(6000))
				return err
			})
			must(t, err)
			// The transaction is the school's as before, also on PostgreSQL, whose owner counts the rows.
			names, err := db.All[string](ctx, tx, `SELECT name FROM classes WHERE school_id = :school`, nil)
			must(t, err)
			who := "homeroom_app"
			if d.Engine() == "postgres" {
				who, err = db.One[string](ctx, tx, `SELECT CAST(current_user AS text) FROM schools WHERE id = :school`, nil)
			}
			if len(names) > 0 || err != nil || who != "homeroom_app" {
				t.Errorf("sees %v as %s %v", names, who, err)
			}
			return nil
		}))
		if n := count(t, d.School(ours), "pupils"); n != 6000 {
			t.Errorf("%d rows, want 6000", n)
		}
		if after := indexesOf(t, d); !slices.Equal(after, before) {
			t.Errorf("indexes were %v and are %v", before, after)
		}
		if d.Engine() == "sqlite" {
			plan, err := db.All[struct {
				ID, Parent, Notused int
				Detail              string
			}](t.Context(), all, `EXPLAIN QUERY PLAN SELECT id FROM pupils WHERE school_id = :s AND marks = 7`, db.Args{"s": ours})
			if err != nil || len(plan) != 1 || !strings.Contains(plan[0].Detail, "pupils_marks") {
				t.Errorf("the index is not used: %v %v", plan, err)
			}
		}
	})
}

func indexesOf(t *testing.T, d *db.DB) []string {
	t.Helper()
	sql := `SELECT name || COALESCE(sql, '') FROM sqlite_master WHERE type = 'index' ORDER BY 1`
	if d.Engine() == "postgres" {
		sql = `SELECT CAST(indexname AS text) FROM pg_indexes WHERE tablename = 'pupils' ORDER BY 1`
	}
	names, err := db.All[string](t.Context(), d.Across(unscoped.Permit{}), sql, nil)
	must(t, err)
	return names
}
