package tracking

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"homeroom/internal/feature/school"
	"homeroom/internal/feature/tracking/eta"
	"homeroom/internal/feature/tracking/geo"
	"homeroom/internal/feature/transport"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

const (
	idle       = time.Hour        // unused trackers are removed after this
	fedFor     = 5 * time.Second  // a tracker with positions from its own node skips the database this long
	freshFor   = time.Second      // other trackers read the database after this
	trusted    = 15 * time.Second // how long a driver check is cached
	nearMeters = 500              // default geofence of a stop
	nearTime   = 5 * time.Minute
	atStop     = 80.0 // metres: radius within which the bus is at the stop
)

// tracker is the state of one bus on this node.
type tracker struct {
	school, bus id.ID
	used        atomic.Int64 // time of last use
	changed     atomic.Bool  // trip, route or driver may have changed
	awaited     atomic.Bool  // further students may have to be told that the bus is near

	mu      sync.Mutex
	loaded  bool
	gate    gate
	onTrip  *id.ID // trip of the last position
	run     *run   // the running trip, or nil
	fed     time.Time
	synced  time.Time
	drivers map[id.ID]time.Time // accounts that may move it, and when that was checked
}

// run is a running trip.
type run struct {
	trip    transport.Trip
	stops   []transport.Stop // in the order of the trip
	journey *eta.Journey
	told    []bool // by stop: parents of those whom the bus was on its way to were notified that it is near
}

// refresh updates a tracker from the database if it may be stale.
func (t *tracker) refresh(ctx context.Context, s *Service) error {
	now := s.Now()
	changed := t.changed.Swap(false)
	if t.loaded && !changed && (now.Sub(t.fed) < fedFor || now.Sub(t.synced) < freshFor) {
		return nil
	}
	if err := t.read(ctx, s, changed); err != nil {
		t.changed.Store(true)
		return err
	}
	if changed {
		clear(t.drivers)
	}
	t.loaded, t.synced = true, now
	return nil
}

// read reads the trip of the bus, its position and track. changed: the stops may be others, too.
func (t *tracker) read(ctx context.Context, s *Service, changed bool) error {
	q := s.DB.School(t.school)
	if err := t.readRun(ctx, s, q, changed); err != nil {
		return err
	}
	p, seen, err := getPosition(ctx, q, t.bus)
	if err != nil {
		return err
	}
	if seen && p.At.After(t.gate.last.At) {
		t.gate.move(p.fix())
		t.onTrip = p.TripID
	}
	if t.run == nil {
		return nil
	}
	steps, err := listSteps(ctx, q, t.run.trip.ID, t.run.journey.Seen())
	if err != nil {
		return err
	}
	for _, f := range plausible(steps) {
		t.run.journey.Advance(f.At, f.point())
	}
	return nil
}

// readRun reads the running trip of the bus. A stop that was moved or renamed meanwhile starts
// the journey anew: read replays the track, and Alert knows who was told.
func (t *tracker) readRun(ctx context.Context, s *Service, q db.Q, changed bool) error {
	trip, err := runningTrip(ctx, q, t.bus, s.Now())
	switch {
	case errors.Is(err, transport.ErrNoTrip):
		t.run = nil
		return nil
	case err != nil:
		return err
	case t.run == nil || t.run.trip.ID != trip.ID:
		t.run, err = newRun(ctx, q, trip, s.Now())
		return err
	case changed:
		stops, err := stopsOf(ctx, q, trip)
		if err != nil {
			return err
		}
		if !reflect.DeepEqual(stops, t.run.stops) {
			t.run, err = newRun(ctx, q, trip, s.Now())
			return err
		}
	}
	t.run.trip = trip
	return nil
}

// stopsOf reads the stops of a trip, in its order.
func stopsOf(ctx context.Context, q db.Q, trip transport.Trip) ([]transport.Stop, error) {
	stops, err := transport.RouteStops(ctx, q, trip.RouteID)
	if trip.Type == transport.Dropoff {
		slices.Reverse(stops)
	}
	return stops, err
}

// newRun loads the stops, arrival times and alerts of a trip.
func newRun(ctx context.Context, q db.Q, trip transport.Trip, now time.Time) (*run, error) {
	home, err := school.Get(ctx, q)
	if err != nil {
		return nil, err
	}
	stops, err := stopsOf(ctx, q, trip)
	if err != nil {
		return nil, err
	}
	legs, err := listLegs(ctx, q, trip.RouteID, now.Add(-remembered))
	if err != nil {
		return nil, err
	}
	zone := clock.Zone(home.Timezone)
	way := make([]eta.Stop, len(stops))
	for i, stop := range stops {
		way[i] = eta.Stop{ID: string(stop.ID), At: geo.Point{Lat: stop.Lat, Lng: stop.Lng}, Reach: min(atStop, nearOf(stop)),
			Planned: planned(trip, stop, zone)}
	}
	return &run{trip: trip, stops: stops, journey: eta.New(way, zone, eta.NewHistory(legs)), told: make([]bool, len(stops))}, nil
}

// nearOf is the distance in metres that counts as near a stop.
func nearOf(stop transport.Stop) float64 {
	if stop.GeofenceMeters > 0 {
		return float64(stop.GeofenceMeters)
	}
	return nearMeters
}

// planned is the planned time of a trip at a stop; zero if there is none.
func planned(trip transport.Trip, stop transport.Stop, zone *time.Location) time.Time {
	at := stop.PickupTime
	if trip.Type == transport.Dropoff {
		at = stop.DropoffTime
	}
	if at == nil {
		return time.Time{}
	}
	t, err := time.ParseInLocation("2006-01-02 15:04", string(trip.Date)+" "+string(*at), zone)
	if err != nil {
		return time.Time{}
	}
	return t
}

// mayBeMovedBy checks that an account drives the bus. It caches success.
func (t *tracker) mayBeMovedBy(ctx context.Context, s *Service, user id.ID) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.refresh(ctx, s); err != nil {
		return err
	}
	if at, known := t.drivers[user]; known && s.Now().Sub(at) < trusted {
		return nil
	}
	delete(t.drivers, user)
	if _, err := transport.MayDriveBus(ctx, s.DB.School(t.school), user, t.bus, s.Now()); err != nil {
		return err
	}
	if t.run != nil && t.run.trip.DriverUserID != user { // one bus, one driver at a time
		return transport.ErrNotDriver
	}
	t.drivers[user] = s.Now()
	return nil
}

// take adds a fix to the track of the trip and moves the bus if the gate accepts
// it. The next flush writes it.
func (s *Service) take(ctx context.Context, t *tracker, f Fix) (moved bool, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.refresh(ctx, s); err != nil {
		return false, err
	}
	if f.point().Zero() {
		return false, nil
	}
	if t.run != nil && t.run.covers(f) {
		if err := s.pending.addStep(step{t.school, t.run.trip.ID, f}); err != nil {
			return false, err
		}
	}
	t.fed = s.Now()
	return t.move(s, f), nil
}

// covers reports whether a fix is within the time of the trip.
func (r *run) covers(f Fix) bool {
	const lead = time.Minute
	return r.trip.MayRunAt(f.At) && !f.At.Before(r.trip.StartedAt.Add(-lead))
}

// move sets the current position if the gate accepts f, and broadcasts it.
func (t *tracker) move(s *Service, f Fix) bool {
	if !t.gate.admit(f) {
		return false
	}
	t.onTrip = nil
	if t.run != nil && t.run.covers(f) {
		t.onTrip = new(t.run.trip.ID)
		// a copy: events still being written hold the pointer
		t.run.journey.Advance(t.gate.last.At, t.gate.last.point())
		s.pending.addAlerts(t.comingNear())
	}
	s.pending.setPosition(t.position())
	s.emitLocation(t)
	return true
}

// underWay reports whether the last position is of the running trip. Other positions
// are for administrators only: they may be the driver's home.
func (t *tracker) underWay() bool {
	return t.run != nil && t.onTrip != nil && *t.onTrip == t.run.trip.ID
}

// position returns the row to write.
func (t *tracker) position() position {
	l := t.gate.last
	p := position{SchoolID: t.school, BusID: t.bus, TripID: t.onTrip, At: l.At, Lat: l.Lat, Lng: l.Lng, Speed: l.Speed, Heading: l.Heading}
	if t.run == nil {
		return p
	}
	if i, ahead := t.run.journey.Next(); ahead {
		a := t.run.journey.Arrivals()[i]
		p.NextStopID, p.NextStopAt, p.NextMeters = &t.run.stops[i].ID, &a.At, a.Meters
	}
	p.DelaySeconds = t.run.delay()
	return p
}

func (r *run) delay() *int {
	d, ok := r.journey.Delay()
	if !ok {
		return nil
	}
	seconds := int(d.Seconds())
	return &seconds
}

// alert is a stop that the bus has come near to.
type alert struct {
	school, bus, trip, stop id.ID
	away                    time.Duration
}

// comingNear returns the stops that the bus has just come near to, and those it has
// passed unseen: a late alert is better than none.
func (t *tracker) comingNear() (out []alert) {
	r := t.run
	if r.trip.Status != transport.InProgress {
		return nil
	}
	if t.awaited.Swap(false) {
		clear(r.told) // Alert knows who was told
	}
	next, _ := r.journey.Next()
	for i, a := range r.journey.Arrivals() {
		away := max(0, a.At.Sub(t.gate.last.At))
		near := i < next || away <= nearTime ||
			geo.Distance(t.gate.last.point(), geo.Point{Lat: r.stops[i].Lat, Lng: r.stops[i].Lng}) <= nearOf(r.stops[i])
		if near && !r.told[i] {
			r.told[i] = true
			out = append(out, alert{t.school, t.bus, r.trip.ID, r.stops[i].ID, away})
		}
	}
	return out
}
