package db

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// With all connections in use a caller waits until its ctx ends or the limit is
// reached, and fails with ErrUnavailable after that.
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
			t.Errorf("%+v", u)
		}
		start := time.Now()
		if _, err := p.acquire(t.Context()); !errors.Is(err, ErrUnavailable) || time.Since(start) != acquireTimeout {
			t.Errorf("%v after %s", err, time.Since(start))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := p.acquire(ctx); !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, ErrUnavailable) {
			t.Error(err)
		}
		p.release(held, true)
		if u := p.usage(); u != (Usage{Max: 1, Idle: 1}) {
			t.Errorf("%+v", u)
		}
	})
}

// After a failure to connect callers fail without another attempt for a moment.
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
				t.Error(err)
			}
		}
		time.Sleep(failFast)
		_, _ = p.acquire(t.Context())
		if attempts != 2 {
			t.Errorf("%d attempts, want 2", attempts)
		}
	})
}
