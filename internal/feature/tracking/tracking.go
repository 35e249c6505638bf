// Package tracking follows the buses: where each is, where it was, and when it
// will be at its stops.
//
// Positions come over a socket (socket.go), one after another, or in batches
// after a time without connection (http.go). Whoever watches is in rooms of
// buses (room.go), and leaves them when package live finds that the right to be
// there has ended (right.go). Each bus has a tracker in memory (tracker.go), which decides what moves it and follows it along its route;
// what was seen is written once a second for all buses together (flush.go).
// Nodes tell each other nothing but what they write and what they broadcast: a
// tracker that no driver of its own node feeds reads on from the database.
//
// fix.go has the rules for single positions; package eta those for times of
// arrival. report.go tells of a trip when it is over, and learns from it.
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

// Topic is where changes of trips are announced to every node: a school's id, a
// slash and a bus's.
const Topic = "tracking"

var (
	errNotStarted = fault.New(fault.Conflict, "", "This trip has not started. Start it, then send its positions.")
	errNotJoined  = fault.New(fault.Conflict, "", "Join the room of your bus first, with join-bus-room.")
	errNoRead     = fault.Denied("Your role does not have this permission. Ask your school's administrator.")
)

// Options are what a Service stands on.
type Options struct {
	DB        *db.DB
	Audit     *audit.Service
	Transport *transport.Service
	Live      *live.Service
	Now       clock.Now
	Log       *slog.Logger
}

// Service follows the buses. Make it with New, give it its sockets with Serve,
// and have Run going; Flush writes what Run has not.
type Service struct {
	Options
	sockets *socketio.Server // nil: nobody listens

	mu    sync.Mutex
	buses map[busKey]*tracker

	pending  pending
	flushing sync.Mutex
}

type busKey struct{ school, bus id.ID }

// New makes a service that has seen nothing.
func New(o Options) *Service {
	s := &Service{Options: o, buses: map[busKey]*tracker{}}
	o.Live.AddGuard(s.keepRooms)
	o.DB.Listen(Topic, s.onSignal)
	o.DB.Listen(people.ReachTopic, s.onReach)
	return s
}

// tracker is the one of a bus.
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

// forget drops the trackers that nobody has asked for in a while.
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
