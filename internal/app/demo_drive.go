package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"homeroom/internal/feature/tracking"
	"homeroom/internal/feature/tracking/geo"
	"homeroom/internal/feature/transport"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/unscoped"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/jobs"
)

// simulator keeps the demo alive while the service runs: it drives one bus of each
// demo school, trip after trip, and begins each day. It runs as a periodic job, so of
// several nodes one drives. Visitors may change anything: what they make impossible
// is left out.
type simulator struct {
	demoServices
	Tracking *tracking.Service
	Log      *slog.Logger

	awake map[id.ID]clock.Date // the last day that was begun, by school
}

func (a *App) newSimulator() *simulator {
	return &simulator{demoServices: a.services.demo(a), Tracking: a.services.tracking, Log: a.Log, awake: map[id.ID]clock.Date{}}
}

func (s *simulator) periodic() jobs.Periodic {
	return jobs.Periodic{Name: "demo.simulate", Every: 4 * time.Second, Run: s.tick}
}

// tick moves every demo school on.
func (s *simulator) tick(ctx context.Context) error {
	sites, err := s.sites(ctx)
	for _, at := range sites {
		for _, step := range []func(context.Context, demoSite) error{s.begin, s.drive} {
			failed := step(ctx, at)
			if f, refused := errors.AsType[*fault.Fault](failed); refused {
				s.Log.DebugContext(ctx, "the simulator was refused", "school", at.code, "error", f)
				continue
			}
			err = errors.Join(err, failed)
		}
	}
	return err
}

// sites returns the demo schools that still exist.
func (s *simulator) sites(ctx context.Context) (list []demoSite, err error) {
	for _, p := range demoPlans() {
		type row struct {
			ID       id.ID
			Timezone string
		}
		found, err := db.All[row](ctx, s.DB.Across(unscoped.Permit{}), `
			SELECT id, timezone FROM schools WHERE code = :code AND status = 'ACTIVE'`, db.Args{"code": p.code})
		if err != nil {
			return list, fmt.Errorf("find demo schools: %w", err)
		}
		for _, f := range found {
			list = append(list, demoSite{p, actor.Actor{School: f.ID, Zone: f.Timezone}})
		}
	}
	return list, nil
}

// begin begins the school's day once.
func (s *simulator) begin(ctx context.Context, at demoSite) error {
	day := clock.DateIn(s.Now(), at.who.Zone)
	if s.awake[at.who.School] == day {
		return nil
	}
	s.awake[at.who.School] = day // also if a visitor has made it impossible
	return s.DB.InSchool(ctx, at.who.School, func(ctx context.Context, tx *db.Tx) error { return s.wake(ctx, tx, at) })
}

// drive moves the bus on, or starts its next trip.
func (s *simulator) drive(ctx context.Context, at demoSite) error {
	q, now := s.DB.School(at.who.School), s.Now()
	bus, err := db.One[id.ID](ctx, q, `SELECT id FROM buses WHERE school_id = :school AND registration_no = :plate AND archived_at IS NULL`,
		db.Args{"plate": at.plate(demoDriven)})
	if err != nil {
		return db.Found("find the simulated bus", err, transport.ErrNoBus)
	}
	trip, err := transport.RunningTrip(ctx, q, bus)
	switch {
	case errors.Is(err, transport.ErrNoTrip):
		return s.nextTrip(ctx, q, at, bus, rideRest)
	case err != nil || trip.Status == transport.Paused:
		return err
	}
	stops, err := transport.RouteStops(ctx, q, trip.RouteID)
	if err != nil {
		return err
	}
	who := driverOf(at.who, trip)
	r := newRide(trip.Type, stops, geo.Point{Lat: at.lat, Lng: at.lng})
	is := r.after(now.Sub(*trip.StartedAt))
	if _, err := s.Tracking.Move(ctx, who, bus, is.fix(now)); err != nil {
		return err
	}
	for { // twice for a dropoff that was left alone: on at the school and off at the stop
		moved, err := s.board(ctx, q, who, trip, r, is)
		if err != nil {
			return err
		}
		if moved == 0 {
			break
		}
	}
	if !is.over {
		return nil
	}
	if _, err := s.Transport.End(ctx, who, trip.ID); err != nil || now.Sub(*trip.StartedAt) < time.Hour {
		return err
	}
	return s.nextTrip(ctx, q, at, bus, 0) // the service was stopped during the trip
}

// board lets students get on and off, and returns how many did.
func (s *simulator) board(ctx context.Context, q db.Q, who actor.Actor, trip transport.Trip, r ride, is moment) (n int, err error) {
	riders, err := transport.RidersOf(ctx, q, trip)
	for _, b := range riders {
		if next := r.next(is, b); next != "" {
			if err := s.Transport.Board(ctx, who, trip.ID, b.StudentID, next); err != nil {
				return n, err
			}
			n++
		}
	}
	return n, err
}

// nextTrip starts a trip in the other direction after a rest.
func (s *simulator) nextTrip(ctx context.Context, q db.Q, at demoSite, bus id.ID, rest time.Duration) error {
	type ended struct {
		Type      transport.Type
		UpdatedAt time.Time
	}
	last, err := db.One[ended](ctx, q, `SELECT type, updated_at FROM trips WHERE school_id = :school AND bus_id = :bus
		AND status IN ('completed', 'cancelled') ORDER BY updated_at DESC, id DESC LIMIT 1`, db.Args{"bus": bus})
	switch {
	case err != nil && !errors.Is(err, db.ErrNotFound):
		return fmt.Errorf("read the last trip: %w", err)
	case s.Now().Sub(last.UpdatedAt) < rest:
		return nil
	}
	typ := transport.Pickup
	if last.Type == transport.Pickup {
		typ = transport.Dropoff
	}
	_, err = s.depart(ctx, at.who, bus, typ)
	return err
}

// depart schedules a trip for now and starts it as its driver.
func (s demoServices) depart(ctx context.Context, who actor.Actor, bus id.ID, typ transport.Type) (transport.Trip, error) {
	now := s.Now()
	day, at := clock.DateIn(now, who.Zone), clock.TimeOfDay(now.In(clock.Zone(who.Zone)).Format("15:04"))
	planned, err := s.Transport.Schedule(ctx, who, transport.NewTrips{BusID: bus, Type: typ, Date: &day, StartTime: at})
	if err != nil {
		return planned.Trip, err
	}
	return s.Transport.Start(ctx, driverOf(who, planned.Trip), planned.Trip.ID)
}

// driverOf returns the driver of a trip.
func driverOf(who actor.Actor, t transport.Trip) actor.Actor {
	who.User, who.Role = t.DriverUserID, actor.Driver
	return who
}
