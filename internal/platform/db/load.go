package db

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
)

// loadRows is how many rows make a load: with fewer nothing is done otherwise.
const loadRows = 5000

// ErrAdds says that a load that only adds met a statement that does not.
var ErrAdds = errors.New("a load that only adds can't run")

// Bulk is what a load brings.
type Bulk struct {
	Rows     int      // about so many come to each of the tables
	Tables   []string // parents before children
	Triggers []string // of the tables: fn does their work where Tx.PutOff says so
	Spared   []string // indexes of the tables that hardly any of the rows belongs in
	Lookups  bool     // fn looks for rows of the tables by other keys than their primary ones
	Adds     bool     // the transaction changes and removes nothing; what it adds to other tables refers to the school alone
}

// Load runs fn, which adds many rows to some tables of the school, in a way that
// suits so many. What holds for the rows holds at its end as ever; until then fn
// must not count on the order of reading them.
//
// Rows that fn inserts into the tables are written while it makes the next ones.
// So an Insert of theirs returns before they are there, and what is wrong with
// them may be said by a later call, or by Load itself.
//
// loadLite and loadPostgres say what each engine puts off, and makes up for.
func (t *Tx) Load(ctx context.Context, b Bulk, fn func() error) error {
	if b.Rows < loadRows {
		return fn()
	}
	l := &load{Bulk: b, shared: map[*insertion]columnSet{}}
	run := func() error { return t.c.behind(l, fn) }
	var err error
	if t.c.db.pg() {
		err = t.loadPostgres(ctx, l, run)
	} else {
		err = t.loadLite(ctx, l, run)
	}
	t.c.fail(err) // what was put off is not made up for
	return err
}

// PutOff tells fn of a Load that a trigger of a table does not fire for the rows
// it inserts, so that fn has to do what the trigger does.
func (t *Tx) PutOff(trigger string) bool {
	l := t.c.load.Load()
	return l != nil && slices.Contains(l.off, trigger)
}

// load is a Bulk under way.
type load struct {
	Bulk
	off     []string // the triggers that are put off
	keys    *keyring // nil where foreign keys are checked as ever
	queue   chan func()
	waiting sync.WaitGroup // for what is in the queue
	broke   atomic.Bool    // something of it failed
	written int            // rows
	grown   func()         // done once, when loadRows are written
	mu      sync.Mutex
	shared  map[*insertion]columnSet // what their rows have had in common
}

// behind runs fn, and in a goroutine of its own writes what fn inserts, in its
// order. It returns when all is written, or not to be.
func (c *core) behind(l *load, fn func() error) error {
	l.queue = make(chan func(), 2)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for write := range l.queue {
			write()
			l.waiting.Done()
		}
	}()
	c.load.Store(l)
	defer func() { // also when fn panics
		c.load.Store(nil)
		close(l.queue)
		<-done
	}()
	if err := fn(); err != nil {
		return err
	}
	l.waiting.Wait()
	return c.broken()
}

// follow returns what to tell of the rows of an insertion, and whether that is
// enough to check their foreign keys later.
func (l *load) follow(in *insertion) (follow func(values []any), loose bool) {
	if l != nil && l.keys != nil {
		if follow = l.keys.follow(in); follow != nil {
			return follow, true
		}
	}
	return func([]any) {}, false
}

// later has the work done after all that came before it.
func (c *core) later(ctx context.Context, l *load, sc scope, w []*work, rows int, loose bool) error {
	if l.broke.Load() { // to ask the transaction itself would be to wait for what it is at
		return c.broken()
	}
	for _, one := range w {
		one.unchecked = loose
	}
	l.waiting.Add(1)
	l.queue <- func() { // the transaction keeps an error, and says it from now on
		if err := c.step(ctx, func() error { return c.session.run(ctx, sc, w) }, w...); err != nil {
			l.broke.Store(true)
		}
		if l.written += rows; l.grown != nil && l.written >= loadRows {
			l.grown()
			l.grown = nil
		}
	}
	return nil
}

// broken is why the transaction can't go on, or nil.
func (c *core) broken() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failed == nil {
		return nil
	}
	return fmt.Errorf("a step of the transaction failed: %w", c.failed)
}
