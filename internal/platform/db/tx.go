package db

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"sync"
	"time"

	"homeroom/internal/platform/db/unscoped"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/trace"
)

const commitWithin = 10 * time.Second

// Tx is a transaction in one scope. It is a Q.
type Tx struct {
	c  *core
	sc scope
}

// core is the transaction, shared by the Tx of its scopes.
type core struct {
	db      *DB
	mu      sync.Mutex
	session session // nil until the first statement
	failed  error   // the first error, after which it can't commit
	done    bool
	after   []func()
	notes   []note
}

// InSchool runs fn in a write transaction of one school. It commits when fn
// returns nil. If the transaction certainly changed nothing, as after a deadlock or a
// lost connection, fn is retried, up to three runs in all (retry.go), so side effects
// belong in AfterCommit. ErrUnknown means that it may have been committed.
//
// Statements in fn must use tx. A second transaction with fn's ctx, or a statement
// outside tx, returns ErrNested; see Share.
func (d *DB) InSchool(ctx context.Context, school id.ID, fn func(ctx context.Context, tx *Tx) error) error {
	return d.transact(ctx, scope{inSchool, school}, fn)
}

// InAll is InSchool for statements that cross schools.
func (d *DB) InAll(ctx context.Context, _ unscoped.Permit, fn func(ctx context.Context, tx *Tx) error) error {
	return d.transact(ctx, scope{kind: inAll}, fn)
}

// ErrNested means that a statement or transaction did not use the open
// transaction's Tx.
var ErrNested = errors.New("a transaction is open: use its Tx, or Tx.School and Tx.Across for another scope")

type openKey struct{ d *DB }

// open is the transaction in a ctx.
type open struct {
	core   *core
	shared bool // by Share: other transactions join it
}

// join returns the shared transaction of ctx, or nil if ctx has none.
func (d *DB) join(ctx context.Context) (*core, error) {
	o, _ := ctx.Value(openKey{d}).(*open)
	switch {
	case o == nil || o.core.over():
		return nil, nil
	case !o.shared:
		return nil, ErrNested
	}
	return o.core, nil
}

// enter calls fn with a ctx and Tx of the transaction.
func (c *core) enter(ctx context.Context, sc scope, fn func(context.Context, *Tx) error) error {
	return fn(context.WithValue(ctx, openKey{c.db}, &open{core: c}), &Tx{c, sc})
}

func (d *DB) transact(ctx context.Context, sc scope, fn func(context.Context, *Tx) error) error {
	switch c, err := d.join(ctx); {
	case err != nil:
		return err
	case c != nil:
		err := c.enter(ctx, sc, fn)
		c.fail(err)
		return err
	}
	for attempt := 1; ; attempt++ {
		c := &core{db: d}
		err := c.traced(ctx, sc, fn)
		if err == nil || attempt == maxAttempts || !changedNothing(c.failure()) {
			return err
		}
		if ctx.Err() != nil { // cancelled before the retry
			return fmt.Errorf("%w, after: %w", ctx.Err(), err)
		}
		pause(ctx, attempt)
	}
}

func (c *core) attempt(ctx context.Context, sc scope, fn func(context.Context, *Tx) error) error {
	defer c.rollback() // also when fn panics
	if err := c.enter(ctx, sc, fn); err != nil {
		return err
	}
	if err := c.commit(ctx); err != nil {
		if errors.Is(err, ErrUnknown) {
			c.db.signals.doubt(c.notes)
		}
		return err
	}
	for _, n := range c.notes {
		c.db.signals.deliver(Signal{Topic: n.topic, Payload: n.payload})
	}
	for _, f := range c.after {
		f()
	}
	return nil
}

func (c *core) commit(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.failed != nil:
		return fmt.Errorf("the transaction can't commit, a statement in it failed: %w", c.failed)
	case ctx.Err() != nil:
		return ctx.Err()
	case c.session == nil && len(c.notes) == 0:
		c.done = true
		return nil
	}
	if err := c.begin(ctx); err != nil {
		return err
	}
	c.db.trips.Add(1)
	// Ignores cancellation: the outcome of an interrupted commit is unknown.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), commitWithin)
	defer cancel()
	_, span := trace.Start(ctx, trace.Client, "COMMIT")
	c.db.setSystem(span)
	c.failed = c.db.note(c.session.commit(ctx, c.db.signals.encode(c.notes)))
	span.End(c.failed)
	if c.failed != nil {
		return fmt.Errorf("commit: %w", c.failed)
	}
	c.done = true
	return nil
}

func (c *core) rollback() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.session != nil && !c.done {
		c.session.rollback()
	}
	c.done = true
}

// begin starts the transaction lazily, at the first statement, so that it holds no
// connection or lock before that.
func (c *core) begin(ctx context.Context) (err error) {
	if c.session == nil {
		c.session, err = c.db.engine.begin(ctx, false)
	}
	return err
}

func (c *core) run(ctx context.Context, sc scope, w []*work) error {
	return c.do(ctx, func() error { return c.session.run(ctx, sc, w) }, w...)
}

func (c *core) queue(ctx context.Context, sc scope, w []*work) error {
	return c.do(ctx, func() error { return c.session.queue(ctx, sc, w) })
}

// do runs one step of the transaction. After a failed step no other can run: this
// is how PostgreSQL behaves, and SQLite follows it.
func (c *core) do(ctx context.Context, step func() error, w ...*work) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.done:
		return errors.New("the transaction has ended")
	case c.failed != nil:
		return fmt.Errorf("the transaction can't continue, a statement in it failed: %w", c.failed)
	}
	err := c.begin(ctx)
	if err == nil {
		err = step()
	}
	c.failed = c.db.note(err)
	if err == nil {
		err = refusal(w)
	}
	return err
}

func (c *core) over() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.done
}

func (c *core) failure() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.failed
}

func (c *core) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failed == nil {
		c.failed = err
	}
}

func refusal(w []*work) error {
	for _, one := range w {
		if one.refused != nil {
			return one.refused
		}
	}
	return nil
}

func (t *Tx) at(context.Context) place { return place{db: t.c.db, sc: t.sc, tx: t.c} }

// Later returns a Q for writes whose result nobody needs, such as the audit log. On
// PostgreSQL they are sent with the next statement or the commit, which saves a round
// trip, and which returns their error.
func (t *Tx) Later() Q { return later{t} }

type later struct{ *Tx }

func (l later) at(ctx context.Context) place {
	p := l.Tx.at(ctx)
	p.later = true
	return p
}

// Share returns a ctx whose transactions and statements join this transaction; an
// error of one rolls all back. It is for If-Match and Idempotency-Key in web, which commits a
// handler's writes and its stored response together, and for the demo data.
func (t *Tx) Share(ctx context.Context) context.Context {
	return context.WithValue(ctx, openKey{t.c.db}, &open{t.c, true})
}

// School returns the same transaction in the scope of a school.
func (t *Tx) School(school id.ID) *Tx { return &Tx{t.c, scope{inSchool, school}} }

// SchoolID is the school of the scope, or "" across schools.
func (t *Tx) SchoolID() id.ID { return t.sc.school }

// Across returns the same transaction for statements that cross schools.
func (t *Tx) Across(_ unscoped.Permit) *Tx { return &Tx{t.c, scope{kind: inAll}} }

// AfterCommit runs f after a successful commit. Functions run in the order of the
// calls.
func (t *Tx) AfterCommit(f func()) {
	t.c.mu.Lock()
	defer t.c.mu.Unlock()
	t.c.after = append(t.c.after, f)
}

// Analyze updates PostgreSQL's planner statistics with the rows that this transaction
// has written, of which autovacuum knows nothing yet. SQLite does without.
func (t *Tx) Analyze(ctx context.Context) error {
	return t.c.do(ctx, func() error { return t.c.session.analyze(ctx) })
}

// Lock takes an advisory lock by name until the end of the transaction. Locks of
// different schools don't conflict.
func (t *Tx) Lock(ctx context.Context, name string) error {
	h := fnv.New64a()
	_, _ = h.Write([]byte(string(t.sc.school) + "/" + name))
	return t.c.do(ctx, func() error { return t.c.session.lock(ctx, int64(h.Sum64())) })
}
