package db

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"homeroom/internal/platform/id"
)

// Signal is a notification to listeners (NOTIFY between nodes).
type Signal struct {
	Topic, Payload string
	Lost           bool // signals may have been missed: drop all caches
}

// maxNote is PostgreSQL's limit for the payload of a notification.
const maxNote = 7999

// proofTopic has the signals that a node sends to itself.
const proofTopic = ""

type note struct{ topic, payload string }

// signals delivers notifications to the listeners of this node.
type signals struct {
	node      string // of proofs
	log       *slog.Logger
	proofs    chan string // the proofs that arrived
	mu        sync.Mutex
	sender    string // of our notifications, which we ignore: they were delivered at commit
	deaf      error  // why signals of other nodes are not heard; nil if they are
	listeners map[string][]func(Signal)
	cancel    context.CancelFunc // of the listening goroutine; nil until someone listens
	stopped   chan struct{}
}

// Notify signals all listeners of the topic, on every node, after the commit.
// Those of this node run before InSchool returns.
func (t *Tx) Notify(_ context.Context, topic, payload string) error {
	n := note{topic, payload}
	if len(t.c.db.signals.encode([]note{n})[0]) > maxNote {
		return fmt.Errorf("a signal has at most %d bytes: send an id and let the listener read the rest", maxNote)
	}
	t.c.mu.Lock()
	defer t.c.mu.Unlock()
	if t.c.done {
		return errors.New("the transaction has ended")
	}
	if !slices.Contains(t.c.notes, n) {
		t.c.notes = append(t.c.notes, n)
	}
	return nil
}

// Wake is Notify for the listeners of this node only. It needs no database.
func (t *Tx) Wake(topic string) {
	t.AfterCommit(func() { t.c.db.signals.deliver(Signal{Topic: topic}) })
}

// Listen calls f with every signal of the topic until Close. f must return quickly
// and must not use the database.
func (d *DB) Listen(topic string, f func(Signal)) {
	s := &d.signals
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.listeners == nil {
		s.listeners = map[string][]func(Signal){}
	}
	s.listeners[topic] = append(s.listeners[topic], f)
	if s.cancel != nil {
		return
	}
	var ctx context.Context
	ctx, s.cancel = context.WithCancel(context.Background())
	s.stopped = make(chan struct{})
	if d.pg() {
		s.deaf = errUnproven
	}
	go func() {
		defer close(s.stopped)
		d.engine.listen(ctx, s)
	}()
}

var errUnproven = errors.New("not heard yet")

// Hears returns nil if the signals of other nodes arrive, which this node proves every
// few seconds by a signal to itself. The error says what an operator can do.
func (d *DB) Hears() error {
	d.signals.mu.Lock()
	defer d.signals.mu.Unlock()
	return d.signals.deaf
}

// judge records whether signals are heard. While they are not, caches are dropped, so
// that a lost right is used for seconds at most.
func (s *signals) judge(err error) {
	s.mu.Lock()
	was := s.deaf
	s.deaf = err
	s.mu.Unlock()
	switch {
	case err != nil:
		if !errors.Is(was, err) {
			s.log.Error("signals of other nodes are "+err.Error(), slog.Bool("ready", false))
		}
		s.lost()
	case was != nil && !errors.Is(was, errUnproven):
		s.log.Info("signals of other nodes are heard again")
	}
}

// hears waits for a proof.
func (s *signals) hears(ctx context.Context, proof string) bool {
	limit := time.After(proofWithin)
	for {
		select {
		case got := <-s.proofs:
			if got == proof {
				return true
			}
		case <-limit:
			return false
		case <-ctx.Done():
			return false
		}
	}
}

func (s *signals) stop() {
	s.mu.Lock()
	cancel, stopped := s.cancel, s.stopped
	s.mu.Unlock()
	if cancel != nil {
		cancel()
		<-stopped
	}
}

func (s *signals) deliver(sig Signal) {
	s.mu.Lock()
	listeners := s.listeners[sig.Topic]
	s.mu.Unlock()
	for _, f := range listeners {
		f(sig)
	}
}

// lost tells every listener that signals may have been missed.
func (s *signals) lost() {
	s.mu.Lock()
	topics := slices.Collect(maps.Keys(s.listeners))
	s.mu.Unlock()
	for _, t := range topics {
		s.deliver(Signal{Topic: t, Lost: true})
	}
}

// encode returns the notification payloads of notes; receive decodes one.
func (s *signals) encode(notes []note) []string {
	s.mu.Lock()
	sender := s.sender
	s.mu.Unlock()
	out := make([]string, len(notes))
	for i, n := range notes {
		from := sender
		if n.topic == proofTopic {
			from = s.node
		}
		b, _ := json.Marshal([3]string{from, n.topic, n.payload}) // strings always marshal
		out[i] = string(b)
	}
	return out
}

func (s *signals) receive(wire string) {
	var n [3]string
	if json.Unmarshal([]byte(wire), &n) != nil { // of another program
		return
	}
	s.mu.Lock()
	ours := n[0] == s.sender
	s.mu.Unlock()
	switch {
	case n[1] == proofTopic && n[0] == s.node:
		select {
		case s.proofs <- n[2]:
		default: // nobody waits for it any more
		}
	case n[1] != proofTopic && !ours:
		s.deliver(Signal{Topic: n[1], Payload: n[2]})
	}
}

// doubt delivers the notes of a commit whose outcome is unknown. It may also be under way
// still. As it has another sender then, its notifications are not ignored.
func (s *signals) doubt(notes []note) {
	s.mu.Lock()
	s.sender = string(id.New())
	s.mu.Unlock()
	for _, n := range notes {
		s.deliver(Signal{Topic: n.topic, Payload: n.payload})
	}
}
