package db

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// With all connections in use acquire waits until ctx ends, or fails with
// ErrUnavailable after acquireTimeout.
func TestPoolExhausted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p, err := newPool(1, func(context.Context) (int, error) { return 1, nil }, nil, func(int) {})
		if err != nil {
			t.Fatal(err)
		}
		defer p.close()
		held, err := p.acquire(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if u := p.usage(); u != (Usage{Max: 1, InUse: 1}) {
			t.Errorf("usage: got %+v, want one connection in use", u)
		}
		start := time.Now()
		if _, err := p.acquire(t.Context()); !errors.Is(err, ErrUnavailable) || time.Since(start) != acquireTimeout {
			t.Errorf("got %v after %s, want ErrUnavailable after %s", err, time.Since(start), acquireTimeout)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := p.acquire(ctx); !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, ErrUnavailable) {
			t.Errorf("cancelled: got %v, want context.DeadlineExceeded", err)
		}
		p.release(held, true)
		if u := p.usage(); u != (Usage{Max: 1, Idle: 1}) {
			t.Errorf("usage: got %+v, want one idle connection", u)
		}
	})
}

// After a failed connect, callers get its error without another attempt until failFast has passed.
func TestPoolFailsFast(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		attempts, down := 0, errors.New("down")
		p, err := newPool(1, func(context.Context) (int, error) { attempts++; return 0, down }, nil, func(int) {})
		if err != nil {
			t.Fatal(err)
		}
		defer p.close()
		for range 10 {
			if _, err := p.acquire(t.Context()); !errors.Is(err, down) {
				t.Errorf("got %v, want the error of the first attempt", err)
			}
		}
		time.Sleep(failFast)
		_, _ = p.acquire(t.Context())
		if attempts != 2 {
			t.Errorf("%d attempts, want 2", attempts)
		}
	})
}
