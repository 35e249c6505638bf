package db_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/dbtest"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
	"homeroom/internal/platform/page"
)

func TestInsertMany(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, schema, func(t *testing.T, d *db.DB) {
		school := newSchool(t, d)
		q := d.School(school)
		many := newPupils(1000)
		if n, err := db.Insert(t.Context(), q, insertPupil, many); err != nil || n != 1000 {
			t.Fatalf("inserted %d rows, %v, want 1000", n, err)
		}
		names, err := db.All[string](t.Context(), q, `SELECT name FROM pupils WHERE school_id = :school ORDER BY marks`, nil)
		must(t, err)
		if len(names) != 1000 || names[0] != many[0].Name || names[999] != many[999].Name {
			t.Errorf("%d names, the last %s", len(names), names[len(names)-1])
		}
		if n, err := db.Insert(t.Context(), q, insertPupil, []pupil{}); n != 0 || err != nil {
			t.Errorf("no rows: inserted %d, %v, want 0", n, err)
		}
		upsert := insertPupil + ` ON CONFLICT (school_id, id) DO UPDATE SET name = excluded.name`
		if n, err := db.Insert(t.Context(), q, upsert, append(newPupils(3), many[0])); n != 4 || err != nil {
			t.Errorf("upsert: changed %d rows, %v, want 4", n, err)
		}
		// One bad row rolls back all, in one round trip or in several.
		for _, n := range []int{200, 2500} {
			bad := append(newPupils(n), many[5])
			if _, err := db.Insert(t.Context(), q, insertPupil, bad); !db.IsDuplicate(err, "pupils_pkey") {
				t.Errorf("%d rows and a duplicate: got %v, want a duplicate of pupils_pkey", n, err)
			}
		}
		if n := count(t, q, "pupils"); n != 1003 {
			t.Errorf("%d rows, want 1003", n)
		}
	})
}

func TestInsertRefuses(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, schema, func(t *testing.T, d *db.DB) {
		q := d.School(id.New())
		for sql, want := range map[string]string{
			`INSERT INTO classes (school_id, id, name) VALUES (:school, :id, :title)`: ":title has no field",
			`INSERT INTO classes (id, name) VALUES (:id, :name)`:                      "must contain :school",
			insertClass + ` ON CONFLICT (id) DO UPDATE SET x = :name`:                 ":name is used outside",
			`INSERT INTO classes SELECT 1`:                                            "no VALUES",
			`INSERT INTO classes VALUES (:id`:                                         "not closed",
		} {
			if _, err := db.Insert(t.Context(), q, sql, newPupils(1)); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %q", sql, err, want)
			}
		}
		if _, err := db.Insert(t.Context(), q, `INSERT INTO x VALUES (:school)`, []int{1}); err == nil {
			t.Error("Insert accepted a row that is not a struct")
		}
	})
}

func TestOneAndExec(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, schema, func(t *testing.T, d *db.DB) {
		ctx, q := t.Context(), d.School(newSchool(t, d))
		rows := newPupils(4)
		_, err := db.Insert(ctx, q, insertPupil, rows)
		must(t, err)
		_, err = db.One[pupil](ctx, q, `SELECT id FROM pupils WHERE school_id = :school AND name = :name`, db.Args{"name": "x"})
		if !errors.Is(err, db.ErrNotFound) {
			t.Errorf("no such pupil: got %v, want ErrNotFound", err)
		}
		one, err := db.One[string](ctx, q, `SELECT name FROM pupils WHERE school_id = :school ORDER BY marks`, nil)
		if err != nil || one != rows[0].Name {
			t.Errorf("first name: got %q, %v, want %q", one, err, rows[0].Name)
		}
		n, err := db.Exec(ctx, q, `UPDATE pupils SET active = FALSE, left_at = :at
			WHERE school_id = :school AND active AND created_at < :at`, db.Args{"at": noon.Add(time.Second)})
		if n != 1 || err != nil {
			t.Errorf("updated %d rows, %v, want 1", n, err)
		}
		back, err := db.One[id.ID](ctx, q, `DELETE FROM pupils WHERE school_id = :school AND id = :id RETURNING id`, db.Args{"id": rows[1].ID})
		if err != nil || back != rows[1].ID {
			t.Errorf("RETURNING id: got %s, %v, want %s", back, err, rows[1].ID)
		}
		mean, err := db.One[float64](ctx, q, `SELECT avg(marks) FROM pupils WHERE school_id = :school`, nil)
		if err != nil || mean < 1.6 || mean > 1.7 {
			t.Errorf("avg(marks): got %v, %v, want 5/3", mean, err)
		}
		sum, err := db.One[int](ctx, q, `SELECT CAST(sum(marks) AS BIGINT) FROM pupils WHERE school_id = :school`, nil)
		if err != nil || sum != 5 {
			t.Errorf("sum(marks): got %d, %v, want 5", sum, err)
		}
		// In INSERT … SELECT, arguments get the type of the column.
		if n, err := db.Exec(ctx, q, `INSERT INTO pupils (school_id, id, name, marks, active, created_at)
			SELECT school_id, :id, :name, :marks, :active, :at FROM pupils WHERE school_id = :school AND id = :from`,
			db.Args{"id": id.New(), "name": "copy", "marks": 9, "active": true, "at": noon, "from": rows[0].ID}); n != 1 || err != nil {
			t.Errorf("INSERT … SELECT: inserted %d, %v, want 1", n, err)
		}
	})
}

func TestLists(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, schema, func(t *testing.T, d *db.DB) {
		q := d.School(newSchool(t, d))
		rows := newPupils(5)
		_, err := db.Insert(t.Context(), q, insertPupil, rows)
		must(t, err)
		for _, tt := range []struct {
			where string
			list  any
			want  string
		}{
			{"id IN (:l)", []id.ID{rows[1].ID, rows[3].ID}, "1 3"},
			{"id NOT IN (:l)", []id.ID{rows[1].ID, rows[3].ID}, "0 2 4"},
			{"id IN (:l)", []id.ID{}, ""},
			{"id IN (:l)", []id.ID(nil), ""},
			{"id NOT IN (:l)", []id.ID{}, "0 1 2 3 4"},
			{"name IN (:l)", []string{"Pupil 002", `"`, `\`, ","}, "2"},
			{"marks IN (:l)", []int{0, 4, 9}, "0 4"},
			{"active IN (:l)", []bool{false}, "1 3"},
			{"created_at IN (:l)", []time.Time{noon.Add(2 * time.Second)}, "2"},
		} {
			got, err := db.All[int](t.Context(), q,
				`SELECT marks FROM pupils WHERE school_id = :school AND `+tt.where+` ORDER BY marks`, db.Args{"l": tt.list})
			if have := strings.Trim(fmt.Sprint(got), "[]"); err != nil || have != tt.want {
				t.Errorf("%s %v: have %s %v, want %s", tt.where, tt.list, have, err, tt.want)
			}
		}
	})
}

func TestLike(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, schema, func(t *testing.T, d *db.DB) {
		q := d.School(newSchool(t, d))
		rows := newPupils(4)
		for i, n := range []string{"a_b", "aXb", "100%", `back\slash`} {
			rows[i].Name = n
		}
		_, err := db.Insert(t.Context(), q, insertPupil, rows)
		must(t, err)
		for part, want := range map[string]string{"_": "a_b", "%": "100%", `\`: `back\slash`, "X": "aXb", "x": "", "A": ""} {
			got, err := db.All[string](t.Context(), q,
				`SELECT name FROM pupils WHERE school_id = :school AND name LIKE :p ESCAPE '\'`, db.Args{"p": db.Contains(part)})
			if err != nil || strings.Join(got, "|") != want {
				t.Errorf("%s: have %v %v, want %q", part, got, err, want)
			}
		}
	})
}

func TestEach(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, schema, func(t *testing.T, d *db.DB) {
		school := newSchool(t, d)
		q := d.School(school)
		_, err := db.Insert(t.Context(), q, insertPupil, newPupils(500))
		must(t, err)
		const all = `SELECT id, name, email FROM pupils WHERE school_id = :school ORDER BY marks`
		var seen []string
		enough := errors.New("enough")
		err = db.Each(t.Context(), q, all, nil, func(p pupil) error {
			seen = append(seen, p.Name)
			if len(seen) == 300 {
				return enough
			}
			return nil
		})
		if !errors.Is(err, enough) || len(seen) != 300 || seen[299] != "Pupil 299" {
			t.Errorf("Each: %d rows seen, %v, want 300 and the error of the callback", len(seen), err)
		}
		for range 20 { // more often than there are connections, so a leak would block
			func() {
				defer func() { _ = recover() }()
				_ = db.Each(t.Context(), q, all, nil, func(pupil) error { panic("oh") })
			}()
		}
		// In a transaction f may run statements, and an error of f does not abort it.
		must(t, d.InSchool(t.Context(), school, func(ctx context.Context, tx *db.Tx) error {
			n := 0
			err := db.Each(ctx, tx, all, nil, func(p pupil) error {
				if n++; n == 3 {
					return enough
				}
				_, err := db.Exec(ctx, tx, `UPDATE pupils SET name = 'x' WHERE school_id = :school AND id = :id`, db.Args{"id": p.ID})
				return err
			})
			if !errors.Is(err, enough) {
				t.Errorf("Each in a transaction: got %v, want the error of the callback", err)
			}
			return nil
		}))
		n, err := db.One[int](t.Context(), q, `SELECT count(*) FROM pupils WHERE school_id = :school AND name = 'x'`, nil)
		if n != 2 || err != nil {
			t.Errorf("updated in Each: got %d, %v, want 2", n, err)
		}
	})
}

func TestOptionalText(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, schema, func(t *testing.T, d *db.DB) {
		q, pupils := d.School(newSchool(t, d)), newPupils(2)
		mail := "b@green.test"
		pupils[1].Email = &mail
		_, err := db.Insert(t.Context(), q, insertPupil, pupils)
		must(t, err)
		got, err := db.All[opt.Text](t.Context(), q, `SELECT email FROM pupils WHERE school_id = :school ORDER BY email IS NULL DESC`, nil)
		if want := []opt.Text{"", "b@green.test"}; err != nil || !slices.Equal(got, want) {
			t.Errorf("NULL and a text: got %q, %v, want %q", got, err, want)
		}
	})
}

func TestUnknownColumn(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, schema, func(t *testing.T, d *db.DB) {
		q := d.School(newSchool(t, d))
		_, err := db.Insert(t.Context(), q, insertPupil, newPupils(1))
		must(t, err)
		_, err = db.All[pupil](t.Context(), q, `SELECT id, name AS title FROM pupils WHERE school_id = :school`, nil)
		if err == nil || !strings.Contains(err.Error(), `column "title" has no field`) {
			t.Errorf("column without a field: got %v", err)
		}
		_, err = db.All[struct{ Email string }](t.Context(), q, `SELECT email FROM pupils WHERE school_id = :school`, nil)
		if err == nil || !strings.Contains(err.Error(), `column "email": NULL does not fit string`) {
			t.Errorf("NULL into a string: got %v", err)
		}
		if n := count(t, q, "pupils"); n != 1 { // the connection still works
			t.Errorf("pupils: got %d, want 1", n)
		}
	})
}

func TestPage(t *testing.T) {
	t.Parallel()
	list := db.List{Columns: "id, name, marks", From: "pupils WHERE school_id = :school AND marks >= :least",
		Sorts: map[string]string{"name": "name", "half": "active, length(name)", "marks": "marks"}, Default: "-marks"}
	dbtest.Each(t, schema, func(t *testing.T, d *db.DB) {
		q := d.School(newSchool(t, d))
		rows := newPupils(45)
		_, err := db.Insert(t.Context(), q, insertPupil, rows)
		must(t, err)
		for _, tt := range []struct {
			r                   page.Request
			least, n, total, of int
			first               string
		}{
			{page.Request{}, 0, 20, 45, 3, "Pupil 044"},
			{page.Request{Page: 3}, 0, 5, 45, 3, "Pupil 004"},
			{page.Request{Page: 4}, 0, 0, 45, 3, ""},
			{page.Request{Page: 1_000_000_000, Limit: 100}, 0, 0, 45, 1, ""},
			{page.Request{Limit: 15, Page: 3}, 0, 15, 45, 3, "Pupil 014"},
			{page.Request{}, 100, 0, 0, 0, ""},
			{page.Request{}, 40, 5, 5, 1, "Pupil 044"},
			{page.Request{Sort: &page.Sort{Field: "name", Order: "asc"}}, 0, 20, 45, 3, "Pupil 000"},
			{page.Request{Sort: &page.Sort{Field: "half", Order: "desc"}}, 0, 20, 45, 3, "Pupil 044"},
		} {
			p, err := db.Page[pupil](t.Context(), q, list, tt.r, db.Args{"least": tt.least})
			if err != nil || len(p.Items) != tt.n || p.Total != tt.total || p.TotalPages != tt.of || tt.n > 0 && p.Items[0].Name != tt.first {
				t.Errorf("%+v: %d of %d in %d pages, %v", tt.r, len(p.Items), p.Total, p.TotalPages, err)
			}
			if p.Items == nil {
				t.Errorf("%+v: items are nil, want an empty list", tt.r)
			}
		}
		_, err = db.Page[pupil](t.Context(), q, list, page.Request{Sort: &page.Sort{Field: "id; DROP"}}, db.Args{"least": 0})
		if f := fault.From(err); f.Kind != fault.Invalid || f.Fields[0].Field != "sort.field" ||
			!strings.Contains(f.Fields[0].Message, "half, marks, name") {
			t.Errorf("unknown sort field: got %v, want a fault with the allowed fields", err)
		}
	})
}

// Pages never overlap, even if all rows have the same value in the sorted column.
func TestPageIsTotal(t *testing.T) {
	t.Parallel()
	list := db.List{Columns: "id", From: "pupils WHERE school_id = :school GROUP BY id, active",
		Sorts: map[string]string{"active": "active"}, Default: "active"}
	dbtest.Each(t, schema, func(t *testing.T, d *db.DB) {
		q := d.School(newSchool(t, d))
		_, err := db.Insert(t.Context(), q, insertPupil, newPupils(30))
		must(t, err)
		var seen []id.ID
		for n := range 3 {
			p, err := db.Page[pupil](t.Context(), q, list, page.Request{Page: n + 1, Limit: 10}, nil)
			if err != nil || p.Total != 30 {
				t.Fatalf("total: got %d, %v, want 30", p.Total, err)
			}
			for _, i := range p.Items {
				seen = append(seen, i.ID)
			}
		}
		slices.Sort(seen)
		if n := len(slices.Compact(seen)); n != 30 {
			t.Errorf("%d different rows of 30", n)
		}
	})
}
