package db

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/puddle/v2"
)

const (
	acquireTimeout = 10 * time.Second       // the longest wait for a connection
	closeTimeout   = 5 * time.Second        // the longest wait for the connections in use when the pool closes
	checkIdle      = time.Second            // a connection that was idle for longer is checked before use
	failFast       = 250 * time.Millisecond // a failure to connect answers other callers for so long
)

// pool is a puddle.Pool with a limit on waiting, a check of idle connections and
// fast failure while the database is down.
type pool[C any] struct {
	*puddle.Pool[C]
	open  func(context.Context) (C, error)
	alive func(context.Context, C) bool // nil: a connection can't break

	mu       sync.Mutex
	failed   error // the last attempt to connect
	failedAt time.Time
}

func newPool[C any](size int, open func(context.Context) (C, error), alive func(context.Context, C) bool, end func(C)) (*pool[C], error) {
	p := &pool[C]{open: open, alive: alive}
	var err error
	p.Pool, err = puddle.NewPool(&puddle.Config[C]{Constructor: p.connect, Destructor: end, MaxSize: int32(size)})
	return p, err
}

// usage counts the connections.
func (p *pool[C]) usage() Usage {
	s := p.Stat()
	return Usage{Max: int(s.MaxResources()), InUse: int(s.AcquiredResources() + s.ConstructingResources()), Idle: int(s.IdleResources())}
}

// acquire returns a connection that the caller must release.
func (p *pool[C]) acquire(ctx context.Context) (*puddle.Resource[C], error) {
	limited, cancel := context.WithTimeout(ctx, acquireTimeout)
	defer cancel()
	for {
		r, err := p.Acquire(limited)
		switch {
		case err != nil && ctx.Err() == nil && limited.Err() != nil:
			return nil, unavailable(fmt.Errorf("no free connection within %s", acquireTimeout))
		case err != nil:
			return nil, err
		case p.alive == nil || r.IdleDuration() < checkIdle || p.alive(context.WithoutCancel(ctx), r.Value()):
			return r, nil
		}
		r.Destroy()
		p.Reset() // what ended one connection likely ended them all
	}
}

// release takes a connection back, and closes it if it is not sound.
func (p *pool[C]) release(r *puddle.Resource[C], sound bool) {
	if sound {
		r.Release()
	} else {
		r.Destroy()
	}
}

// connect opens a connection, unless that failed a moment ago: with the server
// gone, many callers then fail at once and not one after the other.
func (p *pool[C]) connect(ctx context.Context) (C, error) {
	p.mu.Lock()
	failed, recent := p.failed, time.Since(p.failedAt) < failFast
	p.mu.Unlock()
	if failed != nil && recent {
		var none C
		return none, failed
	}
	c, err := p.open(ctx)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.failed, p.failedAt = err, time.Now()
	return c, err
}

// close closes all connections. It waits for those in use, but not for ever.
func (p *pool[C]) close() {
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.Close()
	}()
	select {
	case <-done:
	case <-time.After(closeTimeout):
	}
}
