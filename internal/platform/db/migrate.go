package db

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"
)

// Migration is a step of the schema.
type Migration struct {
	Name      string
	AppliedAt *time.Time // nil while it is pending
}

// step is a migration of this program, or of the database.
type step struct {
	Name      string
	Checksum  string
	AppliedAt time.Time
	text      string
}

const migrationsTable = `CREATE TABLE IF NOT EXISTS schema_migrations
	(name text NOT NULL PRIMARY KEY, checksum text NOT NULL, applied_at {{ts}} NOT NULL) {{strict}}`

// Migrate applies the pending migrations, all of them or none, and returns
// their names. Of several processes that start together one does the work and
// the others wait for it.
func (d *DB) Migrate(ctx context.Context) (applied []string, err error) {
	steps, err := d.steps()
	if err != nil {
		return nil, err
	}
	if err := d.EnsureRoles(ctx); err != nil {
		return nil, fmt.Errorf("migrate: %w", err)
	}
	s, err := d.engine.begin(ctx, true)
	if err != nil {
		return nil, fmt.Errorf("migrate: %w", err)
	}
	defer s.rollback()
	table, err := render(d.pg(), "schema_migrations", migrationsTable)
	if err == nil {
		err = s.script(ctx, table)
	}
	if err != nil {
		return nil, fmt.Errorf("migrate: %w", err)
	}
	tx := &Tx{c: &core{db: d, session: s}, sc: scope{kind: asOwner}}
	pending, err := d.pending(ctx, tx, steps)
	if err != nil {
		return nil, err
	}
	for _, p := range pending {
		if err := tx.apply(ctx, d.pg(), p); err != nil {
			return nil, fmt.Errorf("migration %s: %w", p.Name, err)
		}
		applied = append(applied, p.Name)
	}
	if err := s.commit(ctx, nil); err != nil {
		return nil, fmt.Errorf("migrate: %w", err)
	}
	return applied, d.Optimize(ctx)
}

// EnsureRoles makes the roles that a PostgreSQL schema refers to. Migrate does
// that too; it is for restoring a dump, which has no roles in it.
func (d *DB) EnsureRoles(ctx context.Context) error { return d.engine.prepare(ctx) }

func (t *Tx) apply(ctx context.Context, pg bool, p step) error {
	sql, err := render(pg, p.Name, p.text)
	if err != nil {
		return err
	}
	if err := t.c.session.script(ctx, sql); err != nil {
		return err
	}
	_, err = Exec(ctx, t, `INSERT INTO schema_migrations (name, checksum, applied_at) VALUES (:name, :checksum, :at)`,
		Args{"name": p.Name, "checksum": p.Checksum, "at": time.Now()})
	return err
}

// steps are the migrations of this program, in order.
func (d *DB) steps() ([]step, error) {
	if d.migrations == nil {
		return nil, nil
	}
	files, err := fs.Glob(d.migrations, "*.sql") // sorted by name
	if err != nil {
		return nil, err
	}
	out := make([]step, len(files))
	for i, f := range files {
		b, err := fs.ReadFile(d.migrations, f)
		if err != nil {
			return nil, err
		}
		text := strings.ReplaceAll(string(b), "\r\n", "\n")
		sum := sha256.Sum256([]byte(text))
		out[i] = step{Name: strings.TrimSuffix(f, ".sql"), Checksum: hex.EncodeToString(sum[:]), text: text}
	}
	return out, nil
}

// errOther refuses a database whose steps are not ours. Before version 1.0.0 the
// files of the schema are edited in place, and no database is upgraded.
var errOther = errors.New("this database was made by another development version of homeroom, and versions before 1.0.0 can't upgrade it: " +
	"use that version, or start with an empty data directory or database")

// pending are the steps that q's database lacks. It is an error if the database
// has a step that we don't know, or one with another text.
func (d *DB) pending(ctx context.Context, q Q, steps []step) ([]step, error) {
	done, err := d.done(ctx, q)
	if err != nil {
		return nil, err
	}
	var out []step
	for _, s := range steps {
		was, ok := done[s.Name]
		switch {
		case !ok:
			out = append(out, s)
		case was.Checksum != s.Checksum:
			return nil, errOther
		}
		delete(done, s.Name)
	}
	for name := range done {
		if len(out) > 0 {
			return nil, errOther
		}
		return nil, fmt.Errorf("this database was written by a newer homeroom (it has the migration %s): run that version, or restore a backup from before", name)
	}
	return out, nil
}

// done are the steps that the database has, by name.
func (d *DB) done(ctx context.Context, q Q) (map[string]step, error) {
	rows, err := All[step](ctx, q, `SELECT name, checksum, applied_at FROM schema_migrations`, nil)
	if err != nil && !isMissing(err) {
		return nil, err
	}
	out := map[string]step{}
	for _, r := range rows {
		out[r.Name] = r
	}
	return out, nil
}

// Migrations lists the steps of this program, and when this database took each.
func (d *DB) Migrations(ctx context.Context) ([]Migration, error) {
	steps, err := d.steps()
	if err != nil {
		return nil, err
	}
	done, err := d.done(ctx, ownerQ{d})
	if err != nil {
		return nil, err
	}
	out := make([]Migration, len(steps))
	for i, s := range steps {
		out[i].Name = s.Name
		if was, ok := done[s.Name]; ok {
			out[i].AppliedAt = &was.AppliedAt
		}
	}
	return out, nil
}

// Current returns nil when the schema is the one of this program.
func (d *DB) Current(ctx context.Context) error {
	steps, err := d.steps()
	if err != nil {
		return err
	}
	pending, err := d.pending(ctx, ownerQ{d}, steps)
	if err == nil && len(pending) > 0 {
		err = fmt.Errorf("the schema lacks %d migrations, the first is %s: run homeroom migrate up", len(pending), pending[0].Name)
	}
	return err
}
