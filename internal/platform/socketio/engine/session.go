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

// ErrFormat is an invalid packet. Receivers return it too.
var ErrFormat = errors.New("invalid packet")

// Session is one client's connection, over either transport.
type Session struct {
	mu        sync.Mutex // guards the fields below
	closed    bool
	flushing  bool   // a goroutine writes the queue
	waiting   bool   // for a pong
	lingers   bool   // closed, but kept until a poll has told the client
	last      byte   // after closing: packet type for the next poll; 0 if none
	wire      *wire  // nil while polling
	doomed    string // reason for the timer to close it
	out       queue
	candidate *wire         // a probed WebSocket, not in use yet
	poll      chan struct{} // closed to wake the waiting poll
	timer     *time.Timer
	due       time.Time // time of the next ping, or deadline of the pong
	alarm     time.Time // zero if none

	srv               *Server
	id                string
	ip, authorization string
	languages         string       // Accept-Language of the handshake
	from              netip.Prefix // the address that it counts against
	up                Receiver
	trusted           atomic.Bool
	reading           sync.Mutex // held while handling packets, of a post or the wire
}

// ending describes how a session ends.
type ending struct {
	reason string
	code   ws.Code       // close code, sent after the queue; 0 to disconnect at once
	last   byte          // packet type for a polling client; 0: its next poll finds no session
	grace  time.Duration // time to flush the queue; default linger
}

// ID returns the session's id, a secret of its client.
func (s *Session) ID() string { return s.id }

// IP returns the client's address at the handshake.
func (s *Session) IP() string { return s.ip }

// Authorization returns the Authorization header of the handshake.
func (s *Session) Authorization() string { return s.authorization }

// Languages returns the Accept-Language header of the handshake.
func (s *Session) Languages() string { return s.languages }

// Trust marks the client as authenticated: it may send messages of full size and no
// longer counts as a stranger.
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

// AlarmAt sets the time of the receiver's Alarm and replaces an earlier one; the zero
// time cancels it.
func (s *Session) AlarmAt(t time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.alarm = t
	if s.timer != nil && !s.closed {
		s.arm(time.Now())
	}
}

// arm sets the session's only timer to the next event; s.mu is held.
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

// doom makes the timer close the session, because the caller may hold locks; s.mu is held.
func (s *Session) doom(reason string) {
	if s.doomed == "" && !s.closed {
		s.doomed, s.out = reason, queue{}
		s.timer.Reset(0)
	}
}

// Cut closes the session soon, without flushing. It does not block, so the caller may
// hold locks that the receiver needs.
func (s *Session) Cut(reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.doom(reason)
}

// Close flushes the queue and ends the session.
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
		s.out = queue{} // nobody will read it
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
	s.trust(false) // frees its place as a stranger
	s.up.Closed(e.reason)
}

// part writes the queue and a close frame. The reader ends when the client answers,
// at the latest after the grace period. s.mu is held.
func (s *Session) part(e ending) {
	s.out.items = append(s.out.items, &Message{frames: ws.AppendClose(nil, e.code)})
	_ = s.wire.nc.SetDeadline(time.Now().Add(cmp.Or(e.grace, linger))) // fails only if closed
	s.startFlush()
}

// packet handles a text packet; s.reading is held.
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
