package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"homeroom/internal/feature/system"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/unscoped"
)

// pgDump dumps the database to a file with pg_dump, and counts the rows of the same state; not
// if its schema is not the current one.
func (s Store) pgDump(ctx context.Context, d *db.DB, a Archive, to string) (rows map[string]int64, err error) {
	// Row-level security hides rows from users who are neither superuser, BYPASSRLS
	// nor member of our platform role: their dump would look complete but be empty.
	sight, err := db.One[string](ctx, d.Across(unscoped.Permit{}), `
		SELECT CASE WHEN rolsuper OR rolbypassrls THEN 'all' WHEN pg_has_role(oid, 'homeroom_platform', 'USAGE') THEN 'member' ELSE 'none' END
		FROM pg_roles WHERE rolname = session_user`, nil)
	if err != nil {
		return nil, fmt.Errorf("check the database user's privileges: %w", err)
	}
	args := []string{"--format=custom", "--file=" + to}
	switch sight {
	case "member":
		args = append(args, "--enable-row-security")
	case "none":
		return nil, errors.New("the database user can't see all rows; an administrator should run: " +
			"GRANT homeroom_platform TO the user of --database-url WITH INHERIT TRUE")
	}
	stop := showCopy(a.Console, "copying the database", "", to)
	defer stop()
	current := d.Current(ctx) == nil
	err = d.Snapshot(ctx, "", func(ctx context.Context, tx *db.Tx) error {
		state, err := db.One[string](ctx, tx.Across(unscoped.Permit{}), `SELECT pg_export_snapshot()`, nil)
		if err != nil {
			return fmt.Errorf("export the snapshot: %w", err)
		}
		if current {
			if rows, err = countRows(ctx, tx.Across(unscoped.Permit{})); err != nil {
				return err
			}
		}
		return s.pgTool(ctx, "pg_dump", append(args, "--snapshot="+state)...)
	})
	return rows, err
}

// restorePostgres fills the database with pg_restore in one transaction.
func (s Store) restorePostgres(ctx context.Context, a Archive, work string) error {
	if err := s.checkRestorable(ctx, a); err != nil {
		return err
	}
	args := []string{"--exit-on-error", "--single-transaction", "--no-owner"}
	if a.Force {
		args = append(args, "--clean", "--if-exists")
	}
	if err := s.pgTool(ctx, "pg_restore", append(args, filepath.Join(work, dumpFile))...); err != nil {
		return fmt.Errorf("%w\nThe database is unchanged. You can restore to a new, empty one", err)
	}
	if err := s.moveUploads(work); err != nil {
		return fmt.Errorf("restore the uploaded files: %w", err)
	}
	text, err := os.ReadFile(filepath.Join(work, keysFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("restore the keys: %w", err)
	}
	return s.putKeys(text)
}

// checkRestorable creates the roles and refuses a database that is not empty
// (without Force) or that a running service uses.
func (s Store) checkRestorable(ctx context.Context, a Archive) error {
	d, err := s.Open(ctx, a.Log)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.EnsureRoles(ctx); err != nil {
		return fmt.Errorf("create the database roles: %w", err)
	}
	m, err := describe(ctx, d)
	if err != nil {
		return err
	}
	if len(m.Schema) > 0 && !a.Force {
		return fmt.Errorf("%s is not empty: restore to a new database, or replace its data with --force", s.URL())
	}
	var others int
	gone := func() bool { // a connection that was just closed is listed for a moment
		others, err = db.One[int](ctx, d.Across(unscoped.Permit{}), `
			SELECT COUNT(*) FROM pg_stat_activity
			WHERE datname = current_database() AND application_name = 'homeroom' AND pid <> pg_backend_pid()`, nil)
		return err != nil || others == 0
	}
	for end := time.Now().Add(2 * time.Second); !gone() && time.Now().Before(end); {
		time.Sleep(50 * time.Millisecond)
	}
	if err != nil {
		return fmt.Errorf("count connections to the database: %w", err)
	}
	if others > 0 {
		return fmt.Errorf("homeroom is running on %s (%d connections): stop it on every node first", s.URL(), others)
	}
	return nil
}

// noProgram is the error of a machine without a PostgreSQL client program.
type noProgram struct{ name string }

func (e noProgram) Error() string {
	return e.name + " is not installed: install the PostgreSQL client programs (postgresql-client), at least as new as the server"
}

// Is makes errors.Is find system.ErrNoProgram.
func (e noProgram) Is(target error) bool { return target == system.ErrNoProgram }

// pgTool runs a PostgreSQL client program on the store's database. It passes the
// password in the environment: other users of the machine can read command lines.
func (s Store) pgTool(ctx context.Context, name string, args ...string) error {
	program, err := exec.LookPath(name)
	if err != nil {
		return noProgram{name}
	}
	// A pooler would give the settings of these programs, such as an empty search_path, to other clients.
	u, err := url.Parse(string(s.direct()))
	if err != nil {
		return errors.New("the database URL is invalid")
	}
	env := os.Environ()
	query := u.Query()
	password, has := u.User.Password()
	if query.Has("password") {
		password, has = query.Get("password"), true
		query.Del("password")
	}
	if has {
		env = append(env, "PGPASSWORD="+password)
	}
	if u.User != nil {
		u.User = url.User(u.User.Username())
	}
	u.RawQuery = query.Encode()
	var stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, program, append(args, "--no-password", "--dbname="+u.String())...)
	cmd.Env, cmd.Stderr = env, &stderr
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("%s: %w\n%s", name, err, strings.TrimSpace(stderr.String()))
	}
	return nil
}
