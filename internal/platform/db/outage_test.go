package db_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"homeroom/internal/platform/await"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/dbtest"
	"homeroom/internal/platform/db/dbtest/pgserver"
	"homeroom/internal/platform/id"
)

// freshServer starts a server for one test and returns its URLOf.
func freshServer(t testing.TB) func(user, database string) string {
	t.Helper()
	s, err := pgserver.Start()
	must(t, err)
	t.Cleanup(s.Stop)
	return s.URLOf
}

// crowd has a database call of each kind.
type crowd map[string]func(context.Context) error

func crowdOf(d *db.DB, school id.ID) crowd {
	return crowd{
		"ping":  d.Ping,
		"write": func(ctx context.Context) error { return addClass(ctx, d.School(school), string(id.New())) },
		"read": func(ctx context.Context) error {
			_, err := db.All[id.ID](ctx, d.School(school), `SELECT id FROM classes WHERE school_id = :school`, nil)
			return err
		},
		"transaction": func(ctx context.Context) error {
			return d.InSchool(ctx, school, func(ctx context.Context, tx *db.Tx) error { return addClass(ctx, tx, string(id.New())) })
		},
	}
}

// ask makes each call twenty times, concurrently.
func (c crowd) ask(t testing.TB, check func(name string, err error, took time.Duration)) {
	var wg sync.WaitGroup
	for name, call := range c {
		for range 20 {
			wg.Go(func() {
				start := time.Now()
				err := call(t.Context())
				check(name, err, time.Since(start))
			})
		}
	}
	wg.Wait()
}

// isWell waits until every call succeeds.
func (c crowd) isWell(t testing.TB) {
	t.Helper()
	await.Until(t, "every call to work", func() bool {
		var bad atomic.Int32
		c.ask(t, func(_ string, err error, _ time.Duration) {
			if err != nil {
				bad.Add(1)
			}
		})
		return bad.Load() == 0
	})
}

// While the server is down every call fails fast with ErrUnavailable. Afterwards all calls work again.
func TestServerGoneAndBack(t *testing.T) {
	t.Parallel()
	s, err := pgserver.Start()
	must(t, err)
	defer s.Stop()
	d, err := db.Open(t.Context(), db.Options{URL: s.URL(), Migrations: schema})
	must(t, err)
	defer d.Close()
	_, err = d.Migrate(t.Context())
	must(t, err)
	heard := listen(d, "roles")
	next(t, heard)
	all := crowdOf(d, newSchool(t, d))
	all.isWell(t)
	for range 2 {
		must(t, s.Down())
		all.ask(t, func(name string, err error, took time.Duration) {
			if !errors.Is(err, db.ErrUnavailable) || took > 10*time.Second { // about two seconds on an idle machine
				t.Errorf("%s: %v after %s", name, err, took)
			}
		})
		must(t, s.Up())
		all.isWell(t)
		if s := next(t, heard); s != "roles lost" {
			t.Errorf("signal after the outage: got %q, want roles lost", s)
		}
	}
}

// A server on a busy machine needs a second to accept a connection: calls wait for it.
func TestServerSlowToAccept(t *testing.T) {
	t.Parallel()
	at, err := url.Parse(dbtest.URL(t, "postgres", nil))
	must(t, err)
	server, err := pgconn.ParseConfig(at.String())
	must(t, err)
	slow, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer slow.Close()
	go func() {
		for {
			client, err := slow.Accept()
			if err != nil {
				return
			}
			go func() {
				defer client.Close()
				time.Sleep(time.Second)
				network, addr := pgconn.NetworkAddress(server.Host, server.Port)
				behind, err := net.Dial(network, addr)
				if err != nil {
					return
				}
				defer behind.Close()
				go func() { _, _ = io.Copy(behind, client) }()
				_, _ = io.Copy(client, behind)
			}()
		}
	}()
	at.Host, at.RawQuery = slow.Addr().String(), "sslmode=disable"
	d, err := db.Open(t.Context(), db.Options{URL: at.String(), Migrations: schema})
	must(t, err)
	defer d.Close()
	await.Until(t, "a connection", func() bool { return d.Ping(t.Context()) == nil })
}

// A server that is never reachable.
func TestServerNeverThere(t *testing.T) {
	t.Parallel()
	d := dbtest.Dial(t, "postgres://nobody:secret@localhost/x?host="+filepath.Join(t.TempDir(), "none"), schema)
	_, migrate := d.Migrate(t.Context())
	for _, err := range []error{d.Ping(t.Context()), d.Current(t.Context()), migrate} {
		if !errors.Is(err, db.ErrUnavailable) || strings.Contains(err.Error(), "secret") {
			t.Errorf("got %v, want ErrUnavailable without the password", err)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o600))
	for url, want := range map[string]string{
		"":                           "must begin with sqlite: or postgres://",
		"mysql://x":                  "must begin with sqlite: or postgres://",
		"sqlite:":                    "needs a file",
		"sqlite::memory:":            "needs a file",
		"sqlite:" + dir + "/file/db": "not a directory",
		"postgres://a:hidden@b:x/c":  "port",
	} {
		_, err := db.Open(t.Context(), db.Options{URL: url})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hidden") {
			t.Errorf("%s: %v, want %q", url, err, want)
		}
	}
}

func TestFilesArePrivate(t *testing.T) {
	t.Parallel()
	for _, scheme := range []string{"sqlite:", "sqlite://", "file:"} {
		path := filepath.Join(t.TempDir(), "new", "a?b#c%d e.db")
		d := dbtest.Dial(t, scheme+path, schema)
		_, err := d.Migrate(t.Context())
		must(t, err)
		newSchool(t, d)
		entries, err := os.ReadDir(filepath.Dir(path))
		must(t, err)
		if len(entries) != 3 { // the file, -wal and -shm
			t.Errorf("files: got %v, want the database, -wal and -shm", entries)
		}
		for _, e := range entries {
			if i, err := e.Info(); err != nil || i.Mode().Perm() != 0o600 {
				t.Errorf("mode of %s: got %v, %v, want 0600", e.Name(), i.Mode(), err)
			}
		}
		if i, err := os.Stat(filepath.Dir(path)); err != nil || i.Mode().Perm() != 0o700 {
			t.Errorf("mode of the folder: got %v, %v, want 0700", i.Mode(), err)
		}
	}
}

func TestBackup(t *testing.T) {
	t.Parallel()
	d := dbtest.Open(t, "sqlite", schema)
	school := newSchool(t, d)
	path := filepath.Join(t.TempDir(), "it's a copy.db")
	must(t, d.InSchool(t.Context(), school, func(ctx context.Context, tx *db.Tx) error {
		must(t, addClass(ctx, tx, "not committed"))
		return d.Backup(t.Context(), path) // does not wait for the write lock
	}))
	if err := d.Backup(t.Context(), path); err == nil || !strings.Contains(err.Error(), "exists already") {
		t.Errorf("backup to an existing file: got %v, want an error", err)
	}
	copied := dbtest.Dial(t, "sqlite:"+path, schema)
	must(t, copied.Current(t.Context()))
	if n := count(t, copied.School(school), "classes"); n != 0 {
		t.Errorf("the backup has %d uncommitted rows", n)
	}
	if i, err := os.Stat(path); err != nil || i.Mode().Perm() != 0o600 {
		t.Errorf("mode of the backup: got %v, %v, want 0600", i.Mode(), err)
	}
	pg := dbtest.Open(t, "postgres", schema)
	if err := pg.Backup(t.Context(), path+"2"); err == nil || !strings.Contains(err.Error(), "pg_dump") {
		t.Errorf("backup of PostgreSQL: got %v, want a hint at pg_dump", err)
	}
}
