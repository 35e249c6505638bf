// Package tracking tracks the buses: current position, past tracks and arrival
// times at stops.
//
// Positions arrive one by one over a socket (socket.go), or in batches after a time
// offline (http.go). Watchers join the rooms of buses (room.go); package live
// removes them when they lose the right (right.go). Each bus has a tracker in
// memory (tracker.go), which filters positions and follows the route. Positions of
// all buses are written once a second (flush.go). Nodes share only the database and
// broadcasts: a tracker without a driver on its own node reads from the database.
//
// fix.go has the rules for single positions; package eta calculates arrival times.
// report.go reports on completed trips and learns travel times from them.
package tracking

import (
	"log/slog"
	"sync"
	"time"

	"homeroom/internal/feature/audit"
	"homeroom/internal/feature/live"
	"homeroom/internal/feature/people"
	"homeroom/internal/feature/transport"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/socketio"
)

// Topic announces changes of trips to every node. The payload is
// "<school id>/<bus id>", with "/awaited" after it if only students have changed.
const Topic = "tracking"

var (
	errNotStarted = fault.New(fault.Conflict, "", "This trip has not started. Start it, then send its positions.")
	errNotJoined  = fault.New(fault.Conflict, "", "Join the room of your bus first (join-bus-room).")
	errNoRead     = fault.Denied("Your role does not have this permission. Ask your school's administrator.")
)

// Options are the dependencies of a Service.
type Options struct {
	DB        *db.DB
	Audit     *audit.Service
	Transport *transport.Service
	Live      *live.Service
	Now       clock.Now
	Log       *slog.Logger
	Keep      time.Duration // of tracks; 0: as long as the school
}

// Service tracks the buses. Create it with New, call Serve to attach sockets, and
// keep Run running; Flush writes what is still pending.
type Service struct {
	Options
	sockets *socketio.Server // nil before Serve

	mu    sync.Mutex
	buses map[busKey]*tracker

	pending  pending
	flushing sync.Mutex
}

type busKey struct{ school, bus id.ID }

// New returns a service without trackers.
func New(o Options) *Service {
	s := &Service{Options: o, buses: map[busKey]*tracker{}}
	o.Live.AddGuard(s.keepRooms)
	o.Live.OnReturn(s.onReturn)
	o.DB.Listen(Topic, s.onSignal)
	o.DB.Listen(people.ReachTopic, s.onReach)
	return s
}

// tracker returns the tracker of a bus, creating it if needed.
func (s *Service) tracker(school, bus id.ID) *tracker {
	k := busKey{school, bus}
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.buses[k]
	if t == nil {
		t = &tracker{school: school, bus: bus, drivers: map[id.ID]time.Time{}}
		s.buses[k] = t
	}
	t.used.Store(s.Now().UnixNano())
	return t
}

// forget removes trackers that have not been used for a while.
func (s *Service) forget() {
	before := s.Now().Add(-idle).UnixNano()
	s.mu.Lock()
	defer s.mu.Unlock()
	for k, t := range s.buses {
		if t.used.Load() < before {
			delete(s.buses, k)
		}
	}
}
