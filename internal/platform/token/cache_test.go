package token

import (
	"crypto/rand"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"homeroom/internal/platform/clock"
)

func (c *cache) len() (n int) {
	g := c.gen.Load()
	for _, m := range []*sync.Map{g.young, g.old} {
		m.Range(func(any, any) bool { n++; return true })
	}
	return n
}

func testCache(t testing.TB) *cache { return &testRing(t, "a").set.Load().verified }

func TestCacheIsBounded(t *testing.T) {
	t.Parallel()
	c, h := testCache(t), newHand()
	hot := someone()
	c.put("hot", hot, h.now())
	for i := range 3*generationSize + 7 {
		c.put(fmt.Sprint(i), Access{}, h.now())
		if i%1000 == 0 {
			if got, ok := c.get("hot", h.now()); !ok || got != hot {
				t.Fatalf("a token in use was dropped after %d others", i)
			}
		}
	}
	if n := c.len(); n > 2*generationSize || n < generationSize {
		t.Errorf("cached tokens: got %d, want %d to %d", n, generationSize, 2*generationSize)
	}
	if _, ok := c.get("0", h.now()); ok {
		t.Error("the oldest token is still cached")
	}
}

func TestCacheForgetsTheExpired(t *testing.T) {
	t.Parallel()
	c, h := testCache(t), newHand()
	for i := range 1000 {
		c.put(fmt.Sprint(i), Access{}, h.now())
	}
	for i := range 2 {
		h.add(AccessLife + time.Second)
		c.put(fmt.Sprint("later", i), Access{}, h.now())
	}
	if n := c.len(); n != 1 && n != 2 {
		t.Errorf("cached tokens: got %d, want only the later ones", n)
	}
}

func TestCacheHoldsNoLargerText(t *testing.T) {
	t.Parallel()
	c, large := testCache(t), strings.Repeat("x", 1<<20)
	c.put(large[:500], Access{}, newHand().now())
	g := c.gen.Load()
	v, ok := g.old.Load(large[:500]) // the first put ends the empty first generation
	if !ok || unsafe.StringData(v.(*entry).raw) == unsafe.StringData(large) {
		t.Errorf("found %v; the cache must store a copy", ok)
	}
}

func TestCacheTogether(t *testing.T) {
	t.Parallel()
	s := &Signer{Ring: testRing(t, "a"), Now: clock.System, Rand: rand.Reader}
	keys := s.Ring.set.Load().keys
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			want := someone()
			raw := signAccess(t, s, want)
			for range 200 {
				got, err := s.VerifyAccess(raw)
				if err != nil || got.User != want.User || got.School != want.School {
					t.Errorf("verify during a change of keys: %+v, %v", got, err)
				}
			}
		})
	}
	wg.Go(func() {
		for i := range 50 {
			if err := s.Ring.Set(keys[0], testKey(fmt.Sprint("k", i))); err != nil {
				t.Errorf("set keys: %v", err)
			}
		}
	})
	wg.Wait()
}

func BenchmarkCache(b *testing.B) {
	c, now := testCache(b), time.Now()
	pad := strings.Repeat("x", 480)
	raws := make([]string, 10000)
	for i := range raws {
		raws[i] = pad + fmt.Sprintf("%08d", i)
		c.put(raws[i], someone(), now)
	}
	b.RunParallel(func(p *testing.PB) {
		for i := 0; p.Next(); i++ {
			if _, ok := c.get(raws[i%len(raws)], now); !ok {
				b.Fatal("not found")
			}
		}
	})
}
