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

	"homeroom/internal/platform/await"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/dbtest"
	"homeroom/internal/platform/db/unscoped"
	"homeroom/internal/platform/id"
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

// loaders are the databases that loads may differ on.
var loaders = append([]string{dbtest.Trusted}, dbtest.Engines...)

func TestLoad(t *testing.T) {
	t.Parallel()
	dbtest.On(t, loaders, schema, func(t *testing.T, d *db.DB) {
		ours, theirs := newSchool(t, d), newSchool(t, d)
		newClass(t, d, theirs, "theirs")
		all := d.Across(unscoped.Permit{})
		if d.Engine() == "sqlite" {
			for _, sql := range []string{
				`CREATE INDEX pupils_marks ON pupils (school_id, marks, id)`, // which then stays as it is
				`CREATE TEMP TABLE some (n)`,                                 // now the place of such can't be changed in a transaction
			} {
				_, err := db.Exec(t.Context(), all, sql, nil)
				must(t, err)
			}
		}
		before := indexesOf(t, d)
		errStop := errors.New("stop")
		for _, n := range []int{10, 6000} {
			err := loadPupils(t, d, ours, db.Bulk{Rows: n, Adds: true}, newPupils(n), errStop)
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
			err := tx.Load(ctx, db.Bulk{Rows: 6000, Tables: []string{"pupils"}, Triggers: []string{"of_pupils"}}, func() error {
				_, err := db.Insert(ctx, tx, insertPupil, newPupils(6000))
				must(t, err)
				if off := tx.PutOff("of_pupils"); off != strings.HasSuffix(t.Name(), dbtest.Trusted) {
					t.Errorf("the trigger is put off: %v", off)
				}
				if n := count(t, tx, "pupils"); n != 6000 { // what is asked next is answered after what was written
					t.Errorf("%d rows in the load, want 6000", n)
				}
				return nil
			})
			must(t, err)
			// The transaction is the school's as before, also on PostgreSQL, whose owner counts the rows.
			names, err := db.All[string](ctx, tx, `SELECT name FROM classes WHERE school_id = :school`, nil)
			must(t, err)
			who, mode := "homeroom_app", "origin"
			if d.Engine() == "postgres" {
				who, err = db.One[string](ctx, tx, `SELECT CAST(current_user AS text) FROM schools WHERE id = :school`, nil)
				must(t, err)
				mode, err = db.One[string](ctx, tx, `SELECT current_setting('session_replication_role') FROM schools WHERE id = :school`, nil)
			}
			if len(names) > 0 || err != nil || who != "homeroom_app" || mode != "origin" {
				t.Errorf("sees %v as %s in %s %v", names, who, mode, err)
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
			await.Until(t, "statistics of the new index", func() bool {
				n, err := db.One[int](t.Context(), all, `SELECT count(*) FROM sqlite_stat1 WHERE idx = 'pupils_marks'`, nil)
				return err == nil && n == 1
			})
		}
	})
}

// What rows of a load share is said once, and each has it; so has one that differs.
func TestLoadShares(t *testing.T) {
	t.Parallel()
	dbtest.On(t, loaders, schema, func(t *testing.T, d *db.DB) {
		ours := newSchool(t, d)
		rows, height := newPupils(6000), 1.5
		for i := range rows {
			rows[i].Name, rows[i].Marks, rows[i].CreatedAt = "same", 7, noon
			switch {
			case i == 2500:
				rows[i].Marks, rows[i].Height = 8, &height
			case i >= 3000:
				rows[i].Name, rows[i].Tags.V = fmt.Sprint("pupil ", i), []string{"late"}
			}
		}
		must(t, loadPupils(t, d, ours, db.Bulk{Rows: len(rows), Adds: true}, rows, nil))
		got, err := db.All[pupil](t.Context(), d.School(ours), `SELECT `+pupilColumns+` FROM pupils WHERE school_id = :school`, nil)
		must(t, err)
		for _, of := range [][]pupil{got, rows} {
			slices.SortFunc(of, func(a, b pupil) int { return strings.Compare(string(a.ID), string(b.ID)) })
		}
		have, _ := json.Marshal(got)
		if want, _ := json.Marshal(rows); string(have) != string(want) {
			t.Errorf("have %.300s\nwant %.300s", have, want)
		}
	})
}

// loadPupils loads classes and pupils, and ends with an error.
func loadPupils(t *testing.T, d *db.DB, school id.ID, b db.Bulk, pupils []pupil, end error, classes ...class) error {
	b.Tables = []string{"classes", "pupils"}
	return d.InSchool(t.Context(), school, func(ctx context.Context, tx *db.Tx) error {
		return tx.Load(ctx, b, func() error {
			// An error may be of what came before: Load tells it anyway.
			_, err := db.Insert(ctx, tx, `INSERT INTO classes (school_id, id, name) VALUES (:school, :id, :name)`, classes)
			if err == nil {
				_, err = db.Insert(ctx, tx, insertPupil, pupils)
			}
			if err == nil {
				err = end
			}
			return err
		})
	})
}

type class struct {
	ID   id.ID
	Name string
}

// What a row must hold to, many hold to as well, whatever was put off.
func TestLoadHolds(t *testing.T) {
	t.Parallel()
	dbtest.On(t, loaders, schema, func(t *testing.T, d *db.DB) {
		ours, theirs := newSchool(t, d), newSchool(t, d)
		old, foreign, fresh := newClass(t, d, ours, "old"), newClass(t, d, theirs, "theirs"), class{id.New(), "fresh"}
		mail := "a@b.test"
		twice := func(index string) func(error) bool { return func(err error) bool { return db.IsDuplicate(err, index) } }
		for name, tt := range map[string]struct {
			spoil func(pupils []pupil, classes []class)
			want  func(error) bool
		}{
			"good":              {func([]pupil, []class) {}, func(err error) bool { return err == nil }},
			"no such class":     {func(p []pupil, _ []class) { p[5990].ClassID = id.New() }, db.IsReference},
			"another school's":  {func(p []pupil, _ []class) { p[3].ClassID = foreign }, db.IsReference},
			"one e-mail of two": {func(p []pupil, _ []class) { p[1].Email, p[5000].Email = &mail, &mail }, twice("pupils_email")},
			"one id of two":     {func(p []pupil, _ []class) { p[1].ID = p[5000].ID }, twice("pupils_pkey")},
			"one name of two":   {func(_ []pupil, c []class) { c[0].Name = "old" }, twice("classes_name")},
		} {
			for _, adds := range []bool{false, true} {
				pupils, classes := newPupils(6000), []class{fresh}
				for i := range pupils {
					pupils[i].ClassID = []id.ID{old, fresh.ID, ""}[i%3]
				}
				tt.spoil(pupils, classes)
				err := loadPupils(t, d, ours, db.Bulk{Rows: 6000, Adds: adds}, pupils, nil, classes...)
				if !tt.want(err) {
					t.Errorf("%s, adds %v: %v", name, adds, err)
				}
				if n := count(t, d.School(ours), "pupils"); err != nil && n != 0 {
					t.Errorf("%s, adds %v: %d rows are left", name, adds, n)
				}
				// Foreign keys hold again, also on the connection that had them off.
				bad := newPupils(1)
				bad[0].ClassID = foreign
				if _, err := db.Insert(t.Context(), d.School(ours), insertPupil, bad); !db.IsReference(err) {
					t.Errorf("%s, adds %v, and after it: %v", name, adds, err)
				}
				_, err = db.Exec(t.Context(), d.School(ours), insertClass, db.Args{"id": id.New(), "name": "old"})
				if !db.IsDuplicate(err, "classes_name") {
					t.Errorf("%s, adds %v, and a name twice after it: %v", name, adds, err)
				}
				for _, table := range []string{"pupils", "classes"} {
					_, err := db.Exec(t.Context(), d.School(ours), `DELETE FROM `+table+` WHERE school_id = :school`+
						db.When(table == "classes", ` AND name = 'fresh'`), nil)
					must(t, err)
				}
			}
		}
	})
}

// What rows refer to stays until they are there, and then because they are.
func TestLoadLocks(t *testing.T) {
	t.Parallel()
	dbtest.On(t, loaders, schema, func(t *testing.T, d *db.DB) {
		ours := newSchool(t, d)
		old := newClass(t, d, ours, "old")
		pupils := newPupils(6000)
		pupils[17].ClassID = old
		gone := make(chan error, 1)
		must(t, d.InSchool(t.Context(), ours, func(ctx context.Context, tx *db.Tx) error {
			err := tx.Load(ctx, db.Bulk{Rows: 6000, Tables: []string{"pupils"}}, func() error {
				_, err := db.Insert(ctx, tx, insertPupil, pupils)
				return err
			})
			go func() {
				_, err := db.Exec(context.WithoutCancel(t.Context()), d.School(ours), `DELETE FROM classes WHERE school_id = :school`, nil)
				gone <- err
			}()
			select {
			case err := <-gone:
				t.Error("the class was deleted meanwhile:", err)
				gone <- err
			case <-time.After(200 * time.Millisecond):
			}
			return err
		}))
		if err := <-gone; !db.IsReference(err) {
			t.Error("the class was deleted after all:", err)
		}
	})
}

// A load that says it only adds is held to it where that matters.
func TestLoadAdds(t *testing.T) {
	t.Parallel()
	d := dbtest.Open(t, "sqlite", schema)
	ours := newSchool(t, d)
	old := newClass(t, d, ours, "old")
	for sql, want := range map[string]error{
		`UPDATE classes SET name = 'other' WHERE school_id = :school AND id = :id`: db.ErrAdds,
		`DELETE FROM classes WHERE school_id = :school AND id = :id`:               db.ErrAdds,
		`SELECT id FROM classes WHERE school_id = :school AND id = :id`:            nil,
		`INSERT INTO journal (school_id, id, entry) VALUES (:school, :id, '')`:     nil, // refers to the school alone
		`INSERT INTO pupils (school_id, id, name, created_at) VALUES (:school, :id, '', '')
			ON CONFLICT (school_id, id) DO UPDATE SET name = excluded.name`: db.ErrAdds,
	} {
		err := d.InSchool(t.Context(), ours, func(ctx context.Context, tx *db.Tx) error {
			return tx.Load(ctx, db.Bulk{Rows: 6000, Tables: []string{"pupils"}, Adds: true}, func() error {
				_, err := db.Exec(ctx, tx, sql, db.Args{"id": old})
				return err
			})
		})
		if !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", sql, err, want)
		}
	}
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
