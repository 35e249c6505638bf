package engine

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"homeroom/internal/platform/socketio/ws"
)

// ErrFormat is a packet that can't be read. Receivers return it too.
var ErrFormat = errors.New("invalid packet")

// Session is one client's connection, over whichever transport.
type Session struct {
	mu        sync.Mutex // of what follows; what Send needs is together
	closed    bool
	flushing  bool   // a goroutine writes out
	waiting   bool   // for a pong
	lingers   bool   // closed, and kept until a poll has told the client
	last      byte   // after closing: what the next poll is told; 0: nothing
	wire      *wire  // nil while the session polls
	doomed    string // why the timer is to close it
	out       queue
	candidate *wire         // a WebSocket that has been probed and is not in use yet
	poll      chan struct{} // of the poll that waits: closed to wake it
	timer     *time.Timer
	due       time.Time // when the next ping is to go out, or the pong to be in
	alarm     time.Time // zero: none

	srv               *Server
	id                string
	ip, authorization string
	from              netip.Prefix // the address it counts for
	up                Receiver
	trusted           atomic.Bool
	reading           sync.Mutex // held by whoever takes packets in: a post, or the wire
}

// ending is how a session ends.
type ending struct {
	reason string
	code   ws.Code       // tells a client on WebSocket after it has taken the rest; 0: cut off
	last   byte          // tells a client that polls; 0: its next poll finds no session
	grace  time.Duration // for taking the rest; 0: linger
}

// ID is the session's id, a secret of its client.
func (s *Session) ID() string { return s.id }

// IP is where the session was opened from.
func (s *Session) IP() string { return s.ip }

// Authorization is the header of that name in the request that opened the session.
func (s *Session) Authorization() string { return s.authorization }

// Trust tells that the client is known: it may send messages of full size and
// is no more counted as a stranger.
func (s *Session) Trust() { s.trust(true) }

func (s *Session) trust(known bool) {
	if !s.trusted.Swap(true) {
		s.srv.strangers.leave(s.from, known)
	}
}

func (s *Session) limit() int {
	if s.trusted.Load() {
		return s.srv.cfg.MaxPayload
	}
	return min(strangerLimit, s.srv.cfg.MaxPayload)
}

func (s *Session) opening(upgrades string) string {
	c := &s.srv.cfg
	raw, _ := json.Marshal(s.id)
	return fmt.Sprintf(`%c{"sid":%s,"upgrades":%s,"pingInterval":%d,"pingTimeout":%d,"maxPayload":%d}`,
		typeOpen, raw, upgrades, c.PingInterval.Milliseconds(), c.PingTimeout.Milliseconds(), c.MaxPayload)
}

func (s *Session) start() {
	s.up = s.srv.cfg.Open(s)
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	s.due = now.Add(s.srv.cfg.PingInterval)
	s.timer = time.AfterFunc(s.srv.cfg.PingInterval, s.tick)
	s.arm(now)
}

// AlarmAt sets the time at which the receiver's Alarm is called, in place of any
// set before; the zero time sets none.
func (s *Session) AlarmAt(t time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.alarm = t
	if s.timer != nil && !s.closed {
		s.arm(time.Now())
	}
}

// arm sets the timer, of which a session has only one, to what comes next; s.mu is held.
func (s *Session) arm(now time.Time) {
	next := s.due
	if !s.alarm.IsZero() && s.alarm.Before(next) {
		next = s.alarm
	}
	if s.doomed != "" {
		next = now
	}
	s.timer.Reset(next.Sub(now))
}

func (s *Session) tick() {
	s.mu.Lock()
	if s.closed {
		over := s.lingers
		s.lingers = false
		s.mu.Unlock()
		if over {
			s.srv.forget(s)
			s.srv.crew.leave()
		}
		return
	}
	now, reason := time.Now(), s.doomed
	if reason == "" && !now.Before(s.due) {
		if s.waiting {
			reason = "ping timeout"
		} else {
			s.waiting, s.due = true, now.Add(s.srv.cfg.PingTimeout)
			s.send(s.srv.ping)
		}
	}
	rings := !s.alarm.IsZero() && !now.Before(s.alarm)
	if rings {
		s.alarm = time.Time{}
	}
	s.arm(now)
	s.mu.Unlock()
	if reason != "" {
		s.close(ending{reason: reason})
	} else if rings {
		s.up.Alarm()
	}
}

// doom has the session closed soon, by the timer: the caller may hold locks; s.mu is held.
func (s *Session) doom(reason string) {
	if s.doomed == "" && !s.closed {
		s.doomed, s.out = reason, queue{}
		s.timer.Reset(0)
	}
}

// Cut has the session closed at once, without the rest. It does not wait, so the
// caller may hold locks that its receiver needs.
func (s *Session) Cut(reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.doom(reason)
}

// Close lets the client take what waits for it and ends the session.
func (s *Session) Close(reason string) {
	s.close(ending{reason: reason, code: ws.Normal, last: typeClose})
}

func (s *Session) close(e ending) {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return
	}
	s.closed = true
	s.timer.Stop()
	if s.doomed != "" {
		e = ending{reason: s.doomed}
	}
	w, cut := s.wire, e.code == 0
	s.lingers = w == nil && e.last != 0 && s.poll == nil
	if w != nil && !cut {
		s.part(e)
	}
	if w != nil && cut || w == nil && s.poll == nil && !s.lingers {
		s.out = queue{} // nobody will take it
	}
	if s.lingers {
		s.srv.crew.join()
		s.timer.Reset(cmp.Or(e.grace, linger))
	} else {
		s.srv.forget(s)
	}
	s.last = e.last
	s.wake()
	s.mu.Unlock()
	if w != nil && cut {
		w.nc.Close()
	}
	s.trust(false) // a closed session has no place
	s.up.Closed(e.reason)
}

// part writes the rest and a close frame; the reader ends when the client
// answers, at the latest when its grace is over. s.mu is held.
func (s *Session) part(e ending) {
	s.out.items = append(s.out.items, &Message{frames: ws.AppendClose(nil, e.code)})
	_ = s.wire.nc.SetDeadline(time.Now().Add(cmp.Or(e.grace, linger))) // fails on a closed connection only
	s.startFlush()
}

// packet takes a text packet in; s.reading is held.
func (s *Session) packet(b []byte) error {
	if len(b) == 0 {
		return ErrFormat
	}
	switch b[0] {
	case typePong:
		s.pong()
		return nil
	case typeClose:
		return io.EOF
	case typeMessage:
		return s.up.Text(b[1:])
	}
	return ErrFormat
}

func (s *Session) pong() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.waiting && !s.closed {
		now := time.Now()
		s.waiting, s.due = false, now.Add(s.srv.cfg.PingInterval)
		s.arm(now)
	}
}

func (s *Session) isClosed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}
