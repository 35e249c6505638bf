package tracking

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"homeroom/internal/feature/access"
	"homeroom/internal/feature/transport"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/socketio"
)

// What let a socket into a room is looked at again on every signal that it could
// have ended, when the token is renewed, and once a minute in case a signal was
// forgotten or lost.

const (
	lookPause   = 200 * time.Millisecond // between two looks, so that many signals cause one
	lookSlots   = 60                     // each second has its share of the schools to look at
	askAtOnce   = 8                      // sessions that are read at the same time
	askTogether = 1000                   // accounts in one statement
)

// doubt is whose rights may have ended.
type doubt struct {
	all     bool
	schools map[id.ID]bool
	users   map[string]bool
	buses   map[busKey]bool
	slots   [lookSlots]bool // of schools
}

// doubts collects what is to be looked at.
type doubts struct {
	signals atomic.Int64 // heard so far
	wake    chan struct{}

	mu   sync.Mutex
	next *doubt // nil: nothing
}

// add notes a doubt and has it looked at.
func (d *doubts) add(note func(*doubt)) {
	d.later(note)
	d.signals.Add(1)
	select {
	case d.wake <- struct{}{}:
	default: // it is awake
	}
}

// later notes a doubt for the next look, whenever that is.
func (d *doubts) later(note func(*doubt)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.next == nil {
		d.next = &doubt{schools: map[id.ID]bool{}, users: map[string]bool{}, buses: map[busKey]bool{}}
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

// onUser hears that an account or a session has changed, on whatever node.
func (s *Service) onUser(sig db.Signal) {
	user, ok := strings.CutPrefix(sig.Payload, "user:")
	s.doubts.add(func(d *doubt) {
		if sig.Lost || !ok {
			d.all = true
		} else {
			d.users[user] = true
		}
	})
}

// onAccess hears that roles, or a school itself, have changed.
func (s *Service) onAccess(sig db.Signal) {
	school, one := access.Concerns(sig)
	s.doubts.add(func(d *doubt) {
		if one {
			d.schools[school] = true
		} else {
			d.all = true
		}
	})
}

// onReach hears that links, routes or buses have changed.
func (s *Service) onReach(sig db.Signal) {
	school := id.ID(sig.Payload)
	s.stale(func(k busKey) bool { return sig.Lost || k.school == school })
	s.doubts.add(func(d *doubt) {
		if sig.Lost {
			d.all = true
		} else {
			d.schools[school] = true
		}
	})
}

// concerns tells whether a socket is among those in doubt.
func (d *doubt) concerns(so *socketio.Socket) bool {
	school := passOf(so).school
	if d.all || d.schools[school] || d.users[so.User()] || d.slots[slotOf(school)] {
		return true
	}
	return len(d.buses) > 0 && slices.ContainsFunc(busesOf(so, school), func(bus id.ID) bool { return d.buses[busKey{school, bus}] })
}

func slotOf(school id.ID) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(school)) // never fails
	return int(h.Sum32() % lookSlots)
}

// keepRights looks at rights whenever they are in doubt, and at those of every
// school once a minute, until ctx ends.
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
			for at := max(seen.Unix(), now.Unix()-lookSlots) + 1; at <= now.Unix(); at++ {
				s.doubts.later(func(d *doubt) { d.slots[at%lookSlots] = true })
			}
			seen = now
		}
		s.look(ctx)
		select {
		case <-ctx.Done():
		case <-time.After(lookPause):
		}
	}
}

// look looks at everything in doubt. What can't be read now is looked at again
// with the next second's share.
func (s *Service) look(ctx context.Context) {
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
		if err := s.lookAt(ctx, school, list); err != nil && ctx.Err() == nil {
			s.Log.ErrorContext(ctx, "who may watch buses could not be looked up, trying again", "school", school, "error", err)
			s.doubts.later(func(d *doubt) { d.schools[school] = true })
		}
	}
}

// lookAt disconnects those sockets of a school whose tokens are good no longer,
// and takes the others out of the rooms that they may not be in.
func (s *Service) lookAt(ctx context.Context, school id.ID, list []*socketio.Socket) error {
	who, errs := s.owners(ctx, list)
	var failed error
	watching := map[actor.Role][]watcher{}
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
		if buses := busesOf(so, school); len(buses) > 0 {
			watching[who[i].Role] = append(watching[who[i].Role], watcher{so, who[i], buses})
		}
	}
	for role, all := range watching {
		for some := range slices.Chunk(all, askTogether) {
			failed = errors.Join(failed, s.clear(ctx, school, role, some))
		}
	}
	return failed
}

// lookAtOne does so for one socket. It does so again where a signal came meanwhile,
// which others may have acted on before this was done.
func (s *Service) lookAtOne(ctx context.Context, so *socketio.Socket) error {
	for {
		signals := s.doubts.signals.Load()
		if err := s.lookAt(ctx, passOf(so).school, []*socketio.Socket{so}); err != nil || s.doubts.signals.Load() == signals {
			return err
		}
	}
}

// watcher is a socket in rooms of buses.
type watcher struct {
	so    *socketio.Socket
	who   actor.Actor
	buses []id.ID
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
				who[i], errs[i] = s.who(ctx, list[i])
			}
		})
	}
	all.Wait()
	return who, errs
}

// clear takes sockets of one role out of the rooms of buses that they may no
// longer watch.
func (s *Service) clear(ctx context.Context, school id.ID, role actor.Role, all []watcher) error {
	users := make([]id.ID, len(all))
	for i, w := range all {
		users[i] = w.who.User
	}
	slices.Sort(users)
	sees, err := transport.Sight(ctx, s.DB.School(school), role, slices.Compact(users))
	if err != nil {
		return err
	}
	var failed error
	for _, w := range all {
		for _, bus := range w.buses {
			if w.who.Can("transport", actor.Read) && sees(w.who.User, bus) {
				if w.who.Role != actor.SchoolAdmin {
					w.so.Leave(yardRoom(school, bus))
				}
				continue
			}
			leave(w.so, school, bus)
			if err := w.so.Emit(roomLeft, joined{school, bus}); err != nil {
				failed = errors.Join(failed, fmt.Errorf("tell of a room left: %w", err))
			}
		}
	}
	return failed
}
