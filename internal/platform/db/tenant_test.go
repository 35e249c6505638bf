package db_test

import (
	"context"
	"strings"
	"testing"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/dbtest"
	"homeroom/internal/platform/db/unscoped"
	"homeroom/internal/platform/id"
)

const insertClass = `INSERT INTO classes (school_id, id, name) VALUES (:school, :id, :name)`

func newClass(t testing.TB, d *db.DB, school id.ID, name string) id.ID {
	t.Helper()
	class := id.New()
	_, err := db.Exec(t.Context(), d.School(school), insertClass, db.Args{"id": class, "name": name})
	must(t, err)
	return class
}

func TestSchoolIsNeverForgotten(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, schema, func(t *testing.T, d *db.DB) {
		school := newSchool(t, d)
		newClass(t, d, school, "1a")
		for _, sql := range []string{
			`SELECT id FROM classes`, `SELECT id FROM classes WHERE name = ':school'`, `DELETE FROM classes -- :school`,
		} {
			if _, err := db.Exec(t.Context(), d.School(school), sql, nil); err == nil || !strings.Contains(err.Error(), "must contain :school") {
				t.Errorf("%s: got %v, want must contain :school", sql, err)
			}
		}
		if n := count(t, d.School(school), "classes"); n != 1 {
			t.Errorf("classes: got %d, want 1", n)
		}
		if n := count(t, d.School(id.New()), "classes"); n != 0 {
			t.Errorf("another school sees %d classes", n)
		}
	})
}

// Foreign keys include school_id, so a row can't refer to another school.
func TestCompositeKeys(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, schema, func(t *testing.T, d *db.DB) {
		ours, theirs := newSchool(t, d), newSchool(t, d)
		class := newClass(t, d, theirs, "1a")
		p := newPupils(1)
		p[0].ClassID = class
		if _, err := db.Insert(t.Context(), d.School(ours), insertPupil, p); !db.IsReference(err) {
			t.Errorf("a pupil in a class of another school: %v", err)
		}
		if _, err := db.Insert(t.Context(), d.School(theirs), insertPupil, p); err != nil {
			t.Errorf("a pupil in a class of the same school: %v", err)
		}
		_, err := db.Exec(t.Context(), d.School(theirs), `DELETE FROM classes WHERE school_id = :school`, nil)
		if !db.IsReference(err) {
			t.Errorf("a class with pupils was deleted: %v", err)
		}
	})
}

// Row-level security stops statements that contain :school but are not limited to it.
func TestRowSecurity(t *testing.T) {
	t.Parallel()
	d := dbtest.Open(t, "postgres", schema)
	ours, theirs := newSchool(t, d), newSchool(t, d)
	newClass(t, d, ours, "ours")
	newClass(t, d, theirs, "theirs")
	names, err := db.All[string](t.Context(), d.School(ours), `SELECT name FROM classes WHERE :school <> '' OR TRUE`, nil)
	if err != nil || strings.Join(names, " ") != "ours" {
		t.Errorf("a statement without WHERE sees %v, %v", names, err)
	}
	for _, sql := range []string{
		`UPDATE classes SET name = 'taken' WHERE school_id = :other OR CAST(:school AS text) = ''`,
		`DELETE FROM classes WHERE school_id = :other OR CAST(:school AS text) = ''`,
	} {
		if n, err := db.Exec(t.Context(), d.School(ours), sql, db.Args{"other": theirs}); n != 0 || err != nil {
			t.Errorf("%s: changed %d, %v", sql, n, err)
		}
	}
	_, err = db.Exec(t.Context(), d.School(ours), `INSERT INTO classes (school_id, id, name) VALUES (:other, :id, CAST(:school AS text))`,
		db.Args{"other": theirs, "id": id.New()})
	if err == nil || !strings.Contains(err.Error(), "row-level security") {
		t.Errorf("a row in another school: %v", err)
	}
	all, err := db.All[string](t.Context(), d.Across(unscoped.Permit{}), `SELECT name FROM classes ORDER BY name`, nil)
	if err != nil || strings.Join(all, " ") != "ours theirs" {
		t.Errorf("across schools: %v, %v", all, err)
	}
	// The policy allows an index scan, and reads the school once.
	plan, err := db.All[string](t.Context(), d.School(ours),
		`EXPLAIN SELECT name FROM pupils WHERE class_id = :class AND CAST(:school AS text) <> ''`, db.Args{"class": id.New()})
	have := strings.Join(plan, "\n")
	if err != nil || !strings.Contains(have, "InitPlan") || !strings.Contains(have, "Index Cond: ((school_id = ") {
		t.Errorf("plan: got %v\n%s\nwant an index scan, and the school in an InitPlan", err, have)
	}
}

// A transaction can switch between scopes.
func TestScopeSwitches(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, schema, func(t *testing.T, d *db.DB) {
		ours, theirs := newSchool(t, d), newSchool(t, d)
		must(t, d.InSchool(t.Context(), ours, func(ctx context.Context, tx *db.Tx) error {
			for _, q := range []db.Q{tx, tx.School(theirs), tx, tx.School(ours)} {
				if _, err := db.Exec(ctx, q, insertClass, db.Args{"id": id.New(), "name": string(id.New())}); err != nil {
					return err
				}
			}
			if err := addClass(ctx, tx.School(theirs), "again"); err != nil {
				return err
			}
			n, err := db.One[int](ctx, tx.Across(unscoped.Permit{}), `SELECT count(*) FROM classes`, nil)
			if n != 5 || err != nil {
				t.Errorf("across: %d, %v", n, err)
			}
			if n, err := db.One[int](ctx, tx, `SELECT count(*) FROM classes WHERE school_id = :school`, nil); n != 3 || err != nil {
				t.Errorf("back in ours: %d, %v", n, err)
			}
			return nil
		}))
		if n := count(t, d.School(theirs), "classes"); n != 2 {
			t.Errorf("theirs: %d", n)
		}
	})
}

// Analyze runs as the owner of the tables, who sees every school; the next statement does not.
func TestAnalyzeKeepsTheScope(t *testing.T) {
	t.Parallel()
	d := dbtest.Open(t, "postgres", schema)
	ours, theirs := newSchool(t, d), newSchool(t, d)
	newClass(t, d, theirs, "theirs")
	must(t, d.InSchool(t.Context(), ours, func(ctx context.Context, tx *db.Tx) error {
		if err := addClass(ctx, tx, "ours"); err != nil {
			return err
		}
		if err := tx.Analyze(ctx); err != nil {
			return err
		}
		names, err := db.All[string](ctx, tx, `SELECT name FROM classes WHERE :school <> '' OR TRUE`, nil)
		if strings.Join(names, " ") != "ours" {
			t.Errorf("after Analyze the school sees %v", names)
		}
		return err
	}))
}

func TestAppendOnly(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, schema, func(t *testing.T, d *db.DB) {
		school := newSchool(t, d)
		q, all := d.School(school), d.Across(unscoped.Permit{})
		_, err := db.Exec(t.Context(), q, `INSERT INTO journal (school_id, id, entry) VALUES (:school, :id, 'x')`, db.Args{"id": id.New()})
		must(t, err)
		for _, sql := range []string{
			`UPDATE journal SET entry = 'y' WHERE school_id = :school`, `DELETE FROM journal WHERE school_id = :school`,
		} {
			if _, err := db.Exec(t.Context(), q, sql, nil); err == nil {
				t.Errorf("in the school: %s was allowed", sql)
			}
			if _, err := db.Exec(t.Context(), all, sql, db.Args{"school": school}); err == nil || !strings.Contains(err.Error(), "never changed") {
				t.Errorf("across schools: %s: %v", sql, err)
			}
		}
		must(t, d.InAll(t.Context(), unscoped.Permit{}, func(ctx context.Context, tx *db.Tx) error {
			for _, sql := range []string{
				`UPDATE schools SET status = 'DELETING' WHERE id = :school`,
				`DELETE FROM journal WHERE school_id = :school`,
				`DELETE FROM schools WHERE id = :school`,
			} {
				if n, err := db.Exec(ctx, tx, sql, db.Args{"school": school}); n != 1 || err != nil {
					t.Errorf("%s: %d, %v", sql, n, err)
				}
			}
			return nil
		}))
	})
}
