package web

import (
	"context"
	"hash/maphash"
	"math"
	"net/http"
	"strconv"
	"sync"
	"time"

	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/fault"
)

// Window is the length of a rate limit window. It starts with the first call of a key.
const Window = time.Minute

// Rates are the rate limits of each class, in calls per minute; 0 is unlimited.
type Rates struct {
	Auth, Read, Write, Stream int
}

func (r Rates) of(c Class) int {
	switch c {
	case ClassAuth:
		return r.Auth
	case ClassRead:
		return r.Read
	case ClassStream:
		return r.Stream
	default:
		return r.Write
	}
}

// Limiter counts calls. Count adds one call of the key, and returns the number of
// calls in the current window and the time until the window ends.
type Limiter interface {
	Count(ctx context.Context, key string) (n int, left time.Duration, err error)
}

var errTooMany = fault.New(fault.TooMany, "", "Too many requests. Wait a little, then try again.")

// checkLimit counts a call against limit and sets the RateLimit headers.
func checkLimit(ctx context.Context, w http.ResponseWriter, l Limiter, key string, limit int) error {
	if limit <= 0 {
		return nil
	}
	n, left, err := l.Count(ctx, key)
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("RateLimit-Limit", strconv.Itoa(limit))
	h.Set("RateLimit-Remaining", strconv.Itoa(max(0, limit-n)))
	h.Set("RateLimit-Reset", strconv.Itoa(int(math.Ceil(left.Seconds()))))
	if n > limit {
		return errTooMany.After(left)
	}
	return nil
}

const shards = 64

// Memory is an in-memory Limiter for one node.
type Memory struct {
	now    clock.Now
	seed   maphash.Seed
	shards [shards]shard
}

type shard struct {
	mu    sync.Mutex
	seen  map[string]count
	swept time.Time
}

type count struct {
	since time.Time
	n     int
}

// NewMemory makes an empty Memory.
func NewMemory(now clock.Now) *Memory {
	m := &Memory{now: now, seed: maphash.MakeSeed()}
	for i := range m.shards {
		m.shards[i].seen = map[string]count{}
	}
	return m
}

// Count implements Limiter.
func (m *Memory) Count(_ context.Context, key string) (int, time.Duration, error) {
	now, s := m.now(), m.shard(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sweep(now)
	c := s.seen[key]
	if c.n == 0 || now.Sub(c.since) >= Window {
		c = count{since: now}
	}
	c.n++
	s.seen[key] = c
	return c.n, c.since.Add(Window).Sub(now), nil
}

func (m *Memory) shard(key string) *shard { return &m.shards[maphash.String(m.seed, key)%shards] }

// Seen returns the calls of a key in its last window.
func (m *Memory) Seen(key string) int {
	s := m.shard(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seen[key].n
}

// sweep deletes expired windows, at most once per Window.
func (s *shard) sweep(now time.Time) {
	if now.Sub(s.swept) < Window {
		return
	}
	s.swept = now
	for k, c := range s.seen {
		if now.Sub(c.since) >= Window {
			delete(s.seen, k)
		}
	}
}
