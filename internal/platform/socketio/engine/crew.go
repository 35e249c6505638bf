package engine

import (
	"context"
	"sync"
)

// Crew counts the goroutines of a server, so that Shutdown can wait for them. Unlike a
// sync.WaitGroup it may grow while somebody waits. The zero Crew is ready to use.
type Crew struct {
	mu   sync.Mutex
	n    int
	idle chan struct{} // closed when n falls to 0; nil if nobody waits
}

// Go runs f in a goroutine.
func (c *Crew) Go(f func()) {
	c.join()
	go func() {
		defer c.leave()
		f()
	}()
}

func (c *Crew) join() {
	c.mu.Lock()
	c.n++
	c.mu.Unlock()
}

func (c *Crew) leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.n--; c.n == 0 && c.idle != nil {
		close(c.idle)
		c.idle = nil
	}
}

// Wait returns when all have ended, or with ctx's error.
func (c *Crew) Wait(ctx context.Context) error {
	c.mu.Lock()
	if c.n == 0 {
		c.mu.Unlock()
		return nil
	}
	if c.idle == nil {
		c.idle = make(chan struct{})
	}
	idle := c.idle
	c.mu.Unlock()
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
