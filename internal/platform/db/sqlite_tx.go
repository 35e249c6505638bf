package db

import (
	"context"
	"errors"

	"github.com/jackc/puddle/v2"
)

// liteTx is a write transaction, or a snapshot.
type liteTx struct {
	e       *sqlite
	pool    *pool[*liteConn] // of held
	held    *puddle.Resource[*liteConn]
	c       *liteConn // of held; nil after the end
	schema  bool
	healthy bool
}

// begin acquires the writer and SQLite's write lock.
func (e *sqlite) begin(ctx context.Context, schema bool) (session, error) {
	r, err := e.writer.acquire(ctx)
	if err != nil {
		return nil, err
	}
	t := &liteTx{e: e, pool: e.writer, held: r, c: r.Value(), schema: schema, healthy: true}
	c, limit := t.c, liteBusy
	if schema {
		// A migration that rebuilds a table needs foreign keys off, which only works
		// outside a transaction. commit checks them all.
		limit, err = liteSchemaBusy, c.script(ctx, "PRAGMA foreign_keys = OFF")
	}
	if err == nil {
		err = untilFree(ctx, limit, func() error { return c.script(ctx, "BEGIN IMMEDIATE") })
	}
	if err != nil {
		err = during(ctx, e.explain(c, err), "BEGIN IMMEDIATE")
		t.rollback()
		return nil, err
	}
	return t, nil
}

// snapshot acquires a reader. Its first statement decides which state it sees.
func (e *sqlite) snapshot(ctx context.Context) (session, error) {
	r, err := e.readers.acquire(ctx)
	if err != nil {
		return nil, err
	}
	t := &liteTx{e: e, pool: e.readers, held: r, c: r.Value(), healthy: true}
	if err := t.script(ctx, "BEGIN"); err != nil {
		t.rollback()
		return nil, during(ctx, err, "BEGIN")
	}
	return t, nil
}

func (t *liteTx) run(ctx context.Context, _ scope, work []*work) error {
	err := t.e.do(ctx, t.c, work)
	t.healthy = t.healthy && !errors.Is(err, ErrUnavailable)
	return err
}

// queue does not wait: SQLite has no round trips to save.
func (t *liteTx) queue(ctx context.Context, sc scope, work []*work) error {
	return t.run(ctx, sc, work)
}

func (t *liteTx) script(ctx context.Context, sql string) error {
	return t.e.explain(t.c, t.c.script(ctx, sql))
}

func (t *liteTx) analyze(context.Context) error { return nil }

// grew does nothing: SQLite prefers the index with most of the columns, whatever the table's size.
func (t *liteTx) grew(context.Context, string, int) error { return nil }

// lock does nothing: there is only one writer.
func (t *liteTx) lock(context.Context, int64) error { return nil }

func (t *liteTx) commit(ctx context.Context, _ []string) error {
	if t.schema {
		w := &work{st: t.e.checkKeys, rows: violations{}}
		if err := t.run(ctx, scope{}, []*work{w}); err != nil {
			return err
		}
		if w.refused != nil {
			return w.refused
		}
	}
	// Ignores cancellation: the outcome of an interrupted commit is unknown.
	if err := t.script(context.WithoutCancel(ctx), "COMMIT"); err != nil {
		t.healthy = t.healthy && !errors.Is(err, ErrUnavailable)
		return err
	}
	t.end()
	return nil
}

func (t *liteTx) rollback() {
	if t.c == nil {
		return
	}
	// Fails harmlessly if SQLite already rolled back after an error.
	_ = t.c.script(context.Background(), "ROLLBACK")
	t.end()
}

func (t *liteTx) end() {
	if t.schema {
		t.healthy = t.c.script(context.Background(), "PRAGMA foreign_keys = ON") == nil && t.healthy
		t.e.indexes.Clear()
	}
	t.pool.release(t.held, t.healthy)
	t.c = nil
}

// violations returns an error for the first row of PRAGMA foreign_key_check.
type violations struct{}

func (violations) columns([]string) error { return nil }
func (violations) row(v []value) error {
	return errors.New("foreign key violation after the migration: a row of " + v[0].text() + " refers to a missing row of " + v[2].text())
}
