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

// What let a socket into a room is checked again on every signal that it could
// have ended, when the token is renewed, and once a minute in case a signal was
// forgotten or lost.

const (
	checkPause = 200 * time.Millisecond // between two checks, so that many signals cause one
	checkSlots = 60                     // each second has its share of the schools to check
	askAtOnce  = 8                      // sessions that are read at the same time
)

// Present is a socket with whose it is, as of now.
type Present struct {
	Socket *socketio.Socket
	Who    actor.Actor
}

// Guard takes sockets of a school out of a feature's rooms that they may no longer
// be in, and tells them with TellLeft.
type Guard func(ctx context.Context, school id.ID, present []Present) error

// AddGuard adds the guard of a feature's rooms. Call it before Serve.
func (s *Service) AddGuard(g Guard) { s.guards = append(s.guards, g) }

// doubt is whose rights may have ended.
type doubt struct {
	all     bool
	schools map[id.ID]bool
	users   map[string]bool
	rooms   map[string]bool
	slots   [checkSlots]bool // of schools
}

// doubts collects what is to be checked.
type doubts struct {
	signals atomic.Int64 // heard so far
	wake    chan struct{}

	mu   sync.Mutex
	next *doubt // nil: nothing
}

// add notes a doubt and has it checked.
func (d *doubts) add(note func(*doubt)) {
	d.later(note)
	d.signals.Add(1)
	select {
	case d.wake <- struct{}{}:
	default: // it is awake
	}
}

// later notes a doubt for the next check, whenever that is.
func (d *doubts) later(note func(*doubt)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.next == nil {
		d.next = &doubt{schools: map[id.ID]bool{}, users: map[string]bool{}, rooms: map[string]bool{}}
	}
	note(d.next)
}

func (d *doubts) take() *doubt {
	d.mu.Lock()
	defer d.mu.Unlock()
	taken := d.next
	d.next = nil
	return taken
}

// Signals counts what was heard that may end rights. Whoever joins a room compares
// it before and after: a right that ended meanwhile must be checked again.
func (s *Service) Signals() int64 { return s.doubts.signals.Load() }

// CheckAll has the rights of every socket checked.
func (s *Service) CheckAll() { s.doubts.add(func(d *doubt) { d.all = true }) }

// CheckRoom has the rights of the sockets in a room checked.
func (s *Service) CheckRoom(room string) { s.doubts.add(func(d *doubt) { d.rooms[room] = true }) }

func (s *Service) checkSchool(school id.ID) {
	s.doubts.add(func(d *doubt) { d.schools[school] = true })
}

// onUser hears that an account or a session has changed, on whatever node.
func (s *Service) onUser(sig db.Signal) {
	user, ok := strings.CutPrefix(sig.Payload, "user:")
	if sig.Lost || !ok {
		s.CheckAll()
		return
	}
	s.doubts.add(func(d *doubt) { d.users[user] = true })
}

// onAccess hears that roles, or a school itself, have changed.
func (s *Service) onAccess(sig db.Signal) {
	school, one := access.Concerns(sig)
	if !one {
		s.CheckAll()
		return
	}
	s.checkSchool(school)
}

// onReach hears that links, routes or buses have changed.
func (s *Service) onReach(sig db.Signal) {
	if sig.Lost {
		s.CheckAll()
		return
	}
	s.checkSchool(id.ID(sig.Payload))
}

// concerns reports whether a socket is among those in doubt.
func (d *doubt) concerns(so *socketio.Socket) bool {
	school := passOf(so).school
	if d.all || d.schools[school] || d.users[so.User()] || d.slots[slotOf(school)] {
		return true
	}
	return len(d.rooms) > 0 && slices.ContainsFunc(so.Rooms(), func(room string) bool { return d.rooms[room] })
}

func slotOf(school id.ID) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(school)) // never fails
	return int(h.Sum32() % checkSlots)
}

// keepRights checks rights whenever they are in doubt, and those of every school
// once a minute, until ctx ends.
func (s *Service) keepRights(ctx context.Context) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for seen := s.Now(); ctx.Err() == nil; {
		select {
		case <-ctx.Done():
			return
		case <-s.doubts.wake:
		case <-tick.C:
			now := s.Now()
			for at := max(seen.Unix(), now.Unix()-checkSlots) + 1; at <= now.Unix(); at++ {
				s.doubts.later(func(d *doubt) { d.slots[at%checkSlots] = true })
			}
			seen = now
		}
		s.checkDoubts(ctx)
		select {
		case <-ctx.Done():
		case <-time.After(checkPause):
		}
	}
}

// checkDoubts checks everything in doubt. What can't be read now is checked again
// with the next second's share.
func (s *Service) checkDoubts(ctx context.Context) {
	d := s.doubts.take()
	if d == nil {
		return
	}
	of := map[id.ID][]*socketio.Socket{}
	for _, so := range s.sockets.Sockets() {
		if d.concerns(so) {
			school := passOf(so).school
			of[school] = append(of[school], so)
		}
	}
	for school, list := range of {
		if err := s.check(ctx, school, list); err != nil && ctx.Err() == nil {
			s.Log.ErrorContext(ctx, "the rights of sockets could not be checked, trying again", "school", school, "error", err)
			s.doubts.later(func(d *doubt) { d.schools[school] = true })
		}
	}
}

// check disconnects those sockets of a school whose tokens are good no longer,
// and takes the others out of the rooms that they may not be in.
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

// checkOne does so for one socket. It does so again where a signal came meanwhile,
// which others may have acted on before this was done.
func (s *Service) checkOne(ctx context.Context, so *socketio.Socket) error {
	for {
		signals := s.Signals()
		if err := s.check(ctx, passOf(so).school, []*socketio.Socket{so}); err != nil || s.Signals() == signals {
			return err
		}
	}
}

// refused tells an error that ends a session from one of ours.
func refused(err error) bool {
	switch fault.From(err).Kind {
	case fault.Unauthenticated, fault.Forbidden, fault.NotFound:
		return true
	}
	return false
}

// owners finds out whose sockets they are, as of now.
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
