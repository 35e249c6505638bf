package transport

import (
	"context"
	"fmt"
	"slices"

	"homeroom/internal/feature/notification"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/text"
)

// takeOver moves the students of a cancelled trip, waiting or on board, to the trip or
// bus that replaces it, and tells both drivers and the parents. riders are the students
// just before.
func (s *Service) takeOver(ctx context.Context, tx *db.Tx, who actor.Actor, in cancelIn, old Trip, riders []Boarding) error {
	var next Trip
	var err error
	if in.ReplacementTripID != nil {
		next, err = s.otherTrip(ctx, tx, who, *in.ReplacementTripID, old)
	} else {
		next, err = s.otherBus(ctx, tx, who, *in.ReplacementBusID, old)
	}
	if err != nil {
		return err
	}
	moved, err := s.moveRiders(ctx, tx, old, next)
	if err != nil {
		return err
	}
	trace := map[string]any{"from": old.ID, "students": moved}
	if err := s.Audit.Record(ctx, tx, who, "trip.takeover", "trip", next.ID, nil, trace); err != nil {
		return err
	}
	after, err := RidersOf(ctx, tx, next)
	if err != nil {
		return err
	}
	var changed []Boarding
	for _, b := range after {
		if slices.Contains(moved, b.StudentID) {
			changed = append(changed, b)
		}
	}
	if len(changed) > 0 {
		if err := s.events().Boarded(ctx, tx, next, changed); err != nil {
			return err
		}
	}
	return s.tellTakenOver(ctx, tx, who, old, next, riders)
}

// otherTrip returns the trip that takes over, and starts it if it has not started.
func (s *Service) otherTrip(ctx context.Context, tx *db.Tx, who actor.Actor, trip id.ID, old Trip) (Trip, error) {
	next, err := TripOf(ctx, tx, trip)
	if err != nil {
		return next, err
	}
	if err := lockTrip(ctx, tx, &next); err != nil {
		return next, err
	}
	switch {
	case next.ID == old.ID:
		return next, fault.OnField("replacementTripId", "must be another trip")
	case next.Type != old.Type || next.Date != old.Date:
		return next, fault.OnField("replacementTripId", "must be a %s trip on %s", old.Type, old.Date)
	case next.Running():
		return next, nil
	}
	now := s.Now()
	before := next
	next, err = s.step(ctx, tx, who, start, before, func(t *Trip) error {
		t.StartedAt = &now
		return addBoardings(ctx, tx, before, now)
	})
	if err != nil {
		return next, err
	}
	return next, s.tellStarted(ctx, tx, who, next)
}

// otherBus schedules and starts a trip of the bus that takes over. Its driver is that of
// the bus or, without one, that of the cancelled trip.
func (s *Service) otherBus(ctx context.Context, tx *db.Tx, who actor.Actor, bus id.ID, old Trip) (next Trip, err error) {
	b, err := GetBus(ctx, tx, bus)
	switch {
	case err != nil:
		return next, err
	case b.ID == old.BusID:
		return next, fault.OnField("replacementBusId", "must be another bus")
	case b.Status == "RETIRED":
		return next, errRetired
	}
	plan := Trip{BusID: b.ID, RouteID: old.RouteID, DriverID: old.DriverID, Type: old.Type, StartTime: old.StartTime,
		Status: Scheduled, Version: 1}
	if b.DriverID != nil {
		plan.DriverID = *b.DriverID
		if err := mustBeDriver(ctx, tx, plan.DriverID); err != nil {
			return next, err
		}
	}
	added, err := s.addTrips(ctx, tx, plan, []clock.Date{old.Date})
	switch {
	case err != nil:
		return next, err
	case len(added) == 0:
		return next, errSlot.Saying("That bus has a %s trip at %s itself. Name that trip instead.", old.Type, old.StartTime)
	}
	now := s.Now()
	return s.step(ctx, tx, who, start, added[0], func(t *Trip) error {
		t.StartedAt = &now
		return nil
	})
}

// moveRiders moves the students on board of a cancelled trip to another one, with those
// who wait for it and are not on the other's list. It returns who was moved.
func (s *Service) moveRiders(ctx context.Context, tx *db.Tx, from, to Trip) ([]id.ID, error) {
	_, err := db.Exec(ctx, tx, `
		DELETE FROM boardings WHERE school_id = :school AND trip_id = :to AND student_id IN (
			SELECT o.student_id FROM boardings o WHERE o.school_id = :school AND o.trip_id = :from AND o.status = 'boarded')`,
		db.Args{"from": from.ID, "to": to.ID})
	if err != nil {
		return nil, fmt.Errorf("make room on the other trip: %w", err)
	}
	moved, err := db.All[id.ID](ctx, tx, `
		UPDATE boardings SET trip_id = :to, updated_at = :now
		WHERE school_id = :school AND trip_id = :from AND (status = 'boarded' OR status = 'waiting' AND student_id NOT IN (
			SELECT n.student_id FROM boardings n WHERE n.school_id = :school AND n.trip_id = :to))
		RETURNING student_id`, db.Args{"from": from.ID, "to": to.ID, "now": s.Now()})
	if err != nil {
		return nil, fmt.Errorf("move students to the other trip: %w", err)
	}
	// Their parents were told by the cancelled trip that they got on: an undo has to reach them.
	_, err = db.Exec(ctx, tx, `
		INSERT INTO trip_alerts (school_id, trip_id, student_id, kind, created_at)
		SELECT a.school_id, :to, a.student_id, a.kind, a.created_at FROM trip_alerts a
		WHERE a.school_id = :school AND a.trip_id = :from AND a.kind = 'boarded' AND a.student_id IN (:moved)
		ON CONFLICT DO NOTHING`, db.Args{"from": from.ID, "to": to.ID, "moved": moved})
	if err != nil {
		return nil, fmt.Errorf("copy alerts to the other trip: %w", err)
	}
	type load struct{ Aboard, Seats int }
	l, err := db.One[load](ctx, tx, `
		SELECT (SELECT COUNT(*) FROM boardings x WHERE x.school_id = :school AND x.trip_id = :to AND x.status = 'boarded') AS aboard,
			b.capacity AS seats FROM buses b WHERE b.school_id = :school AND b.id = :bus`, db.Args{"to": to.ID, "bus": to.BusID})
	switch {
	case err != nil:
		return nil, fmt.Errorf("count seats: %w", err)
	case l.Aboard > l.Seats:
		return nil, errFull.Saying("%d students would be on the other bus, but it has only %d seats. Send a larger bus.", l.Aboard, l.Seats)
	}
	return moved, nil
}

// tellTakenOver tells both drivers and the parents which bus takes over.
func (s *Service) tellTakenOver(ctx context.Context, tx *db.Tx, who actor.Actor, old, next Trip, riders []Boarding) error {
	if old.DriverUserID != next.DriverUserID {
		if err := s.tellDrivers(ctx, tx, who.School, old.calledOff(), old.DriverUserID); err != nil {
			return err
		}
	}
	names := namesOf(riders, func(b Boarding) bool { return b.Status == Boarded || b.Expected() })
	err := s.tellDrivers(ctx, tx, who.School, notification.Notice{Record: next.ID, Urgent: true, Title: text.T("transport.taken.driver.title"),
		Body: old.because(text.T("transport.taken.driver.body", "bus", old.Label(), "other", next.Label(), "students", names))},
		next.DriverUserID)
	if err != nil {
		return err
	}
	students, _ := concerned(riders)
	_, err = s.Alert(ctx, tx, who.School, Alert{Trip: old.ID, Kind: "cancelled", Record: next.ID, Urgent: true,
		Say: func(_ id.ID, name string) (title, body text.Text) {
			return text.T("transport.taken.title"),
				old.because(text.T("transport.taken.body", "student", name, "bus", old.Label(), "other", next.Label()))
		}}, students)
	return err
}
