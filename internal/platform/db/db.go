// Package db is two engines behind one door: SQLite in the process, or
// PostgreSQL. A statement is one text for both, with named parameters, and runs
// in a school:
//
//	pupils, err := db.All[Pupil](ctx, d.School(school),
//		`SELECT id, name FROM pupils WHERE school_id = :school AND class_id = :class`,
//		db.Args{"class": class})
//
// A statement in a school that does not name :school is refused; its value is
// supplied. On PostgreSQL row security stands behind that. InSchool runs a
// transaction: what runs in it is given its Tx.
//
// Where to start: query.go (what callers use), tx.go (transactions), bind.go
// and scan.go (parameters in, rows out), engine.go (what an engine must do).
package db

import (
	"context"
	"fmt"
	"io/fs"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"

	"homeroom/internal/platform/db/unscoped"
	"homeroom/internal/platform/id"
)

// Options say which database to open.
type Options struct {
	URL        string // sqlite:PATH or postgres://…
	Migrations fs.FS  // *.sql templates, applied in the order of their names
	MaxConns   int    // readers on SQLite, all connections on PostgreSQL; 0 = a sensible default
	Log        *slog.Logger
}

// DB is an open database.
type DB struct {
	engine     engine
	migrations fs.FS
	log        *slog.Logger
	statements sync.Map // of stmtKey to *statement
	parsed     atomic.Int64
	signals    signals
}

// Open makes the database ready to use. A PostgreSQL server need not be up yet:
// until it is, every call says ErrUnavailable.
func Open(ctx context.Context, o Options) (*DB, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	d := &DB{migrations: o.Migrations, log: o.Log, signals: signals{node: string(id.New())}}
	var err error
	switch scheme, rest, _ := strings.Cut(o.URL, ":"); scheme {
	case "sqlite", "file":
		d.engine, err = openSQLite(ctx, strings.TrimPrefix(rest, "//"), o.MaxConns)
	case "postgres", "postgresql":
		d.engine, err = openPostgres(o.URL, o.MaxConns)
	default:
		err = fmt.Errorf("the database URL must begin with sqlite: or postgres://, not %q", scheme)
	}
	if err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	return d, nil
}

// Close waits for running statements, at most a few seconds, and closes the database.
func (d *DB) Close() error {
	d.signals.stop()
	return d.engine.close()
}

// Engine is "sqlite" or "postgres".
func (d *DB) Engine() string { return d.engine.name() }

// Ping reports whether the database answers.
func (d *DB) Ping(ctx context.Context) error {
	_, err := One[int](ctx, ownerQ{d}, `SELECT 1`, nil)
	return err
}

// Usage is how many connections a pool has.
type Usage struct{ Max, InUse, Idle int }

// Usage counts the connections of each pool.
func (d *DB) Usage() map[string]Usage { return d.engine.usage() }

// Backup writes a consistent copy of a SQLite database to path, durably, while
// the service runs. PostgreSQL has pg_dump for that.
func (d *DB) Backup(ctx context.Context, path string) error { return d.engine.backup(ctx, path) }

// Optimize updates the statistics that SQLite plans queries with, where a table
// has grown or shrunk much. Run it every hour or so. PostgreSQL does that itself.
func (d *DB) Optimize(ctx context.Context) error { return d.engine.optimize(ctx) }

const maxStatements = 4096

// stmtKey names a parsed statement. Insert repeats a part of its text, in a way
// that depends on the scope.
type stmtKey struct {
	text string
	rows int
	kind scopeKind
}

func (d *DB) pg() bool { return d.engine.name() == "postgres" }

// statement parses a text, or finds it parsed.
func (d *DB) statement(key stmtKey, parse func() (*statement, error)) (*statement, error) {
	if st, ok := d.statements.Load(key); ok {
		return st.(*statement), nil
	}
	st, err := parse()
	if err != nil {
		return nil, err
	}
	if d.parsed.Add(1)%maxStatements == 0 { // a program has fewer; one that makes them up has no end of them
		d.statements.Clear()
	}
	kept, _ := d.statements.LoadOrStore(key, st)
	return kept.(*statement), nil
}

// School returns where the statements of one school run, each atomic by itself.
func (d *DB) School(school id.ID) Q { return schoolQ{d, school} }

// Across returns where statements run that cross schools.
func (d *DB) Across(_ unscoped.Permit) Q { return allQ{d} }
