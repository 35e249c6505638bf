// Package db runs the same SQL on two engines: SQLite in the process, or a
// PostgreSQL server. A statement has named parameters and runs in a school:
//
//	pupils, err := db.All[Pupil](ctx, d.School(school),
//		`SELECT id, name FROM pupils WHERE school_id = :school AND class_id = :class`,
//		db.Args{"class": class})
//
// A statement in a school must contain :school, whose value db supplies. On
// PostgreSQL row-level security enforces the scope a second time. InSchool runs a
// transaction; statements inside it use its Tx.
//
// Where to start: query.go (what callers use), tx.go (transactions), bind.go
// and scan.go (parameters in, rows out), engine.go (the interface of an engine).
package db

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"homeroom/internal/platform/db/unscoped"
	"homeroom/internal/platform/id"
)

// Options configure Open.
type Options struct {
	URL        string // sqlite:PATH or postgres://…
	SignalURL  string // PostgreSQL: a direct connection to the same database, if URL leads through a pooler
	Migrations fs.FS  // *.sql templates, applied in the order of their names
	MaxConns   int    // readers on SQLite, all connections on PostgreSQL; 0 = a sensible default
	KeepWAL    bool   // SQLite: only a checkpoint of DB.WAL shortens the write-ahead log
	Log        *slog.Logger
}

// DB is an open database.
type DB struct {
	engine     engine
	migrations fs.FS
	statements sync.Map // of stmtKey to *statement
	parsed     atomic.Int64
	ran        atomic.Int64 // statements
	trips      atomic.Int64 // round trips
	answered   atomic.Int64 // when the database last answered, in ns; 0: it is unavailable
	signals    signals
	slow       time.Duration // see LogSlow
}

// Open opens the database. A PostgreSQL server need not be up yet: until it is,
// every call returns ErrUnavailable.
func Open(ctx context.Context, o Options) (*DB, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	d := &DB{migrations: o.Migrations,
		signals: signals{node: string(id.New()), sender: string(id.New()), log: o.Log, proofs: make(chan string, 16)}}
	var err error
	switch scheme, rest, _ := strings.Cut(o.URL, ":"); scheme {
	case "sqlite", "file":
		d.engine, err = openSQLite(ctx, strings.TrimPrefix(rest, "//"), o.MaxConns, o.KeepWAL)
	case "postgres", "postgresql":
		d.engine, err = openPostgres(o)
	default:
		err = fmt.Errorf("the database URL must begin with sqlite: or postgres://, not %q", scheme)
	}
	if err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	return d, nil
}

// Close closes the database after waiting a few seconds for running statements.
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

// Busy reports whether all connections of a pool are in use and the database answers them:
// it has answered within the given time and not been unavailable since.
func (d *DB) Busy(within time.Duration) bool {
	for _, u := range d.Usage() {
		if u.InUse >= u.Max && time.Since(time.Unix(0, d.answered.Load())) < within {
			return true
		}
	}
	return false
}

// note records whether the database answered. It returns err.
func (d *DB) note(err error) error {
	switch {
	case err == nil:
		d.answered.Store(time.Now().UnixNano())
	case errors.Is(err, ErrUnavailable):
		d.answered.Store(0)
	}
	return err
}

// Usage is the number of connections of a pool.
type Usage struct{ Max, InUse, Idle int }

// Usage counts the connections of each pool.
func (d *DB) Usage() map[string]Usage { return d.engine.usage() }

// Statements counts the statements that callers have run since Open. The total that Page
// asks for counts as one even if its page makes it unnecessary.
func (d *DB) Statements() int64 { return d.ran.Load() }

// Trips counts the round trips to the database since Open: statements that are sent
// together are one. SQLite has none, but is counted in the same way.
func (d *DB) Trips() int64 { return d.trips.Load() }

// Backup writes a consistent online backup of a SQLite database to path, and
// syncs it to disk. On PostgreSQL it returns an error: use pg_dump.
func (d *DB) Backup(ctx context.Context, path string) error { return d.engine.backup(ctx, path) }

// Optimize updates SQLite's planner statistics for tables whose size changed a
// lot. Run it every few minutes: it is cheap if nothing changed. PostgreSQL has autovacuum for that.
func (d *DB) Optimize(ctx context.Context) error { return d.engine.optimize(ctx) }

const maxStatements = 4096

// stmtKey is the cache key of a parsed statement. rows and kind are for Insert,
// whose SQL depends on the number of rows and on the scope.
type stmtKey struct {
	text string
	rows int
	kind scopeKind
}

func (d *DB) pg() bool { return d.engine.name() == "postgres" }

// statement returns the parsed statement from the cache, or parses it.
func (d *DB) statement(key stmtKey, parse func() (*statement, error)) (*statement, error) {
	if st, ok := d.statements.Load(key); ok {
		return st.(*statement), nil
	}
	st, err := parse()
	if err != nil {
		return nil, err
	}
	if d.parsed.Add(1)%maxStatements == 0 { // bounds the cache if SQL is built dynamically
		d.statements.Clear()
	}
	kept, _ := d.statements.LoadOrStore(key, st)
	return kept.(*statement), nil
}

// School returns a Q for the statements of one school. Each runs in its own transaction.
func (d *DB) School(school id.ID) Q { return schoolQ{d, school} }

// Across returns a Q for statements that cross schools.
func (d *DB) Across(_ unscoped.Permit) Q { return allQ{d} }
