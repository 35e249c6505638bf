package tracking

import (
	"context"
	"time"

	"homeroom/internal/feature/transport"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
	"homeroom/internal/platform/page"
)

// liveBus is the public part of a bus.
type liveBus struct {
	ID             id.ID    `json:"id"`
	RegistrationNo string   `json:"registrationNo"`
	Name           opt.Text `json:"name"`
}

// location is the last known position of a bus.
type location struct {
	Lat       float64   `json:"lat"`
	Lng       float64   `json:"lng"`
	Speed     float64   `json:"speed"`
	Heading   float64   `json:"heading"`
	Timestamp time.Time `json:"timestamp"`
	TripID    *id.ID    `json:"tripId" doc:"The trip of this position."`
	IsStale   bool      `json:"isStale" doc:"Older than a minute."`
}

func locationOf(f Fix, trip *id.ID, now time.Time) *location {
	if f.At.IsZero() {
		return nil
	}
	return &location{f.Lat, f.Lng, f.Speed, f.Heading, f.At, trip, now.Sub(f.At) > stale}
}

// liveStop is a stop with its arrival time.
type liveStop struct {
	ID             id.ID      `json:"id"`
	Name           string     `json:"name"`
	Lat            float64    `json:"lat"`
	Lng            float64    `json:"lng"`
	Order          int        `json:"order" doc:"Order of the morning trip. The list itself is in the order of this trip."`
	PlannedAt      *time.Time `json:"plannedAt"`
	EtaSeconds     *int       `json:"etaSeconds" doc:"From now; null if reached or unknown."`
	DistanceMeters *int       `json:"distanceMeters"`
	ReachedAt      *time.Time `json:"reachedAt"`
}

type liveOut struct {
	Bus          liveBus         `json:"bus"`
	Trip         *transport.Trip `json:"trip" doc:"The running trip, or else the last one today."`
	Location     *location       `json:"location" doc:"Without a running trip, only administrators and the driver see it."`
	NextStop     *nextStop       `json:"nextStop"`
	DelaySeconds *int            `json:"delaySeconds" doc:"At the next stop; negative if early, null without planned times."`
	Stops        []liveStop      `json:"stops"`
}

type busIn struct {
	BusID id.ID `path:"busId"`
}

func (s *Service) live(ctx context.Context, who actor.Actor, in busIn) (out liveOut, err error) {
	q := s.DB.School(who.School)
	bus, err := transport.MaySeeBus(ctx, q, who, in.BusID, s.Now())
	if err != nil {
		return out, err
	}
	out = liveOut{Bus: liveBus{bus.ID, bus.RegistrationNo, bus.Name}, Stops: []liveStop{}}
	shown, err := s.show(ctx, s.tracker(who.School, bus.ID), seesIdle(who), &out)
	if err != nil || shown {
		return out, err
	}
	err = s.showIdle(ctx, q, who, bus, &out)
	return out, err
}

// seesIdle reports whether the caller may see a bus without a running trip. Drivers
// see only their own bus anyway.
func seesIdle(who actor.Actor) bool { return who.Role == actor.SchoolAdmin || who.Role == actor.Driver }

// show fills out from the tracker, and reports whether the bus is on a trip.
func (s *Service) show(ctx context.Context, t *tracker, idle bool, out *liveOut) (bool, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.refresh(ctx, s); err != nil {
		return false, err
	}
	now := s.Now()
	if idle || t.underWay() {
		out.Location = locationOf(t.gate.last, t.onTrip, now)
	}
	if t.run == nil {
		return false, nil
	}
	trip := t.run.trip
	out.Trip, out.NextStop, out.DelaySeconds = &trip, t.nextStop(now), t.run.delay()
	zone := t.run.journey.Zone()
	for i, a := range t.run.journey.Arrivals() {
		stop := stopOf(t.run.stops[i], trip, zone)
		switch {
		case a.Reached:
			stop.ReachedAt = &a.At
		case !a.At.IsZero():
			seconds, meters := secondsTo(a.At, now), a.Meters
			stop.EtaSeconds, stop.DistanceMeters = &seconds, &meters
		}
		out.Stops = append(out.Stops, stop)
	}
	return true, nil
}

func stopOf(stop transport.Stop, trip transport.Trip, zone *time.Location) liveStop {
	out := liveStop{ID: stop.ID, Name: stop.Name, Lat: stop.Lat, Lng: stop.Lng, Order: stop.Position}
	if at := planned(trip, stop, zone); !at.IsZero() {
		at = at.UTC()
		out.PlannedAt = &at
	}
	return out
}

// showIdle fills out for a bus without a running trip.
func (s *Service) showIdle(ctx context.Context, q db.Q, who actor.Actor, bus transport.Bus, out *liveOut) error {
	trip, was, err := lastTrip(ctx, q, bus.ID, s.Now())
	if err != nil {
		return err
	}
	if was && trip.Date == clock.DateIn(s.Now(), who.Zone) {
		out.Trip = &trip
	}
	if bus.RouteID == nil {
		return nil
	}
	stops, err := transport.RouteStops(ctx, q, *bus.RouteID)
	for _, stop := range stops {
		out.Stops = append(out.Stops, liveStop{ID: stop.ID, Name: stop.Name, Lat: stop.Lat, Lng: stop.Lng, Order: stop.Position})
	}
	return err
}

// running is a running trip on the dashboard.
type running struct {
	ID             id.ID            `json:"-"`
	BusID          id.ID            `json:"-"`
	RegistrationNo string           `json:"-"`
	BusName        string           `json:"-"`
	Trip           tripNow          `json:"trip" db:"-"`
	Bus            liveBus          `json:"bus" db:"-"`
	Location       *location        `json:"location" db:"-"`
	NextStop       *nextStop        `json:"nextStop" db:"-"`
	DelaySeconds   *int             `json:"delaySeconds"`
	RouteID        id.ID            `json:"-"`
	RouteName      string           `json:"-"`
	DriverName     string           `json:"-"`
	Type           transport.Type   `json:"-"`
	Status         transport.Status `json:"-"`
	StartedAt      *time.Time       `json:"-"`
	TripID         *id.ID           `json:"-"`
	At             *time.Time       `json:"-"`
	Lat            *float64         `json:"-"`
	Lng            *float64         `json:"-"`
	Speed          *float64         `json:"-"`
	Heading        *float64         `json:"-"`
	NextStopID     *id.ID           `json:"-"`
	NextStopName   *string          `json:"-"`
	NextStopAt     *time.Time       `json:"-"`
	NextMeters     *int             `json:"-"`
}

// tripNow is the summary of a trip on the dashboard.
type tripNow struct {
	ID         id.ID            `json:"id"`
	RouteID    id.ID            `json:"routeId"`
	RouteName  string           `json:"routeName"`
	DriverName opt.Text         `json:"driverName"`
	Type       transport.Type   `json:"type" enum:"pickup,dropoff"`
	Status     transport.Status `json:"status" enum:"in_progress,paused"`
	StartedAt  *time.Time       `json:"startedAt"`
}

func (s *Service) board(ctx context.Context, who actor.Actor, in page.Ask[struct{}]) (page.Of[running], error) {
	out, err := db.Page[running](ctx, s.DB.School(who.School), db.List{
		Columns: `t.id, t.bus_id, b.registration_no, b.name AS bus_name, t.route_id, r.name AS route_name,
			TRIM(e.first_name || ' ' || e.last_name) AS driver_name, t.type, t.status, t.started_at,
			p.trip_id, p.at, p.lat, p.lng, p.speed, p.heading, p.delay_seconds,
			p.next_stop_id, n.name AS next_stop_name, p.next_stop_at, p.next_meters`,
		From: `trips t
			JOIN buses b ON b.school_id = t.school_id AND b.id = t.bus_id
			JOIN routes r ON r.school_id = t.school_id AND r.id = t.route_id
			JOIN employees e ON e.school_id = t.school_id AND e.id = t.driver_id
			LEFT JOIN bus_positions p ON p.school_id = t.school_id AND p.bus_id = t.bus_id
			LEFT JOIN route_stops n ON n.school_id = p.school_id AND n.id = p.next_stop_id
			WHERE t.school_id = :school AND t.status IN ('in_progress', 'paused')`,
		Sorts:   map[string]string{"registrationNo": "b.registration_no", "startedAt": "t.started_at", "id": "t.id"},
		Default: "registrationNo",
	}, in.Request, nil)
	for i := range out.Items {
		s.complete(who.School, &out.Items[i])
	}
	return out, err
}

// complete fills a row of the dashboard with newer data of this node's tracker.
func (s *Service) complete(school id.ID, r *running) {
	now := s.Now()
	r.Bus = liveBus{r.BusID, r.RegistrationNo, opt.Text(r.BusName)}
	r.Trip = tripNow{r.ID, r.RouteID, r.RouteName, opt.Text(r.DriverName), r.Type, r.Status, r.StartedAt}
	ofTrip := r.TripID != nil && *r.TripID == r.ID
	if r.At != nil {
		r.Location = locationOf(Fix{*r.At, *r.Lat, *r.Lng, *r.Speed, *r.Heading}, r.TripID, now)
	}
	if ofTrip && r.NextStopID != nil && r.NextStopName != nil && r.NextStopAt != nil {
		r.NextStop = &nextStop{*r.NextStopID, *r.NextStopName, secondsTo(*r.NextStopAt, now), *r.NextMeters}
	}
	if !ofTrip {
		r.DelaySeconds = nil
	}
	s.mu.Lock()
	t := s.buses[busKey{school, r.BusID}]
	s.mu.Unlock()
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if newer := locationOf(t.gate.last, t.onTrip, now); newer != nil && (r.At == nil || newer.Timestamp.After(*r.At)) {
		r.Location = newer
		if t.run != nil && t.run.trip.ID == r.ID {
			r.NextStop, r.DelaySeconds = t.nextStop(now), t.run.delay()
		}
	}
}
