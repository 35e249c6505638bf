package db

import (
	"path/filepath"
	"strings"
	"testing"
)

// What durability and sameness of both engines rest on is in force on every connection.
func TestPragmas(t *testing.T) {
	t.Parallel()
	d, err := Open(t.Context(), Options{URL: "sqlite:" + filepath.Join(t.TempDir(), "x.db")})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	e := d.engine.(*sqlite)
	for name, pool := range map[string]*pool[*liteConn]{"writer": e.writer, "reader": e.readers} {
		c, err := pool.acquire(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for pragma, want := range map[string]string{"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1",
			"query_only": map[string]string{"writer": "0", "reader": "1"}[name]} {
			st := verbatim("SELECT CAST(x AS TEXT) FROM (SELECT " + pragma + " AS x FROM pragma_" + pragma + ")")
			if pragma == "synchronous" || pragma == "journal_mode" {
				st = verbatim("PRAGMA " + pragma)
			}
			var got value
			w := &work{st: st, rows: keep{&got}}
			if err := c.do(t.Context(), w); err != nil {
				t.Fatal(err)
			}
			have := got.text()
			if got.kind == integer {
				have = string(rune('0' + got.n))
			}
			if have != want {
				t.Errorf("%s of the %s: %s, want %s", pragma, name, have, want)
			}
		}
		pool.release(c, true)
	}
}

// A column of a few words is checked without a table of them, as the engine of the
// other kind checks it.
func TestChecksOfWords(t *testing.T) {
	t.Parallel()
	const text = `CREATE TABLE cats (mood {{text}} NOT NULL CHECK (mood IN ('calm', 'wild', 'asleep')), age {{int}} CHECK ((age IN (1, 2, 3)) = (mood = 'wild'))) {{strict}};`
	pg, err := render(true, "cats", text)
	if err != nil || !strings.Contains(pg, "(mood IN ('calm', 'wild', 'asleep'))") {
		t.Error(pg, err)
	}
	sql, err := render(false, "cats", text)
	if err != nil || !strings.Contains(sql, "age IN (1, 2, 3)") { // which is more than that, and stays
		t.Fatal(sql, err)
	}
	d, err := Open(t.Context(), Options{URL: "sqlite:" + filepath.Join(t.TempDir(), "x.db")})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	c, err := d.engine.(*sqlite).writer.acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, sql := range []string{sql, `INSERT INTO cats VALUES ('calm', 9), ('wild', 2), ('asleep', 9)`} {
		if err := c.script(t.Context(), sql); err != nil {
			t.Error(sql, err)
		}
	}
	for _, bad := range []string{`('angry', 9)`, `('', 9)`, `('Calm', 9)`, `('calm', 2)`} {
		if err := c.script(t.Context(), `INSERT INTO cats VALUES `+bad); err == nil || !strings.Contains(err.Error(), "CHECK") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

type keep struct{ v *value }

func (keep) columns([]string) error { return nil }
func (k keep) row(r []value) error  { *k.v = r[0]; return nil }
