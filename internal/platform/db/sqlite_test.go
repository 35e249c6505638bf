package db

import (
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"homeroom/internal/platform/db/unscoped"
)

// The pragmas for durability and for behaving as PostgreSQL apply on every connection.
func TestPragmas(t *testing.T) {
	t.Parallel()
	d, err := Open(t.Context(), Options{URL: "sqlite:" + filepath.Join(t.TempDir(), "x.db")})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	e := d.engine.(*sqlite)
	for name, pool := range map[string]*pool[*liteConn]{"writer": e.writer, "reader": e.readers} {
		r, err := pool.acquire(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		c := r.Value()
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
		pool.release(r, true)
	}
}

// With planner statistics SQLite looks up a list of ids by id. Without them it scans
// all rows of the school in a covering index.
func TestOptimize(t *testing.T) {
	t.Parallel()
	d, err := Open(t.Context(), Options{URL: "sqlite:" + filepath.Join(t.TempDir(), "x.db"), Migrations: fstest.MapFS{
		"0001_cats.sql": {Data: []byte(`
		CREATE TABLE cats (school_id TEXT NOT NULL, id TEXT NOT NULL, owner_id TEXT NOT NULL, name TEXT NOT NULL,
			PRIMARY KEY (school_id, id)) STRICT;
		CREATE INDEX cats_name ON cats (school_id, name, id, owner_id);
		CREATE INDEX cats_owner ON cats (school_id, owner_id);`)}}})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if _, err := d.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, err = Exec(t.Context(), d.Across(unscoped.Permit{}), `
		WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers LIMIT 3000)
		INSERT INTO cats SELECT 's', 'cat ' || n, 'owner ' || (n / 3), 'name ' || (n % 50) FROM numbers`, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Optimize(t.Context()); err != nil {
		t.Fatal(err)
	}
	readers := d.engine.(*sqlite).readers
	r, err := readers.acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer readers.release(r, true)
	c := r.Value()
	for where, want := range map[string]string{
		`id IN (SELECT value FROM json_each('["a"]'))`:       "sqlite_autoindex_cats_1 (school_id=? AND id=?)",
		`owner_id IN (SELECT value FROM json_each('["a"]'))`: "cats_owner (school_id=? AND owner_id=?)",
	} {
		var plan plans
		explain := verbatim(`EXPLAIN QUERY PLAN SELECT name FROM cats WHERE school_id = 's' AND ` + where)
		if err := c.do(t.Context(), &work{st: explain, rows: &plan}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(strings.Join(plan, "\n"), want) {
			t.Errorf("plan for %s: got %q, want %q", where, plan, want)
		}
	}
}

// plans are the lines of EXPLAIN QUERY PLAN.
type plans []string

func (*plans) columns([]string) error { return nil }
func (p *plans) row(r []value) error  { *p = append(*p, r[len(r)-1].text()); return nil }

type keep struct{ v *value }

func (keep) columns([]string) error { return nil }
func (k keep) row(r []value) error  { *k.v = r[0]; return nil }
