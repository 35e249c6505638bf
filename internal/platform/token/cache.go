package token

import (
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// generationSize limits the cache to two generations of this many tokens, about 0.8 KiB
// each. A miss costs 13 µs, a hit 0.1 µs.
const generationSize = 16 << 10

// cache holds verified access tokens in two generations. When the young one is full or
// older than a token's lifetime, it becomes the old one and the old one is dropped. A
// token found in the old one moves to the young one. Readers take no lock.
type cache struct{ gen atomic.Pointer[generation] }

type generation struct {
	young, old *sync.Map // raw token → *entry
	size       atomic.Int64
	since      time.Time
}

type entry struct {
	raw string
	Access
}

func newGeneration(old *sync.Map, since time.Time) *generation {
	if old == nil {
		old = new(sync.Map)
	}
	return &generation{young: new(sync.Map), old: old, since: since}
}

// get returns the cached token, compared byte for byte.
func (c *cache) get(raw string, now time.Time) (Access, bool) {
	g := c.gen.Load()
	var key any = raw
	if v, ok := g.young.Load(key); ok {
		return v.(*entry).Access, true
	}
	if v, ok := g.old.Load(key); ok {
		c.add(v.(*entry), now)
		return v.(*entry).Access, true
	}
	return Access{}, false
}

func (c *cache) put(raw string, a Access, now time.Time) {
	c.add(&entry{strings.Clone(raw), a}, now) // raw may be a slice of a large string
}

func (c *cache) add(e *entry, now time.Time) {
	g := c.gen.Load()
	if _, there := g.young.LoadOrStore(e.raw, e); there {
		return
	}
	if g.size.Add(1) >= generationSize || now.Sub(g.since) > AccessLife {
		c.gen.CompareAndSwap(g, newGeneration(g.young, now))
	}
}
