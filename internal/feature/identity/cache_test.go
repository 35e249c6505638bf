package identity

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func newTestCache() *cache[int] {
	c := &cache[int]{}
	c.init(func() time.Time { return time.Date(2026, 11, 16, 8, 0, 0, 0, time.UTC) })
	return c
}

var one = key{group: "user", member: "session"}

// slow reads a value once it is let.
func slow(v int, let <-chan struct{}) func(context.Context) (int, error) {
	return func(context.Context) (int, error) { <-let; return v, nil }
}

func quick(v int) func(context.Context) (int, error) {
	return func(context.Context) (int, error) { return v, nil }
}

// What was read before a change must neither be kept after it nor be given to
// those who ask after it.
func TestDropDuringLoad(t *testing.T) {
	t.Parallel()
	for name, drop := range map[string]func(*cache[int]){
		"group": func(c *cache[int]) { c.drop("user") },
		"match": func(c *cache[int]) { c.dropIf(func(int) bool { return false }) },
		"all":   func(c *cache[int]) { c.dropAll() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c, let := newTestCache(), make(chan struct{})
				var wg sync.WaitGroup
				for range 3 { // one read for all who ask before
					wg.Go(func() {
						if v, err := c.fetch(t.Context(), one, slow(1, let)); v != 1 || err != nil {
							t.Errorf("before: %d %v", v, err)
						}
					})
				}
				synctest.Wait()
				drop(c)
				if v, err := c.fetch(t.Context(), one, quick(2)); v != 2 || err != nil {
					t.Errorf("after: %d %v", v, err)
				}
				close(let)
				wg.Wait()
				if v, ok := c.get(one); v != 2 || !ok {
					t.Errorf("kept: %d %v", v, ok)
				}
			})
		})
	}
}

func TestOneLoadForAll(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, let, reads := newTestCache(), make(chan struct{}), 0
		var wg sync.WaitGroup
		ctx, cancel := context.WithCancel(t.Context())
		for i := range 10 {
			wg.Go(func() {
				ctx := ctx // the first leaves; the read goes on for the others
				if i > 0 {
					ctx = t.Context()
				}
				_, _ = c.fetch(ctx, one, func(ctx context.Context) (int, error) { reads++; <-let; return 1, ctx.Err() })
			})
			synctest.Wait()
		}
		cancel()
		close(let)
		wg.Wait()
		if v, ok := c.get(one); reads != 1 || v != 1 || !ok {
			t.Errorf("%d reads, kept %d %v", reads, v, ok)
		}
	})
}

func TestFailedLoadIsNotKept(t *testing.T) {
	t.Parallel()
	c := newTestCache()
	if _, err := c.fetch(t.Context(), one, func(context.Context) (int, error) { return 1, errors.New("no") }); err == nil {
		t.Error("no error")
	}
	func() {
		defer func() { _ = recover() }()
		_, _ = c.fetch(t.Context(), one, func(context.Context) (int, error) { panic("no") })
	}()
	if _, ok := c.get(one); ok {
		t.Error("a failure was kept")
	}
	if v, err := c.fetch(t.Context(), one, quick(3)); v != 3 || err != nil {
		t.Errorf("afterwards: %d %v", v, err)
	}
}

func TestCacheIsBounded(t *testing.T) {
	t.Parallel()
	c := newTestCache()
	for i := range 3 * shardSize {
		if _, err := c.fetch(t.Context(), key{group: "user", member: fmt.Sprint(i)}, quick(i)); err != nil {
			t.Fatal(err)
		}
	}
	if got := len(c.shard("user").kept); got != shardSize {
		t.Errorf("%d are kept, want %d", got, shardSize)
	}
}

// TestExpiredAreEvicted: expired entries are evicted long before the cache is full.
func TestExpiredAreEvicted(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 16, 8, 0, 0, 0, time.UTC)
	c := &cache[int]{}
	c.init(func() time.Time { return now })
	for i := range shardSize { // one comes every second
		now = now.Add(time.Second)
		if _, err := c.fetch(t.Context(), key{group: "user", member: fmt.Sprint(i)}, quick(i)); err != nil {
			t.Fatal(err)
		}
	}
	if got, most := len(c.shard("user").kept), 3*int(CacheLife/time.Second); got > most {
		t.Errorf("%d are kept, want at most %d", got, most)
	}
}
