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

// Migration is a schema migration.
type Migration struct {
	Name      string
	AppliedAt *time.Time // nil if pending
}

// step is a migration of this program, or one recorded in the database.
type step struct {
	Name      string
	Checksum  string
	AppliedAt time.Time
	text      string
}

const migrationsTable = `CREATE TABLE IF NOT EXISTS schema_migrations
	(name text NOT NULL PRIMARY KEY, checksum text NOT NULL, applied_at {{ts}} NOT NULL) {{strict}}`

// Migrate applies the pending migrations in one transaction and returns their
// names. It is safe to call from several processes at once: the others wait.
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
	if len(pending) == 0 { // nothing to commit, and no foreign keys to check
		s.rollback()
		return nil, d.Optimize(ctx)
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

// EnsureRoles creates the PostgreSQL roles that the schema grants rights to. Call
// it before restoring a dump, which has no roles in it; Migrate calls it too.
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

// steps returns the migrations of this program, in order.
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

// errOtherVersion means that the applied migrations differ from ours. Before
// version 1.0.0 schema files are edited in place, and databases are not upgraded.
var errOtherVersion = errors.New("this database was made by another development version of homeroom, " +
	"and versions before 1.0.0 can't upgrade it: " +
	"use that version, or start with an empty data directory or database")

// pending returns the steps that are not applied yet. It is an error if the
// database has an unknown step, or one with another checksum.
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
			return nil, errOtherVersion
		}
		delete(done, s.Name)
	}
	for name := range done {
		if len(out) > 0 {
			return nil, errOtherVersion
		}
		return nil, fmt.Errorf("this database was written by a newer homeroom (it has the migration %s): "+
			"run that version, or restore an older backup", name)
	}
	return out, nil
}

// done returns the applied steps, by name.
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

// Migrations lists the migrations of this program, and when each was applied.
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

// Current returns an error if migrations are pending or unknown.
func (d *DB) Current(ctx context.Context) error {
	steps, err := d.steps()
	if err != nil {
		return err
	}
	pending, err := d.pending(ctx, ownerQ{d}, steps)
	if err == nil && len(pending) > 0 {
		err = fmt.Errorf("%d migrations are pending, the first is %s: run homeroom migrate up", len(pending), pending[0].Name)
	}
	return err
}

// Checksum identifies the content of a migration.
type Checksum struct{ Name, SHA256 string }

// Checksums lists the migrations with their checksums, in order.
func Checksums(migrations fs.FS) ([]Checksum, error) {
	steps, err := (&DB{migrations: migrations}).steps()
	out := make([]Checksum, len(steps))
	for i, s := range steps {
		out[i] = Checksum{s.Name, s.Checksum}
	}
	return out, err
}
