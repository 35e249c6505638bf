package db_test

import (
	"context"
	"errors"
	"testing"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/dbtest"
	"homeroom/internal/platform/id"
)

func TestDuplicateIsNamed(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, schema, func(t *testing.T, d *db.DB) {
		q := d.School(newSchool(t, d))
		lower, upper := "a@b.test", "A@B.TEST"
		first := newPupils(1)
		first[0].Email = &lower
		_, err := db.Insert(t.Context(), q, insertPupil, first)
		must(t, err)
		must(t, addClass(t.Context(), q, "1a"))
		again, mail := newPupils(1), newPupils(1)
		again[0].ID = first[0].ID
		mail[0].Email = &upper
		for index, try := range map[string]func() error{
			"classes_name": func() error { return addClass(t.Context(), q, "1a") },
			"pupils_pkey":  func() error { _, err := db.Insert(t.Context(), q, insertPupil, again); return err },
			"pupils_email": func() error { _, err := db.Insert(t.Context(), q, insertPupil, mail); return err },
		} {
			for range 2 { // the second time from the cache
				err := try()
				if !db.IsDuplicate(err, index) || db.IsDuplicate(err, "other") || db.IsReference(err) || errors.Is(err, db.ErrUnavailable) {
					t.Errorf("%s: got %v, want a duplicate of this index only", index, err)
				}
			}
		}
		orphan := newPupils(1)
		orphan[0].ClassID = id.New()
		if _, err := db.Insert(t.Context(), q, insertPupil, orphan); !db.IsReference(err) || db.IsDuplicate(err, "pupils_pkey") {
			t.Errorf("a class that doesn't exist: got %v, want a foreign key violation", err)
		}
		if db.IsDuplicate(nil, "x") || db.IsReference(nil) || db.IsDuplicate(errors.New("x"), "x") {
			t.Error("nil or a foreign error was taken for a violation")
		}
	})
}

// After a schema change prepared statements are prepared again.
func TestSchemaChangesUnderneath(t *testing.T) {
	t.Parallel()
	url := dbtest.URL(t, "postgres", schema)
	d := dbtest.Dial(t, url, schema)
	school := newSchool(t, d)
	must(t, addClass(t.Context(), d.School(school), "x"))
	read := func(ctx context.Context, q db.Q) error {
		_, err := db.One[string](ctx, q, `SELECT name FROM classes WHERE school_id = :school`, nil)
		return err
	}
	for range 2 {
		for _, kind := range []string{"varchar(50)", "text"} {
			must(t, read(t.Context(), d.School(school)))
			sql(t, url, `ALTER TABLE classes ALTER name TYPE `+kind)
			must(t, d.InSchool(t.Context(), school, func(ctx context.Context, tx *db.Tx) error { return read(ctx, tx) }))
		}
	}
}
