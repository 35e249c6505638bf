package socketio

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"homeroom/internal/platform/socketio/engine"
)

// maxEarly is the most messages held back until a socket is connected.
const maxEarly = 1000

// Socket is a client in a namespace.
type Socket struct {
	id     string
	ns     *Namespace
	client *client

	connected atomic.Bool // the client has got CONNECT

	mu    sync.Mutex
	who   Identity
	rooms []*room
	early []*engine.Message // messages held back until connected
	gone  bool
	asked int64
	asks  map[int64]chan Event // closed on disconnect
}

// ID returns the socket's id, which its client knows too.
func (s *Socket) ID() string { return s.id }

// IP returns the client's IP address.
func (s *Socket) IP() string { return s.client.session.IP() }

// User returns the user from Authenticate.
func (s *Socket) User() string { return s.identity().User }

// Principal returns the principal of the client's newest token.
func (s *Socket) Principal() any { return s.identity().Principal }

func (s *Socket) identity() Identity {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.who
}

func (s *Socket) identify(who Identity) {
	s.mu.Lock()
	s.who = who
	s.mu.Unlock()
}

// open sends CONNECT and then the messages held back; false if the socket is gone.
func (s *Socket) open(first *engine.Message) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gone {
		return false
	}
	for _, m := range append([]*engine.Message{first}, s.early...) {
		s.client.session.Send(m)
	}
	s.early = nil
	s.connected.Store(true)
	for _, r := range s.rooms {
		r.changed()
	}
	return true
}

// send sends a message, or holds it back until the client is connected.
func (s *Socket) send(m *engine.Message) {
	if s.connected.Load() {
		s.client.session.Send(m)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.gone:
	case s.connected.Load():
		s.client.session.Send(m)
	case len(s.early) < maxEarly:
		s.early = append(s.early, m)
	default:
		s.client.session.Cut("too slow to connect")
	}
}

// Join adds the socket to a room; joining twice is fine. On return the socket gets
// broadcasts of all nodes.
func (s *Socket) Join(name string) error {
	s.mu.Lock()
	if s.gone {
		s.mu.Unlock()
		return ErrGone
	}
	i := slices.IndexFunc(s.rooms, func(r *room) bool { return r.name == name })
	if i < 0 {
		i = len(s.rooms)
		s.rooms = append(s.rooms, s.ns.add(s, name))
	}
	r := s.rooms[i]
	s.mu.Unlock()
	if err := r.updateSubscription(); err != nil {
		s.Leave(name)
		return fmt.Errorf("join %s: %w", name, err)
	}
	return nil
}

// Leave removes the socket from a room. After it returns, the client gets no more
// messages of the room.
func (s *Socket) Leave(name string) {
	s.mu.Lock()
	i := slices.IndexFunc(s.rooms, func(r *room) bool { return r.name == name })
	if i < 0 {
		s.mu.Unlock()
		return
	}
	r := s.rooms[i]
	s.rooms = slices.Delete(s.rooms, i, i+1)
	r.remove(s)
	s.mu.Unlock()
	r.quiet()
	_ = r.updateSubscription() // only subscribing fails
}

// Rooms returns the names of the socket's rooms.
func (s *Socket) Rooms() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	names := make([]string, len(s.rooms))
	for i, r := range s.rooms {
		names[i] = r.name
	}
	return names
}

// Emit sends an event to this client only.
func (s *Socket) Emit(event string, args ...any) error {
	m, err := encodeEvent(false, s.ns.name, noAck, event, args)
	if err != nil {
		return fmt.Errorf("emit %s: %w", event, err)
	}
	s.send(m)
	return nil
}

// Ask sends an event and waits for the client's acknowledgement.
func (s *Socket) Ask(ctx context.Context, event string, args ...any) (Event, error) {
	answer := make(chan Event, 1)
	s.mu.Lock()
	if s.gone {
		s.mu.Unlock()
		return Event{}, ErrGone
	}
	if s.asks == nil {
		s.asks = map[int64]chan Event{}
	}
	s.asked++
	id := s.asked
	s.asks[id] = answer
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		delete(s.asks, id)
		s.mu.Unlock()
	}()
	m, err := encodeEvent(false, s.ns.name, id, event, args)
	if err != nil {
		return Event{}, fmt.Errorf("ask %s: %w", event, err)
	}
	s.send(m)
	select {
	case e, ok := <-answer:
		if !ok {
			return Event{}, ErrGone
		}
		e.Name = event
		return e, nil
	case <-ctx.Done():
		return Event{}, fmt.Errorf("ask %s: %w", event, ctx.Err())
	}
}

// answered delivers an acknowledgement. It ignores one that nobody waits for.
func (s *Socket) answered(id int64, args []json.RawMessage, attachments [][]byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if answer := s.asks[id]; answer != nil {
		delete(s.asks, id)
		answer <- Event{Args: args, Attachments: attachments}
	}
}

// Disconnect disconnects the client from the namespace. Official clients don't
// reconnect after that by themselves.
func (s *Socket) Disconnect() { s.client.expel(s, "server namespace disconnect") }

// leaveAll removes the socket from its rooms and counters; false if done before.
func (s *Socket) leaveAll() bool {
	s.mu.Lock()
	if s.gone {
		s.mu.Unlock()
		return false
	}
	s.gone = true
	rooms := s.rooms
	s.rooms, s.early = nil, nil
	for _, r := range rooms {
		r.remove(s)
	}
	for _, answer := range s.asks {
		close(answer)
	}
	s.asks = nil
	s.mu.Unlock()
	for _, r := range rooms {
		_ = r.updateSubscription() // only subscribing fails
	}
	return true
}
