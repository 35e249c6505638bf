package dbtest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/dbtest/pgserver"
	"homeroom/internal/platform/id"

	"github.com/jackc/pgx/v5/pgconn"
)

// login is the user that tests connect as. It is not a superuser, since those
// bypass row-level security.
const login = "homeroom_test"

// host holds the server and the templates.
type host struct {
	files  sync.Mutex // guards sqlite
	sqlite map[string][]byte

	mu     sync.Mutex // guards the fields below; held for seconds while a server starts
	server *pgserver.Server
	admin  string // its URL
	ready  map[string]bool
	filled []string // databases of templates, dropped by stop
}

func (h *host) stop() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, name := range h.filled {
		if err := script(context.Background(), h.admin, "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)"); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
	if h.server != nil {
		h.server.Stop()
	}
}

// sqliteTemplate returns the content of a migrated database file.
func (h *host) sqliteTemplate(t testing.TB, key string, migrations fs.FS) ([]byte, error) {
	h.files.Lock()
	defer h.files.Unlock()
	if b, ok := h.sqlite[key]; ok {
		return b, nil
	}
	path := filepath.Join(t.TempDir(), "template.db")
	if err := migrate(t.Context(), "sqlite:"+path, migrations); err != nil {
		return nil, err
	}
	b, err := os.ReadFile(path)
	if err == nil {
		if h.sqlite == nil {
			h.sqlite = map[string][]byte{}
		}
		h.sqlite[key] = b
	}
	return b, err
}

func migrate(ctx context.Context, url string, migrations fs.FS) error {
	d, err := db.Open(ctx, db.Options{URL: url, Migrations: migrations})
	if err != nil {
		return err
	}
	_, err = d.Migrate(ctx)
	return errors.Join(err, d.Close())
}

// postgresURL creates a fresh database on the server and drops it after the test.
func postgresURL(t testing.TB, migrations fs.FS) string {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	template := "template0"
	_, err := shared.postgres(ctx)
	if err == nil && migrations != nil {
		template, err = shared.postgresTemplate(ctx, fingerprint(t, migrations), migrations)
	}
	if err != nil {
		t.Fatal(err)
	}
	return copyDatabase(t, template)
}

// copyDatabase copies a database of the server and drops the copy after the test.
func copyDatabase(t testing.TB, from string) string {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	name := "homeroom_" + strings.ReplaceAll(string(id.New()), "-", "")
	err := script(ctx, shared.admin, fmt.Sprintf("CREATE DATABASE %s TEMPLATE %s STRATEGY file_copy OWNER %s", name, from, login))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := script(ctx, shared.admin, "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)"); err != nil {
			t.Error(err)
		}
	})
	return as(shared.admin, login, name)
}

// keep renames the database of url, so that it outlives its test, and returns the name.
func (h *host) keep(t testing.TB, url string) string {
	t.Helper()
	name := url[strings.LastIndex(url, "/")+1:]
	name, _, _ = strings.Cut(name, "?")
	kept := strings.Replace(name, "homeroom_", "homeroom_filled_", 1)
	if err := script(t.Context(), h.admin, "ALTER DATABASE "+name+" RENAME TO "+kept); err != nil {
		t.Fatal(err)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.filled = append(h.filled, kept)
	return kept
}

// postgres returns the URL of the server, starting it and creating login if needed.
func (h *host) postgres(ctx context.Context) (admin string, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.admin != "" {
		return h.admin, nil
	}
	admin = os.Getenv("HOMEROOM_TEST_POSTGRES")
	if admin == "" {
		if h.server, err = pgserver.Start(); err != nil {
			return "", err
		}
		admin = h.server.URL()
	}
	err = script(ctx, admin, fmt.Sprintf(`DO $$ BEGIN
		PERFORM pg_advisory_xact_lock(hashtext('%s'));
		IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = '%[1]s') THEN
			CREATE ROLE %[1]s LOGIN CREATEROLE PASSWORD '%[1]s';
		END IF;
		IF NOT (SELECT rolcreatedb FROM pg_roles WHERE rolname = '%[1]s') THEN
			ALTER ROLE %[1]s CREATEDB; -- backups are restored to a database of their own for a test
		END IF;
		END $$`, login))
	if err != nil {
		return "", err
	}
	h.admin = admin
	return admin, nil
}

// postgresTemplate returns the name of the migrated template database. Test
// processes on the same server share it: one builds it, the others wait.
func (h *host) postgresTemplate(ctx context.Context, key string, migrations fs.FS) (string, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	name := "homeroom_template_" + key
	if h.ready[name] {
		return name, nil
	}
	c, err := pgconn.Connect(ctx, h.admin)
	if err != nil {
		return "", err
	}
	defer c.Close(ctx)
	found, err := c.Exec(ctx, fmt.Sprintf(`SELECT pg_advisory_lock(hashtext('%s'));
		SELECT 1 FROM pg_database WHERE datname = '%[1]s'`, name)).ReadAll()
	if err == nil && len(found[1].Rows) == 0 {
		err = h.build(ctx, c, name, migrations)
	}
	if err != nil {
		return "", err
	}
	if h.ready == nil {
		h.ready = map[string]bool{}
	}
	h.ready[name] = true
	return name, nil
}

// build creates the template. It gets its final name only when it is complete.
func (h *host) build(ctx context.Context, c *pgconn.PgConn, name string, migrations fs.FS) error {
	part := name + "_part"
	if _, err := c.Exec(ctx, "DROP DATABASE IF EXISTS "+part+" WITH (FORCE)").ReadAll(); err != nil {
		return err
	}
	if _, err := c.Exec(ctx, "CREATE DATABASE "+part+" TEMPLATE template0 OWNER "+login).ReadAll(); err != nil {
		return err
	}
	if err := migrate(ctx, as(h.admin, login, part), migrations); err != nil {
		return err
	}
	_, err := c.Exec(ctx, "ALTER DATABASE "+part+" RENAME TO "+name).ReadAll()
	return err
}

// script runs SQL on a new connection.
func script(ctx context.Context, url, sql string) error {
	c, err := pgconn.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer c.Close(ctx)
	_, err = c.Exec(ctx, sql).ReadAll()
	return err
}

// as returns the URL of another user and database on the same server, with a long
// connect timeout for busy machines.
func as(admin, user, database string) string {
	u, err := url.Parse(admin)
	if err != nil {
		return admin
	}
	u.User = url.UserPassword(user, user)
	u.Path = "/" + database
	q := u.Query()
	q.Set("connect_timeout", "30")
	u.RawQuery = q.Encode()
	return u.String()
}
