package db

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/puddle/v2"
)

const (
	acquireTimeout = 10 * time.Second       // for a free connection
	closeTimeout   = 5 * time.Second        // for connections in use when the pool closes
	checkIdle      = time.Second            // connections idle for longer are checked before use
	failFast       = 250 * time.Millisecond // after a failed connect, other callers get its error for this long
)

// pool is a puddle.Pool with an acquire timeout, health checks of idle connections
// and fast failure while the database is down.
type pool[C any] struct {
	*puddle.Pool[C]
	open  func(context.Context) (C, error)
	alive func(context.Context, C) bool // health check; nil if none is needed

	mu       sync.Mutex
	failed   error // of the last attempt to connect
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
		p.Reset() // the other idle connections are likely broken too
	}
}

// release returns a connection to the pool, or closes it if it is not healthy.
func (p *pool[C]) release(r *puddle.Resource[C], healthy bool) {
	if healthy {
		r.Release()
	} else {
		r.Destroy()
	}
}

// connect opens a connection, or repeats the error of a very recent failure: while
// the server is down, queued callers then fail at once and not one by one.
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

// close closes all connections. It waits up to closeTimeout for those in use.
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
