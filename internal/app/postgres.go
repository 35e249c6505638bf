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

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/unscoped"
)

// pgDump has pg_dump write the database to a file.
func (s Store) pgDump(ctx context.Context, d *db.DB, a Archive, to string) error {
	// Row security hides rows from most users. Our own roles see them all, and
	// their members do; anyone else would write a dump that looks whole and is empty.
	sight, err := db.One[string](ctx, d.Across(unscoped.Permit{}), `
		SELECT CASE WHEN rolsuper OR rolbypassrls THEN 'all' WHEN pg_has_role(oid, 'homeroom_platform', 'USAGE') THEN 'member' ELSE 'none' END
		FROM pg_roles WHERE rolname = session_user`, nil)
	if err != nil {
		return fmt.Errorf("look at the database user's rights: %w", err)
	}
	args := []string{"--format=custom", "--file=" + to}
	switch sight {
	case "member":
		args = append(args, "--enable-row-security")
	case "none":
		return errors.New("the database user can't see all rows; an administrator should run: GRANT homeroom_platform TO the user of --database-url WITH INHERIT TRUE")
	}
	stop := watch(a.Console, "copying the database", "", to)
	defer stop()
	return s.pgTool(ctx, "pg_dump", args...)
}

// restorePostgres has pg_restore fill the database, all of it or nothing.
func (s Store) restorePostgres(ctx context.Context, a Archive, work string) error {
	if err := s.clear(ctx, a); err != nil {
		return err
	}
	args := []string{"--exit-on-error", "--single-transaction", "--no-owner"}
	if a.Force {
		args = append(args, "--clean", "--if-exists")
	}
	if err := s.pgTool(ctx, "pg_restore", append(args, filepath.Join(work, dumpFile))...); err != nil {
		return fmt.Errorf("%w\nThe database is as it was. A new, empty one takes any backup", err)
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

// clear makes sure that the database may be filled.
func (s Store) clear(ctx context.Context, a Archive) error {
	d, err := s.Open(ctx, a.Log)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.EnsureRoles(ctx); err != nil {
		return fmt.Errorf("make the database's roles: %w", err)
	}
	m, err := describe(ctx, d)
	if err != nil {
		return err
	}
	if len(m.Schema) > 0 && !a.Force {
		return fmt.Errorf("%s is not empty: restore to a new database, or replace what is there with --force", s.URL())
	}
	others, err := db.One[int](ctx, d.Across(unscoped.Permit{}), `
		SELECT COUNT(*) FROM pg_stat_activity
		WHERE datname = current_database() AND application_name = 'homeroom' AND pid <> pg_backend_pid()`, nil)
	if err != nil {
		return fmt.Errorf("look for servers that use the database: %w", err)
	}
	if others > 0 {
		return fmt.Errorf("homeroom is running on %s (%d connections): stop it on every node first", s.URL(), others)
	}
	return nil
}

// pgTool runs a program of PostgreSQL on the store's database. The password
// goes by the environment: other users of the machine can read command lines.
func (s Store) pgTool(ctx context.Context, name string, args ...string) error {
	program, err := exec.LookPath(name)
	if err != nil {
		return fmt.Errorf("%s is not installed, and PostgreSQL is backed up with it: install PostgreSQL's client programs (postgresql-client), of the server's version or later", name)
	}
	u, err := url.Parse(string(s.URL()))
	if err != nil {
		return errors.New("the database URL can't be read") // Check has read it
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
	var said bytes.Buffer
	cmd := exec.CommandContext(ctx, program, append(args, "--no-password", "--dbname="+u.String())...)
	cmd.Env, cmd.Stderr = env, &said
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("%s: %w\n%s", name, err, strings.TrimSpace(said.String()))
	}
	return nil
}
