package web

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"homeroom/internal/platform/clock"
)

// Relay carries messages to the other nodes, without a guarantee.
type Relay interface {
	Publish(subject string, payload []byte) error
	Subscribe(subject string, deliver func(payload []byte)) (cancel func(), err error)
}

const (
	countSubject = "limits"
	maxCounts    = 1000 // of one message
)

// Shared is a Limiter of several nodes. Each counts in memory and tells the others at once,
// so that a user has one budget however the calls are spread. What two nodes count before
// they hear of each other, usually within a millisecond, may exceed it.
type Shared struct {
	*Memory
	relay Relay
	log   *slog.Logger

	mu      sync.Mutex
	untold  map[string]int // calls of which the other nodes don't know
	telling bool
}

// tally tells other nodes of calls. The total lets a node that has just started catch up.
type tally struct {
	Key   string
	Calls int
	Total int
	Age   time.Duration // of the window
}

// NewShared makes an empty Shared.
func NewShared(now clock.Now, r Relay, log *slog.Logger) (*Shared, error) {
	s := &Shared{Memory: NewMemory(now), relay: r, log: log, untold: map[string]int{}}
	if _, err := r.Subscribe(countSubject, s.hear); err != nil {
		return nil, fmt.Errorf("share rate limits: %w", err)
	}
	return s, nil
}

// Count implements Limiter.
func (s *Shared) Count(ctx context.Context, key string) (int, time.Duration, error) {
	n, left, err := s.Memory.Count(ctx, key)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.untold[key]++
	if !s.telling {
		s.telling = true
		go s.tell()
	}
	return n, left, err
}

// tell sends what is untold until nothing is. Calls that arrive while it sends are sent
// together.
func (s *Shared) tell() {
	for {
		s.mu.Lock()
		news := s.untold
		s.untold = map[string]int{}
		s.telling = len(news) > 0
		s.mu.Unlock()
		if len(news) == 0 {
			return
		}
		batch := make([]tally, 0, min(len(news), maxCounts))
		for key, calls := range news {
			if batch = append(batch, s.tally(key, calls)); len(batch) == maxCounts {
				s.publish(batch)
				batch = batch[:0]
			}
		}
		s.publish(batch)
	}
}

func (s *Shared) publish(batch []tally) {
	raw, err := json.Marshal(batch)
	if err == nil {
		err = s.relay.Publish(countSubject, raw)
	}
	if err != nil {
		s.log.Warn("can't share rate limits with other nodes", "error", err)
	}
}

func (s *Shared) hear(payload []byte) {
	var batch []tally
	if err := json.Unmarshal(payload, &batch); err != nil {
		s.log.Warn("can't read the rate limits of another node", "error", err)
		return
	}
	for _, t := range batch {
		s.merge(t)
	}
}

func (m *Memory) tally(key string, calls int) tally {
	sh := m.shard(key)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	c := sh.seen[key]
	return tally{Key: key, Calls: calls, Total: c.n, Age: m.now().Sub(c.since)}
}

// merge adds the calls of another node. The older of two windows counts for both.
func (m *Memory) merge(t tally) {
	now, sh := m.now(), m.shard(t.Key)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	since := now.Add(-max(t.Age, 0))
	c := sh.seen[t.Key]
	if c.n == 0 || now.Sub(c.since) >= Window {
		c = count{since: since}
	}
	if t.Age >= Window {
		return
	}
	if since.Before(c.since) {
		c.since = since
	}
	c.n = max(c.n+t.Calls, t.Total)
	sh.seen[t.Key] = c
}
