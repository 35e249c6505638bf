package db

import (
	"context"
	"errors"
	"sync"
	"time"
)

const (
	patience  = 10 * time.Second       // for a connection that others are using
	checkIdle = time.Second            // ask a connection that rested longer whether it lives
	failFast  = 250 * time.Millisecond // believe a failed attempt to connect for so long
	restful   = 5 * time.Minute        // close a connection that nobody needed for so long
)

// pool hands out connections, the one used last first. Waiting for one obeys ctx.
type pool[C any] struct {
	open  func(context.Context) (C, error) // within a second or so
	alive func(context.Context, C) bool
	shut  func(C)
	slots chan struct{} // one token for each connection in use

	mu       sync.Mutex
	idle     []resting[C]
	failed   error // the last attempt to connect
	failedAt time.Time
	closed   bool
}

type resting[C any] struct {
	conn  C
	since time.Time
}

func newPool[C any](size int, open func(context.Context) (C, error), alive func(context.Context, C) bool, shut func(C)) *pool[C] {
	return &pool[C]{open: open, alive: alive, shut: shut, slots: make(chan struct{}, size)}
}

// usage counts the connections.
func (p *pool[C]) usage() Usage {
	p.mu.Lock()
	defer p.mu.Unlock()
	return Usage{Max: cap(p.slots), InUse: len(p.slots), Idle: len(p.idle)}
}

// acquire returns a connection that the caller must release.
func (p *pool[C]) acquire(ctx context.Context) (C, error) {
	var none C
	if err := p.wait(ctx); err != nil {
		return none, err
	}
	c, err := p.take(ctx)
	if err != nil {
		<-p.slots
	}
	return c, err
}

func (p *pool[C]) wait(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case p.slots <- struct{}{}:
		return nil
	default:
	}
	t := time.NewTimer(patience)
	defer t.Stop()
	select {
	case p.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return unavailable(errors.New("all connections are busy"))
	}
}

func (p *pool[C]) take(ctx context.Context) (C, error) {
	for {
		r, ok, err := p.pop()
		if err != nil {
			return r.conn, err
		}
		if !ok {
			return p.connect(ctx)
		}
		if time.Since(r.since) < checkIdle || p.alive(context.WithoutCancel(ctx), r.conn) {
			return r.conn, nil
		}
		p.shut(r.conn)
		p.drop() // what ended one connection likely ended them all
	}
}

func (p *pool[C]) pop() (r resting[C], ok bool, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return r, false, errors.New("the database is closed")
	}
	if n := len(p.idle); n > 0 {
		r, p.idle = p.idle[n-1], p.idle[:n-1]
		return r, true, nil
	}
	return r, false, nil
}

// connect opens a connection, unless that failed a moment ago: with the server
// gone, a crowd of callers then fails at once and not one after the other. A
// caller who gives up meanwhile is no sign of that, so ctx does not cut it short.
func (p *pool[C]) connect(ctx context.Context) (C, error) {
	p.mu.Lock()
	failed, recent := p.failed, time.Since(p.failedAt) < failFast
	p.mu.Unlock()
	if failed != nil && recent {
		var none C
		return none, failed
	}
	c, err := p.open(context.WithoutCancel(ctx))
	p.mu.Lock()
	defer p.mu.Unlock()
	p.failed, p.failedAt = err, time.Now()
	return c, err
}

// release takes a connection back. It closes one that is not sound, and the one
// that rested longest if that was too long.
func (p *pool[C]) release(c C, sound bool) {
	p.mu.Lock()
	var shut []C
	if sound && !p.closed {
		p.idle = append(p.idle, resting[C]{c, time.Now()})
	} else {
		shut = append(shut, c)
	}
	if len(p.idle) > 0 && time.Since(p.idle[0].since) > restful {
		shut = append(shut, p.idle[0].conn)
		p.idle = p.idle[1:]
	}
	p.mu.Unlock()
	for _, c := range shut {
		p.shut(c)
	}
	<-p.slots
}

// drop closes the connections that nobody uses.
func (p *pool[C]) drop() {
	p.mu.Lock()
	idle := p.idle
	p.idle = nil
	p.mu.Unlock()
	for _, r := range idle {
		p.shut(r.conn)
	}
}

// close waits a while for the connections in use, and closes all.
func (p *pool[C]) close() {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	late := time.After(patience / 2)
wait:
	for range cap(p.slots) {
		select {
		case p.slots <- struct{}{}:
		case <-late:
			break wait
		}
	}
	p.drop()
}
