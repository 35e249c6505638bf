package db

import (
	"path/filepath"
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

type keep struct{ v *value }

func (keep) columns([]string) error { return nil }
func (k keep) row(r []value) error  { *k.v = r[0]; return nil }
