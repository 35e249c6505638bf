package db

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/puddle/v2"
)

// liteTx is the writer's transaction.
type liteTx struct {
	e      *sqlite
	held   *puddle.Resource[*liteConn]
	c      *liteConn // of held; nil when over
	schema bool
	loose  map[string]bool // where foreign keys are off: the tables that refer to schools alone
	large  bool            // has had a load
	sound  bool
}

// begin takes the writer, and the file from other processes.
func (e *sqlite) begin(ctx context.Context, schema bool) (session, error) {
	r, err := e.writer.acquire(ctx)
	if err != nil {
		return nil, err
	}
	t := &liteTx{e: e, held: r, c: r.Value(), schema: schema, sound: true}
	limit, first := liteBusy, ""
	if schema {
		limit, first = liteSchemaBusy, keysOffLite
	}
	if err := t.begin(ctx, limit, first); err != nil {
		return nil, err
	}
	return t, nil
}

const keysOffLite = "PRAGMA foreign_keys = OFF"

// begin opens the transaction, or gives the connection back. First comes what
// can't be said in it. Foreign keys can be off, since a table that is made anew
// is for a moment one that others refer to in vain: commit checks them all, or a
// load its own.
func (t *liteTx) begin(ctx context.Context, limit time.Duration, first string) error {
	c := t.c
	var err error
	if first != "" {
		err = c.script(ctx, first)
	}
	if err == nil {
		err = untilFree(ctx, limit, func() error { return c.script(ctx, "BEGIN IMMEDIATE") })
	}
	if err != nil {
		err = during(ctx, t.e.explain(c, err), "BEGIN IMMEDIATE")
		t.rollback()
	}
	return err
}

func (t *liteTx) run(ctx context.Context, _ scope, work []*work) error {
	if t.loose != nil {
		for _, w := range work {
			if err := t.allows(w); err != nil {
				return err
			}
		}
	}
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
	if t.large {
		t.e.tidy()
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
	if t.schema || t.loose != nil {
		t.sound = t.c.script(context.Background(), "PRAGMA foreign_keys = ON") == nil && t.sound
	}
	if t.schema {
		t.e.indexes.Clear()
	}
	if t.large {
		t.sound = t.c.script(context.Background(), calmPragmas) == nil && t.sound
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

// allows refuses what would need foreign keys while they are off: all but new
// rows that are checked later, or refer to schools alone.
func (t *liteTx) allows(w *work) error {
	if w.st.reads || w.unchecked {
		return nil
	}
	if m := intoTable.FindStringSubmatch(w.st.text); m != nil && t.loose[m[1]] {
		return nil
	}
	return fmt.Errorf("%w: %s", ErrAdds, oneLine(w.st.text))
}
