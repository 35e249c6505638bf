package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"homeroom/internal/feature/system"
	"homeroom/internal/platform/console"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/unscoped"
	"homeroom/internal/schema"
)

// verifyBackup returns errDamaged if a backup can't be restored. A failure that may be one of
// this machine or of the database server, such as a full disk, says nothing about the backup.
func (a *App) verifyBackup(ctx context.Context, file string) error {
	err := a.tryRestore(ctx, file)
	if err != nil && !errors.Is(err, errDamaged) {
		return fmt.Errorf("%w: %w", system.ErrUnchecked, err)
	}
	return err
}

// tryRestore restores a backup to a temporary database, checks it, and compares the number of
// rows of each table with that of the moment of the backup.
func (a *App) tryRestore(ctx context.Context, file string) error {
	work, err := os.MkdirTemp(filepath.Dir(file), workDirs)
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	quiet := console.New(io.Discard, func(string) string { return "" })
	archive := Archive{File: file, Log: a.Log, Console: quiet}
	m, err := archive.unpack(work)
	if err != nil {
		return err
	}
	to := Store{Data: work, DatabaseURL: DSN("sqlite:" + filepath.Join(work, databaseFile))}
	if m.Engine == "postgres" {
		var drop func()
		if to, drop, err = a.cfg.temporary(ctx, work); err != nil {
			return err
		}
		defer drop()
		err = to.pgTool(ctx, "pg_restore", "--exit-on-error", "--single-transaction", "--no-owner", filepath.Join(work, dumpFile))
	} else {
		err = checkSQLite(ctx, to.URL().Path(), archive)
	}
	if err != nil {
		return a.cfg.scrub(err)
	}
	d, err := to.Open(ctx, a.Log)
	if err != nil {
		return err
	}
	rows, err := countRows(ctx, d.Across(unscoped.Permit{}))
	if err = errors.Join(err, d.Close()); err != nil {
		return a.cfg.scrub(err)
	}
	if !maps.Equal(rows, m.Rows) {
		return fmt.Errorf("%w (the restored database has other rows: %v, the backup %v)", errDamaged, rows, m.Rows)
	}
	return nil
}

// checkSQLite opens the database and runs SQLite's integrity check. It returns errDamaged only if
// the file itself is at fault, not if the machine is too busy to open it.
func checkSQLite(ctx context.Context, path string, a Archive) error {
	found, err := integrity(ctx, DSN("sqlite:"+path), a)
	switch {
	case db.IsCorrupt(err):
		return fmt.Errorf("%w (%w)", errDamaged, err)
	case err != nil:
		return err
	case len(found) != 1 || found[0] != "ok":
		return fmt.Errorf("%w (its database: %s)", errDamaged, strings.Join(found, "; "))
	}
	return nil
}

func integrity(ctx context.Context, at DSN, a Archive) ([]string, error) {
	d, err := Store{DatabaseURL: at}.Open(ctx, a.Log)
	if err != nil {
		return nil, err
	}
	found, err := db.All[string](ctx, d.Across(unscoped.Permit{}), `PRAGMA integrity_check`, nil)
	return found, errors.Join(err, d.Close())
}

// temporary creates an empty PostgreSQL database on the same server.
func (s Store) temporary(ctx context.Context, work string) (Store, func(), error) {
	name := "homeroom_check_" + strings.ToLower(strings.TrimPrefix(filepath.Base(work), strings.TrimSuffix(workDirs, "*")))
	if err := s.pgTool(ctx, "psql", "--quiet", "--command=CREATE DATABASE "+name); err != nil {
		return s, nil, s.scrub(fmt.Errorf("%w; let the database user create databases: ALTER ROLE … CREATEDB", err))
	}
	u, err := url.Parse(string(s.direct()))
	if err != nil {
		return s, nil, errors.New("the database URL is invalid")
	}
	if q := u.Query(); q.Has("dbname") {
		q.Set("dbname", name)
		u.RawQuery = q.Encode()
	} else {
		u.Path = "/" + name
	}
	drop := func() {
		// Also if ctx has ended: the database would stay.
		_ = s.pgTool(context.WithoutCancel(ctx), "psql", "--quiet", "--command=DROP DATABASE "+name+" WITH (FORCE)")
	}
	return Store{Data: work, DatabaseURL: DSN(u.String())}, drop, nil
}

// countRows counts the rows of each table of the current schema.
func countRows(ctx context.Context, q db.Q) (map[string]int64, error) {
	tables, err := db.Describe(ctx, schema.FS)
	if err != nil {
		return nil, fmt.Errorf("list the tables: %w", err)
	}
	out := map[string]int64{}
	for _, t := range tables {
		if out[t.Name], err = db.One[int64](ctx, q, `SELECT COUNT(*) FROM `+t.Name, nil); err != nil {
			return nil, fmt.Errorf("count the rows of %s: %w", t.Name, err)
		}
	}
	return out, nil
}
