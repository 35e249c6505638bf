// Package dbtest gives each test its own database, on both engines, within a few
// milliseconds: a copy of a migrated template.
//
// The PostgreSQL server is the one at HOMEROOM_TEST_POSTGRES (a superuser's URL),
// or one that is started for this test process and stops with it.
package dbtest

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"homeroom/internal/platform/db"
)

// Engines are the names of the engines.
var Engines = []string{"sqlite", "postgres"}

// shared is the server and the templates of this process, created on first use.
var shared host

// Each runs f as one parallel subtest per engine, on a fresh database.
func Each(t *testing.T, migrations fs.FS, f func(t *testing.T, d *db.DB)) {
	t.Helper()
	On(t, Engines, migrations, f)
}

// On is Each for the given engines.
func On(t *testing.T, engines []string, migrations fs.FS, f func(t *testing.T, d *db.DB)) {
	t.Helper()
	for _, engine := range engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			f(t, Open(t, engine, migrations))
		})
	}
}

// Open opens a fresh database.
func Open(t testing.TB, engine string, migrations fs.FS) *db.DB {
	t.Helper()
	return Dial(t, URL(t, engine, migrations), migrations)
}

// Dial opens a database by its URL and closes it after the test. Two with the same
// URL behave as two nodes.
func Dial(t testing.TB, url string, migrations fs.FS) *db.DB {
	t.Helper()
	d, err := db.Open(t.Context(), db.Options{URL: url, Migrations: migrations, MaxConns: 4})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// URL creates a fresh database and returns its URL. It is migrated unless
// migrations is nil.
func URL(t testing.TB, engine string, migrations fs.FS) string {
	t.Helper()
	if engine == "postgres" {
		return postgresURL(t, migrations)
	}
	if migrations == nil {
		return "sqlite:" + filepath.Join(t.TempDir(), "homeroom.db")
	}
	b, err := shared.sqliteTemplate(t, fingerprint(t, migrations), migrations)
	if err != nil {
		t.Fatal(err)
	}
	return "sqlite:" + writeFile(t, b)
}

// writeFile writes a database file that is removed after the test.
func writeFile(t testing.TB, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "homeroom.db")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Settle updates the planner statistics (ANALYZE) after many rows were written. In
// production autovacuum does so on PostgreSQL, and Optimize on SQLite.
func Settle(t testing.TB, d *db.DB, url string) {
	t.Helper()
	err := d.Optimize(t.Context())
	if err == nil && d.Engine() == "postgres" {
		err = script(t.Context(), url, "VACUUM ANALYZE")
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Main runs the tests of a package and then stops the server they started:
//
//	func TestMain(m *testing.M) { dbtest.Main(m) }
//
// Without it the server stops shortly after the process.
func Main(m *testing.M) {
	code := m.Run()
	shared.stop()
	os.Exit(code)
}

// fingerprint returns a hash of the migrations.
func fingerprint(t testing.TB, migrations fs.FS) string {
	h := sha256.New()
	err := fs.WalkDir(migrations, ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := fs.ReadFile(migrations, path)
		h.Write([]byte(path + "\x00"))
		h.Write(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}
