package socketio

import (
	"encoding/json"
	"slices"
	"time"
)

// Connection state recovery, as in protocol v5: a client that lost its connection
// connects again as the same socket and gets the events that it missed.
//
// It is for clients that ask for it with {"recover": true} in the auth object, because
// most events then have an argument more, the offset. They get a pid with CONNECT and
// send it with the offset of their last event to recover.
//
// Meanwhile the old socket is parked: it stays in its rooms, so that rights to them are
// checked as always, and whoever removes or disconnects it ends the recovery. A pid is
// of one connection at a time, and works only with a token of the same session on the same
// node.

const (
	maxParked        = 10_000
	maxParkedPerUser = 20
)

// accidents are the reasons of a disconnect that a client can recover from.
var accidents = []string{"transport close", "transport error", "ping timeout"}

// recoveryRequest is what a client says of recovery when it connects.
type recoveryRequest struct {
	wanted      bool
	pid, offset string
}

func readRecovery(auth []byte) (p recoveryRequest) {
	var in struct {
		Recover any `json:"recover"`
		PID     any `json:"pid"`
		Offset  any `json:"offset"`
	}
	_ = json.Unmarshal(auth, &in)                         // authenticate has read it before
	p.wanted = in.Recover == true || in.Recover == "true" // some clients can send only strings
	p.pid, _ = in.PID.(string)
	p.offset, _ = in.Offset.(string)
	return p
}

// park keeps a socket whose connection broke, so that its client can recover. It is false
// if the socket has to be removed.
func (s *Server) park(so *Socket, reason string) bool {
	user := so.User()
	if so.pid == "" || user == "" || !slices.Contains(accidents, reason) {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ending || s.waiting >= maxParked || !so.park() {
		return false
	}
	s.remove(so, user)
	if all := s.parked[user]; len(all) >= maxParkedPerUser {
		all[0].timer.Reset(0)
	}
	so.timer = time.AfterFunc(s.cfg.RecoverFor, func() { so.client.drop(so, "not recovered", 0) })
	s.parked[user] = append(s.parked[user], so)
	s.waiting++
	return true
}

// unpark removes a socket from those that can recover; s.mu is held.
func (s *Server) unpark(so *Socket, user string) {
	i := slices.Index(s.parked[user], so)
	if i < 0 {
		return
	}
	so.timer.Stop()
	s.waiting--
	if s.parked[user] = slices.Delete(s.parked[user], i, i+1); len(s.parked[user]) == 0 {
		delete(s.parked, user)
	}
}

// forget ends the recovery of a parked socket.
func (s *Server) forget(so *Socket) {
	user := so.User()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unpark(so, user)
}

// take returns the socket with the pid if the same session has opened it, and only once.
// It may be one whose connection broke before the server has noticed.
func (s *Server) take(ns *Namespace, who Identity, pid string) *Socket {
	if pid == "" || who.Session == "" {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	isIt := func(so *Socket) bool { return so.ns == ns && so.pid == pid && so.identity().Session == who.Session }
	if i := slices.IndexFunc(s.parked[who.User], isIt); i >= 0 {
		so := s.parked[who.User][i]
		s.unpark(so, who.User)
		return so
	}
	if i := slices.IndexFunc(s.users[who.User], isIt); i >= 0 {
		if so := s.users[who.User][i]; so.park() {
			s.remove(so, who.User)
			return so
		}
	}
	return nil
}

// resume makes a new socket the continuation of an earlier one, if the client may.
func (c *client) resume(so *Socket, p recoveryRequest) {
	old := c.srv.take(so.ns, so.who, p.pid)
	if old == nil {
		return
	}
	if !c.expired(old.identity()) {
		so.inherit(old, so.ns.history.parse(p.offset))
	}
	old.leaveAll()
	old.client.session.Cut("transport close")
}

// park disconnects the socket but leaves it in its rooms; false if it is gone or parked.
func (s *Socket) park() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gone || !s.connected.Load() {
		return false
	}
	s.parked.Store(true)
	s.connected.Store(false)
	s.closeAsks()
	for _, in := range s.rooms {
		in.changed()
	}
	return true
}

// inherit takes over the id and the rooms of a parked socket and what its client missed
// after a position. It does nothing if some of that is no longer known. The new socket
// isn't connected yet: a room that it leaves until then takes its events along.
func (s *Socket) inherit(old *Socket, after int64) {
	h := s.ns.history
	h.mu.Lock() // no event is sent meanwhile: each is either missed, or sent to the new socket
	defer h.mu.Unlock()
	old.mu.Lock()
	defer old.mu.Unlock()
	missed, ok := h.missed(old, after)
	if !ok || old.gone {
		return
	}
	s.id, s.pid, s.recovered = old.id, old.pid, true
	s.rooms, s.early = slices.Clone(old.rooms), missed
	for _, in := range s.rooms {
		in.put(s)
	}
}

// Outdate ends the replay of what was sent to a room until now. A client that has missed some
// of it can't recover.
func (s *Socket) Outdate(room string) {
	if s.pid == "" {
		return
	}
	newest := s.ns.history.newest()
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := s.index(room); i >= 0 {
		s.rooms[i].stale = newest
	}
}

// Recovered reports whether the socket continues an earlier one, with its rooms.
func (s *Socket) Recovered() bool { return s.recovered }
