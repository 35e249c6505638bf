package db_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/dbtest"
	"homeroom/internal/platform/id"
)

// pupilsTable is the table pupils of the tests' schema.
func pupilsTable(t testing.TB) db.Table {
	t.Helper()
	all, err := db.Describe(t.Context(), schema)
	must(t, err)
	return all[slices.IndexFunc(all, func(one db.Table) bool { return one.Name == "pupils" })]
}

func dump(t testing.TB, d *db.DB, school id.ID, table db.Table) (out []string) {
	t.Helper()
	must(t, d.Snapshot(t.Context(), school, func(ctx context.Context, tx *db.Tx) error {
		return table.Dump(ctx, tx, "", func(line []byte) error {
			out = append(out, string(line))
			return nil
		})
	}))
	return out
}

// load inserts lines and fails unless they are stored as they are.
func load(t testing.TB, d *db.DB, school id.ID, table db.Table, lines []string) error {
	t.Helper()
	return d.InSchool(t.Context(), school, func(ctx context.Context, tx *db.Tx) error {
		in := make([][]byte, len(lines))
		for i, l := range lines {
			in[i] = []byte(l)
		}
		i := 0
		return table.Load(ctx, tx, in, func(line []byte) error {
			if string(line) != lines[i] {
				t.Errorf("line %d\n%s was stored as\n%s", i, lines[i], line)
			}
			i++
			return nil
		})
	})
}

// hardLines are rows with values that engines or encoders like to change.
func hardLines() []string {
	a, b, c := string(id.New()), string(id.New()), string(id.New())
	return []string{
		`["` + a + `",null,"Ann \"'\\ ü ` + "\u2028" + ` <&> \u0007\n",null,-9223372036854775808,0.1,true,"2015-02-03",` +
			`["a","\"b\"",{"a":1.5,"b":[0.0000001,100]}],"2026-11-05T12:00:00.123Z","1969-12-31T23:59:59.999Z"]`,
		`["` + b + `",null,"","a@b.test",9223372036854775807,-1e-300,false,null,[],"2026-11-05T12:00:00.000Z",null]`,
		`["` + c + `",null,"","c@b.test",0,0,false,null,null,"2026-11-05T12:00:00.000Z",null]`, // the document null in a column that is NOT NULL
	}
}

// TestLinesTravel moves rows from each engine to each.
func TestLinesTravel(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, schema, func(t *testing.T, d *db.DB) {
		from, table, want := newSchool(t, d), pupilsTable(t), hardLines()
		must(t, load(t, d, from, table, want))
		if got := dump(t, d, from, table); !slices.Equal(got, want) {
			t.Errorf("have %q\nwant %q", got, want)
		}
		for _, engine := range dbtest.Engines {
			other := dbtest.Open(t, engine, schema)
			to := newSchool(t, other)
			must(t, load(t, other, to, table, dump(t, d, from, table)))
			if got := dump(t, other, to, table); !slices.Equal(got, want) {
				t.Errorf("on %s have %q\nwant %q", engine, got, want)
			}
		}
	})
}

func TestLoadRefusesBadLines(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, schema, func(t *testing.T, d *db.DB) {
		school, table, good := newSchool(t, d), pupilsTable(t), hardLines()[1]
		for name, line := range map[string]string{
			"not a list":       `{"id":1}`,
			"too few":          `["a"]`,
			"too many":         strings.TrimSuffix(good, "]") + `,null]`,
			"no id":            strings.Replace(good, good[2:10], "../../..", 1),
			"U+0000":           strings.Replace(good, `""`, `"\u0000"`, 1),
			"open string":      strings.Replace(good, `""`, `"`, 1),
			"invalid UTF-8":    strings.Replace(good, "a@b", "a\xff", 1),
			"a bool in quotes": strings.Replace(good, "false", `"false"`, 1),
			"a float as int":   strings.Replace(good, "9223372036854775807", "1.5", 1),
			"another time":     strings.Replace(good, "12:00:00.000Z", "12:00", 1),
			"not JSON":         strings.Replace(good, "[]", "[1,]", 1),
		} {
			if line == good {
				t.Fatalf("%s: nothing was replaced", name)
			}
			err := d.InSchool(t.Context(), school, func(ctx context.Context, tx *db.Tx) error {
				return table.Load(ctx, tx, [][]byte{[]byte(line)}, func([]byte) error { return nil })
			})
			if err == nil {
				t.Errorf("%s: %s was stored", name, line)
			}
		}
	})
}

// TestSnapshot reads while another writes.
func TestSnapshot(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, schema, func(t *testing.T, d *db.DB) {
		school, table := newSchool(t, d), pupilsTable(t)
		insert := func() {
			_, err := db.Insert(t.Context(), d.School(school), insertPupil, newPupils(5))
			must(t, err)
		}
		insert()
		must(t, d.Snapshot(t.Context(), school, func(ctx context.Context, tx *db.Tx) error {
			n := count(t, tx, "pupils")
			insert()
			read := 0
			err := table.Dump(ctx, tx, "", func([]byte) error { read++; return nil })
			if n != 5 || read != 5 {
				t.Errorf("the snapshot has %d rows, then %d, want 5", n, read)
			}
			return err
		}))
		if n := count(t, d.School(school), "pupils"); n != 10 {
			t.Errorf("%d rows after the snapshot, want 10", n)
		}
		err := d.Snapshot(t.Context(), school, func(ctx context.Context, tx *db.Tx) error {
			_, err := db.Exec(ctx, tx, `DELETE FROM pupils WHERE school_id = :school`, nil)
			return err
		})
		if n := count(t, d.School(school), "pupils"); err == nil || n != 10 {
			t.Errorf("a snapshot deleted rows: %v, %d are left", err, n)
		}
		stop := errors.New("stop")
		err = d.Snapshot(t.Context(), school, func(ctx context.Context, tx *db.Tx) error {
			return table.Dump(ctx, tx, "", func([]byte) error { return stop })
		})
		if !errors.Is(err, stop) {
			t.Errorf("the error of the reader: %v", err)
		}
	})
}
