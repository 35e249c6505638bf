package dbtest

import (
	"io/fs"
	"os"
	"strings"
	"sync"
	"testing"
)

// Template is a database with rows that many tests start with. Fill runs once per
// engine and test process, on a migrated database. It must close what it opens, and
// returns what the tests want to know of the rows.
type Template[V any] struct {
	Migrations fs.FS
	Fill       func(t testing.TB, url string) V

	sqlite, postgres filled[V]
}

// filled is a template on one engine.
type filled[V any] struct {
	once sync.Once
	done bool
	rows V
	file []byte // of SQLite
	name string // of PostgreSQL's database
}

// Copy copies the template. It returns the URL of the copy, and what Fill returned.
func (m *Template[V]) Copy(t testing.TB, engine string) (url string, rows V) {
	t.Helper()
	f := &m.sqlite
	if engine == "postgres" {
		f = &m.postgres
	}
	f.once.Do(func() { f.fill(t, URL(t, engine, m.Migrations), m.Fill) })
	if !f.done {
		t.Fatal("the template could not be filled; the test that tried first says why")
	}
	if engine == "postgres" {
		return copyDatabase(t, f.name), f.rows
	}
	return "sqlite:" + writeFile(t, f.file), f.rows
}

func (f *filled[V]) fill(t testing.TB, url string, fill func(testing.TB, string) V) {
	t.Helper()
	f.rows = fill(t, url)
	path, isFile := strings.CutPrefix(url, "sqlite:")
	if !isFile {
		f.name = shared.keep(t, url)
	} else {
		var err error
		if f.file, err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
	}
	f.done = true
}
