package dbtest_test

import (
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/dbtest"
	"homeroom/internal/platform/db/unscoped"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

var migrations = fstest.MapFS{"1.sql": {Data: []byte(`CREATE TABLE a (id {{int}} PRIMARY KEY) {{strict}}; {{grant "a"}}`)}}

const add = `INSERT INTO a (id) VALUES (:id)`

// Every database is fresh, and migrated.
func TestEach(t *testing.T) {
	t.Parallel()
	for range 2 {
		dbtest.Each(t, migrations, func(t *testing.T, d *db.DB) {
			if err := d.Current(t.Context()); err != nil {
				t.Error(err)
			}
			if n, err := db.Exec(t.Context(), d.Across(unscoped.Permit{}), add, db.Args{"id": 1}); n != 1 || err != nil {
				t.Errorf("inserted %d rows, %v, want 1", n, err)
			}
		})
	}
}

// Two nodes share one database. Without migrations it is empty.
func TestURL(t *testing.T) {
	t.Parallel()
	for _, engine := range dbtest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			url := dbtest.URL(t, engine, migrations)
			one, two := dbtest.Dial(t, url, migrations), dbtest.Dial(t, url, migrations)
			if _, err := db.Exec(t.Context(), one.Across(unscoped.Permit{}), add, db.Args{"id": 7}); err != nil {
				t.Error(err)
			}
			if n, err := db.One[int](t.Context(), two.Across(unscoped.Permit{}), `SELECT id FROM a`, nil); n != 7 || err != nil {
				t.Errorf("the other node reads %d, %v, want 7", n, err)
			}
			bare := dbtest.Dial(t, dbtest.URL(t, engine, nil), migrations)
			if err := bare.Current(t.Context()); err == nil {
				t.Error("a database without migrations is migrated")
			}
		})
	}
}

// A database is deleted after its test.
func TestCleanup(t *testing.T) {
	t.Parallel()
	for _, engine := range dbtest.Engines {
		var url string
		t.Run(engine, func(t *testing.T) { url = dbtest.URL(t, engine, migrations) })
		if engine == "sqlite" {
			if _, err := os.Stat(strings.TrimPrefix(url, "sqlite:")); err == nil {
				t.Error("the file is still there")
			}
			continue
		}
		d := dbtest.Dial(t, url, migrations)
		if err := d.Ping(t.Context()); err == nil || !strings.Contains(err.Error(), "does not exist") {
			t.Errorf("ping of a dropped database: got %v", err)
		}
	}
}
