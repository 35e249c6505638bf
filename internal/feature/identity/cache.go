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
	shardSize   = 1024 // entries at most
	loadTimeout = 10 * time.Second

	// CacheLife is how long a node may not know that an account, a role or a school has
	// changed, if the notification is lost or another process made the change on SQLite.
	CacheLife = 60 * time.Second
)

var errAbandoned = errors.New("the read of a cached value was abandoned")

// key is the key of a value. A group is dropped together and lies in one shard.
type key struct{ group, member, of string }

// cache keeps values until they are dropped; concurrent loads of a key share one read.
//
// A value read before a change must not be stored after it. So dropping a key also
// cancels the storing of its running load: the result still goes to the callers that
// asked before the change.
type cache[V any] struct {
	now    clock.Now
	seed   maphash.Seed
	shards [cacheShards]shard[V]
}

type shard[V any] struct {
	mu    sync.RWMutex
	kept  map[key]kept[V]
	loads map[key]*load[V]
	sweep int // size at which expired entries are evicted next
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

func (s *shard[V]) clear() { s.kept, s.loads, s.sweep = map[key]kept[V]{}, map[key]*load[V]{}, 0 }

func (c *cache[V]) shard(group string) *shard[V] {
	return &c.shards[maphash.String(c.seed, group)%cacheShards]
}

// get returns a cached value.
func (c *cache[V]) get(k key) (V, bool) {
	s := c.shard(k.group)
	s.mu.RLock()
	e, ok := s.kept[k]
	s.mu.RUnlock()
	return e.value, ok && c.now().Before(e.until)
}

// fetch calls read and caches the result, unless there was an error or a drop in the
// meantime. Concurrent callers share one read, which survives the first one's context.
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
		s.kept[k] = kept[V]{l.value, now.Add(CacheLife)}
	}
}

// makeRoom evicts expired entries each time the shard has doubled in size, and arbitrary
// ones if it is still full.
func (s *shard[V]) makeRoom(now time.Time) {
	if len(s.kept) < s.sweep {
		return
	}
	for k, e := range s.kept {
		if !now.Before(e.until) {
			delete(s.kept, k)
		}
	}
	for k := range s.kept {
		if len(s.kept) < shardSize {
			break
		}
		delete(s.kept, k)
	}
	s.sweep = min(2*len(s.kept)+16, shardSize)
}

// drop removes one group.
func (c *cache[V]) drop(group string) {
	c.shard(group).drop(func(k key, _ V) bool { return k.group == group })
}

// dropIf removes the values that match.
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
	clear(s.loads) // running loads may match too
}

// dropAll removes everything.
func (c *cache[V]) dropAll() {
	for i := range c.shards {
		s := &c.shards[i]
		s.mu.Lock()
		s.clear()
		s.mu.Unlock()
	}
}
