package live

import (
	"context"
	"errors"
	"hash/fnv"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"homeroom/internal/feature/access"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/socketio"
)

// The right to be in a room is checked again on every signal that may have ended
// it, when the token is renewed, and once a minute in case a signal was lost. Sockets
// that were cut off and can recover are checked like the others.

const (
	checkPause = 200 * time.Millisecond // between two checks, so that many signals cause one check
	checkSlots = 60                     // every second checks one slot, so each school is checked once a minute
	askAtOnce  = 8                      // sessions read concurrently
)

// Present is a socket with its current account.
type Present struct {
	Socket *socketio.Socket
	Who    actor.Actor
}

// Guard removes sockets of a school from a feature's rooms that they may no longer
// be in, and tells them with TellLeft.
type Guard func(ctx context.Context, school id.ID, present []Present) error

// AddGuard adds the guard of a feature's rooms. Call it before Serve.
func (s *Service) AddGuard(g Guard) { s.guards = append(s.guards, g) }

// checkSet selects the sockets whose rights may have ended.
type checkSet struct {
	all     bool
	schools map[id.ID]bool
	users   map[string]bool
	rooms   map[string]bool
	slots   [checkSlots]bool // of schools
}

// checkQueue collects the sockets to check.
type checkQueue struct {
	signals atomic.Int64 // received so far
	wake    chan struct{}

	mu   sync.Mutex
	next *checkSet // nil if empty
}

// add adds to the next check and triggers it.
func (q *checkQueue) add(note func(*checkSet)) {
	q.later(note)
	q.signals.Add(1)
	select {
	case q.wake <- struct{}{}:
	default: // already triggered
	}
}

// later adds to the next check without triggering it.
func (q *checkQueue) later(note func(*checkSet)) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.next == nil {
		q.next = &checkSet{schools: map[id.ID]bool{}, users: map[string]bool{}, rooms: map[string]bool{}}
	}
	note(q.next)
}

func (q *checkQueue) take() *checkSet {
	q.mu.Lock()
	defer q.mu.Unlock()
	taken := q.next
	q.next = nil
	return taken
}

// Signals counts the signals that may end rights. Compare it before and after joining
// a room: if it changed, check the right again.
func (s *Service) Signals() int64 { return s.queue.signals.Load() }

// CheckAll triggers a check of every socket.
func (s *Service) CheckAll() { s.queue.add(func(c *checkSet) { c.all = true }) }

// CheckRoom triggers a check of the sockets in a room.
func (s *Service) CheckRoom(room string) { s.queue.add(func(c *checkSet) { c.rooms[room] = true }) }

func (s *Service) checkSchool(school id.ID) {
	s.queue.add(func(c *checkSet) { c.schools[school] = true })
}

// onUser handles a changed account or session, on any node.
func (s *Service) onUser(sig db.Signal) {
	user, ok := strings.CutPrefix(sig.Payload, "user:")
	if sig.Lost || !ok {
		s.CheckAll()
		return
	}
	s.queue.add(func(c *checkSet) { c.users[user] = true })
}

// onAccess handles changed roles or a changed school.
func (s *Service) onAccess(sig db.Signal) {
	school, one := access.Concerns(sig)
	if !one {
		s.CheckAll()
		return
	}
	s.checkSchool(school)
}

// onReach handles changed guardians, routes or buses.
func (s *Service) onReach(sig db.Signal) {
	if sig.Lost {
		s.outdateOwn("")
		s.CheckAll()
		return
	}
	s.outdateOwn(id.ID(sig.Payload))
	s.checkSchool(id.ID(sig.Payload))
}

// concerns reports whether a socket is in the set.
func (c *checkSet) concerns(so *socketio.Socket) bool {
	school := passOf(so).school
	if c.all || c.schools[school] || c.users[so.User()] || c.slots[slotOf(school)] {
		return true
	}
	return len(c.rooms) > 0 && slices.ContainsFunc(so.Rooms(), func(room string) bool { return c.rooms[room] })
}

func slotOf(school id.ID) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(school)) // never fails
	return int(h.Sum32() % checkSlots)
}

// keepRights checks the queued sockets, and those of every school once a minute,
// until ctx ends.
func (s *Service) keepRights(ctx context.Context) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for seen := s.Now(); ctx.Err() == nil; {
		select {
		case <-ctx.Done():
			return
		case <-s.queue.wake:
		case <-tick.C:
			now := s.Now()
			for at := max(seen.Unix(), now.Unix()-checkSlots) + 1; at <= now.Unix(); at++ {
				s.queue.later(func(c *checkSet) { c.slots[at%checkSlots] = true })
			}
			seen = now
		}
		s.checkQueued(ctx)
		select {
		case <-ctx.Done():
		case <-time.After(checkPause):
		}
	}
}

// checkQueued checks the queued sockets. Schools that fail are retried with the next check.
func (s *Service) checkQueued(ctx context.Context) {
	c := s.queue.take()
	if c == nil {
		return
	}
	of := map[id.ID][]*socketio.Socket{}
	for _, so := range s.sockets.Sockets() {
		if c.concerns(so) {
			school := passOf(so).school
			of[school] = append(of[school], so)
		}
	}
	for school, list := range of {
		if err := s.check(ctx, school, list); err != nil && ctx.Err() == nil {
			s.Log.ErrorContext(ctx, "socket permissions not checked, will retry", "school", school, "error", err)
			s.queue.later(func(c *checkSet) { c.schools[school] = true })
		}
	}
}

// check disconnects the sockets of a school whose tokens are no longer valid, and
// removes the others from rooms that they may not be in.
func (s *Service) check(ctx context.Context, school id.ID, list []*socketio.Socket) error {
	who, errs := s.owners(ctx, list)
	var failed error
	var present []Present
	for i, so := range list {
		switch err := errs[i]; {
		case err != nil && refused(err):
			so.Disconnect()
			continue
		case err != nil:
			failed = err
			continue
		}
		if err := joinOwn(so, who[i]); err != nil && !errors.Is(err, socketio.ErrGone) {
			failed = err
		}
		present = append(present, Present{so, who[i]})
	}
	for _, guard := range s.guards {
		failed = errors.Join(failed, guard(ctx, school, present))
	}
	return failed
}

// checkOne checks one socket. It repeats if a signal came meanwhile, because
// keepRights may have handled that signal before the socket was in its rooms.
func (s *Service) checkOne(ctx context.Context, so *socketio.Socket) error {
	for {
		signals := s.Signals()
		if err := s.check(ctx, passOf(so).school, []*socketio.Socket{so}); err != nil || s.Signals() == signals {
			return err
		}
	}
}

// refused reports whether an error ends the session; others are internal.
func refused(err error) bool {
	switch fault.From(err).Kind {
	case fault.Unauthenticated, fault.Forbidden, fault.NotFound:
		return true
	}
	return false
}

// owners returns the current account of each socket, or its error.
func (s *Service) owners(ctx context.Context, list []*socketio.Socket) ([]actor.Actor, []error) {
	who, errs := make([]actor.Actor, len(list)), make([]error, len(list))
	var next atomic.Int64
	var all sync.WaitGroup
	for range min(askAtOnce, len(list)) {
		all.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(list); i = int(next.Add(1)) - 1 {
				who[i], errs[i] = s.Who(ctx, list[i])
			}
		})
	}
	all.Wait()
	return who, errs
}
