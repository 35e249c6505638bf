package socketio

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"homeroom/internal/platform/socketio/engine"
)

// maxEarly is the most messages held back until a socket is connected.
const maxEarly = 1000

// Socket is a client in a namespace.
type Socket struct {
	id        string
	pid       string // the client recovers with it; "" if it can't
	recovered bool
	ns        *Namespace
	client    *client

	connected atomic.Bool // the client has got CONNECT
	parked    atomic.Bool // the connection broke: see recovery.go
	timer     *time.Timer // ends a parked socket; guarded by the server's lock

	mu    sync.Mutex
	who   Identity
	told  time.Time    // the expiry that the client was told of
	rooms []membership // in the order of joining
	early []held       // messages held back until connected
	gone  bool
	asked int64
	asks  map[int64]chan Event // closed on disconnect
}

type membership struct {
	*room
	since int64 // position in the history
	stale int64 // the position up to which nothing is replayed; see Outdate
}

// held is a message to a room, or to the socket itself if that is nil.
type held struct {
	room *room
	m    *engine.Message
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

// deadline returns when the token expires or, before that, when the client is told so.
func (s *Socket) deadline() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.who.Expires.IsZero() || s.told.Equal(s.who.Expires) {
		return s.who.Expires
	}
	return s.who.Expires.Add(-s.ns.srv.cfg.ExpiryNotice)
}

// expiring reports whether the client has to be told now that its token expires. It
// does so once for each token.
func (s *Socket) expiring() (at time.Time, due bool) {
	now := s.ns.srv.cfg.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	at = s.who.Expires
	if at.IsZero() || s.told.Equal(at) || now.Before(at.Add(-s.ns.srv.cfg.ExpiryNotice)) {
		return at, false
	}
	s.told = at
	return at, true
}

// open sends CONNECT and then the messages held back; false if the socket is gone.
func (s *Socket) open(first *engine.Message) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gone {
		return false
	}
	s.client.session.Send(first)
	for _, e := range s.early {
		s.client.session.Send(e.m)
	}
	s.early = nil
	s.connected.Store(true)
	for _, in := range s.rooms {
		in.changed()
	}
	return true
}

// send sends a message, or holds it back until the client is connected. to is nil if it is
// for this socket only.
func (s *Socket) send(to *room, m *engine.Message) {
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
	case s.parked.Load(): // it is in the history
	case len(s.early) < maxEarly:
		s.early = append(s.early, held{to, m})
	default:
		s.client.session.Cut("too slow to connect")
	}
}

// Join adds the socket to a room, or makes it the last of its rooms. On return the socket
// gets broadcasts of all nodes.
func (s *Socket) Join(name string) error {
	var since int64
	if s.pid != "" {
		since = s.ns.history.newest()
	}
	s.mu.Lock()
	if s.gone {
		s.mu.Unlock()
		return ErrGone
	}
	var in membership
	if i := s.index(name); i >= 0 {
		in = s.rooms[i]
		s.rooms = slices.Delete(s.rooms, i, i+1)
	} else {
		in = membership{room: s.ns.add(s, name), since: since}
	}
	s.rooms = append(s.rooms, in)
	s.mu.Unlock()
	if err := in.updateSubscription(); err != nil {
		s.Leave(name)
		return fmt.Errorf("join %s: %w", name, err)
	}
	return nil
}

// index returns the position of a room, or -1; s.mu is held.
func (s *Socket) index(room string) int {
	return slices.IndexFunc(s.rooms, func(in membership) bool { return in.name == room })
}

// Leave removes the socket from a room. After it returns, the client gets no more
// messages of the room.
func (s *Socket) Leave(name string) {
	s.mu.Lock()
	i := s.index(name)
	if i < 0 {
		s.mu.Unlock()
		return
	}
	r := s.rooms[i].room
	s.rooms = slices.Delete(s.rooms, i, i+1)
	s.early = slices.DeleteFunc(s.early, func(e held) bool { return e.room == r })
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
	for i, in := range s.rooms {
		names[i] = in.name
	}
	return names
}

// Emit sends an event to this client only.
func (s *Socket) Emit(event string, args ...any) error { return s.emit(false, event, args) }

// EmitVolatile is Emit for an event that a slow client need not get, and that is not sent
// again to one that was cut off.
func (s *Socket) EmitVolatile(event string, args ...any) error { return s.emit(true, event, args) }

func (s *Socket) emit(droppable bool, event string, args []any) error {
	if err := s.ns.check(event, args); err != nil {
		return err
	}
	m, err := encodeEvent(droppable, s.ns.name, noAck, event, args)
	if err != nil {
		return fmt.Errorf("emit %s: %w", event, err)
	}
	if s.pid != "" && !droppable {
		s.ns.history.sendOne(s, m)
	} else {
		s.send(nil, m)
	}
	return nil
}

// Ask sends an event and waits for the client's acknowledgement.
func (s *Socket) Ask(ctx context.Context, event string, args ...any) (Event, error) {
	answer := make(chan Event, 1)
	s.mu.Lock()
	if s.gone || s.parked.Load() {
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
	s.send(nil, m)
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
	for _, in := range rooms {
		in.remove(s)
	}
	s.closeAsks()
	s.mu.Unlock()
	for _, in := range rooms {
		_ = in.updateSubscription() // only subscribing fails
	}
	return true
}

// closeAsks ends calls of Ask; s.mu is held.
func (s *Socket) closeAsks() {
	for _, answer := range s.asks {
		close(answer)
	}
	s.asks = nil
}
