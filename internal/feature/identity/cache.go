package identity

import (
	"context"
	"errors"
	"hash/maphash"
	"sync"
	"time"

	"homeroom/internal/platform/clock"
)

const (
	cacheShards = 64
	shardSize   = 1024             // entries at most
	cacheLife   = 60 * time.Second // should a signal of a change ever get lost
	loadTimeout = 10 * time.Second
)

var errAbandoned = errors.New("the read of a cached value was abandoned")

// key names a cached value. A group is dropped together, and lies in one shard.
type key struct{ group, member, of string }

// cache keeps values until they are dropped, and loads each only once at a time.
//
// A value that was read before a change must not be stored after it. So a load
// is registered while it runs, and dropping a value also strikes out its load:
// what that brings home still answers those who asked before the change, and is
// then forgotten.
type cache[V any] struct {
	now    clock.Now
	seed   maphash.Seed
	shards [cacheShards]shard[V]
}

type shard[V any] struct {
	mu    sync.RWMutex
	kept  map[key]kept[V]
	loads map[key]*load[V]
}

type kept[V any] struct {
	value V
	until time.Time
}

type load[V any] struct {
	done  chan struct{}
	value V
	err   error
}

func (c *cache[V]) init(now clock.Now) {
	c.now, c.seed = now, maphash.MakeSeed()
	for i := range c.shards {
		c.shards[i].clear()
	}
}

func (s *shard[V]) clear() { s.kept, s.loads = map[key]kept[V]{}, map[key]*load[V]{} }

func (c *cache[V]) shard(group string) *shard[V] {
	return &c.shards[maphash.String(c.seed, group)%cacheShards]
}

// get returns the value that is kept.
func (c *cache[V]) get(k key) (V, bool) {
	s := c.shard(k.group)
	s.mu.RLock()
	e, ok := s.kept[k]
	s.mu.RUnlock()
	return e.value, ok && c.now().Before(e.until)
}

// fetch returns what read finds, and keeps it unless there was an error or a
// drop meanwhile. Those who ask at the same time share one read, which goes on
// if the first of them leaves.
func (c *cache[V]) fetch(ctx context.Context, k key, read func(context.Context) (V, error)) (V, error) {
	s := c.shard(k.group)
	s.mu.Lock()
	l, running := s.loads[k]
	if !running {
		l = &load[V]{done: make(chan struct{}), err: errAbandoned}
		s.loads[k] = l
	}
	s.mu.Unlock()
	if !running {
		c.run(ctx, s, k, l, read)
		return l.value, l.err
	}
	select {
	case <-l.done:
		return l.value, l.err
	case <-ctx.Done():
		var none V
		return none, ctx.Err()
	}
}

func (c *cache[V]) run(ctx context.Context, s *shard[V], k key, l *load[V], read func(context.Context) (V, error)) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), loadTimeout)
	defer cancel()
	defer func() { // also when read panics
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.loads[k] == l {
			delete(s.loads, k)
			s.keep(k, l, c.now())
		}
		close(l.done)
	}()
	l.value, l.err = read(ctx)
}

func (s *shard[V]) keep(k key, l *load[V], now time.Time) {
	if l.err == nil {
		s.makeRoom(now)
		s.kept[k] = kept[V]{l.value, now.Add(cacheLife)}
	}
}

// makeRoom drops what is too old and, if that is not enough, anything.
func (s *shard[V]) makeRoom(now time.Time) {
	if len(s.kept) < shardSize {
		return
	}
	for k, e := range s.kept {
		if !now.Before(e.until) {
			delete(s.kept, k)
		}
	}
	for k := range s.kept {
		if len(s.kept) < shardSize {
			return
		}
		delete(s.kept, k)
	}
}

// drop forgets one group.
func (c *cache[V]) drop(group string) {
	c.shard(group).drop(func(k key, _ V) bool { return k.group == group })
}

// dropIf forgets the values of all groups that match holds for.
func (c *cache[V]) dropIf(match func(V) bool) {
	for i := range c.shards {
		c.shards[i].drop(func(_ key, v V) bool { return match(v) })
	}
}

func (s *shard[V]) drop(match func(key, V) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for k, e := range s.kept {
		if match(k, e.value) {
			delete(s.kept, k)
		}
	}
	clear(s.loads) // nobody knows yet what they will bring
}

// dropAll forgets everything.
func (c *cache[V]) dropAll() {
	for i := range c.shards {
		s := &c.shards[i]
		s.mu.Lock()
		s.clear()
		s.mu.Unlock()
	}
}
