package db

import (
	"context"
	"errors"

	"github.com/jackc/puddle/v2"
)

// liteTx is the writer's transaction.
type liteTx struct {
	e      *sqlite
	held   *puddle.Resource[*liteConn]
	c      *liteConn // of held; nil when over
	schema bool
	sound  bool
}

// begin takes the writer, and the file from other processes.
func (e *sqlite) begin(ctx context.Context, schema bool) (session, error) {
	r, err := e.writer.acquire(ctx)
	if err != nil {
		return nil, err
	}
	t := &liteTx{e: e, held: r, c: r.Value(), schema: schema, sound: true}
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

func (t *liteTx) run(ctx context.Context, _ scope, work []*work) error {
	err := t.e.do(ctx, t.c, work)
	t.sound = t.sound && !errors.Is(err, ErrUnavailable)
	return err
}

func (t *liteTx) script(ctx context.Context, sql string) error {
	return t.e.explain(t.c, t.c.script(ctx, sql))
}

// lock has nothing to do: there is one writer.
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
	// Not ctx: a commit that is interrupted is neither done nor undone.
	if err := t.script(context.WithoutCancel(ctx), "COMMIT"); err != nil {
		t.sound = t.sound && !errors.Is(err, ErrUnavailable)
		return err
	}
	t.end()
	return nil
}

func (t *liteTx) rollback() {
	if t.c == nil {
		return
	}
	// SQLite has ended the transaction itself after some errors; then this fails, and nothing is lost.
	_ = t.c.script(context.Background(), "ROLLBACK")
	t.end()
}

func (t *liteTx) end() {
	if t.schema {
		t.sound = t.c.script(context.Background(), "PRAGMA foreign_keys = ON") == nil && t.sound
		t.e.indexes.Clear()
	}
	t.e.writer.release(t.held, t.sound)
	t.c = nil
}

// violations refuses the first row of PRAGMA foreign_key_check.
type violations struct{}

func (violations) columns([]string) error { return nil }
func (violations) row(v []value) error {
	return errors.New("after the migration a row of " + v[0].text() + " refers to nothing in " + v[2].text())
}
