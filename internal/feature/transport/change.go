package transport

import (
	"context"
	"fmt"
	"time"

	"homeroom/internal/feature/notification"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
	"homeroom/internal/platform/text"
)

var errSlot = fault.New(fault.Conflict, "", "This bus has another trip at that time.")

// tripChange has the fields of a trip to change; nil leaves a field as it is.
type tripChange struct {
	ID        id.ID            `path:"id"`
	DriverID  *id.ID           `json:"driverId" doc:"An employee with a role of the type DRIVER."`
	BusID     *id.ID           `json:"busId"`
	StartTime *clock.TimeOfDay `json:"startTime"`
	Version   *int             `json:"version" doc:"The version you read; 409 if the record has changed since."`
}

// changeTrip gives a trip that has not started another driver, bus or time.
func (s *Service) changeTrip(ctx context.Context, who actor.Actor, in tripChange) (after Trip, err error) {
	err = s.atDepot(ctx, who, func(ctx context.Context, tx *db.Tx) error {
		before, err := TripOf(ctx, tx, in.ID)
		if err != nil {
			return err
		}
		if err := lockTrip(ctx, tx, &before); err != nil {
			return err
		}
		if err := fault.SameVersion(in.Version, before.Version); err != nil {
			return err
		}
		if before.Status != Scheduled {
			return errState.Saying("This trip is %s. You can change a trip only before it starts.", words(before.Status))
		}
		after = before
		opt.Set(&after.DriverID, in.DriverID)
		opt.Set(&after.BusID, in.BusID)
		opt.Set(&after.StartTime, in.StartTime)
		if after == before {
			return nil
		}
		if err := mustFitTrip(ctx, tx, before, after); err != nil {
			return err
		}
		if err := putPlan(ctx, tx, after, s.Now()); err != nil {
			return err
		}
		if after, err = TripOf(ctx, tx, in.ID); err != nil {
			return err
		}
		if err := s.Audit.Record(ctx, tx, who, "trip.change", "trip", in.ID, before, after); err != nil {
			return err
		}
		if err := s.tellChanged(ctx, tx, who, before, after); err != nil {
			return err
		}
		return s.events().TripChanged(ctx, tx, after)
	})
	return after, err
}

// mustFitTrip checks the new driver and the new bus of a trip. A smaller bus must have
// a seat for each student.
func mustFitTrip(ctx context.Context, q db.Q, before, after Trip) error {
	if after.DriverID != before.DriverID {
		if err := mustBeDriver(ctx, q, after.DriverID); err != nil {
			return err
		}
	}
	if after.BusID == before.BusID {
		return nil
	}
	bus, err := GetBus(ctx, q, after.BusID)
	switch {
	case err != nil:
		return err
	case bus.Status == "RETIRED":
		return errRetired
	}
	old, err := GetBus(ctx, q, before.BusID)
	if err != nil || bus.Capacity >= old.Capacity {
		return err
	}
	riders, err := RidersOf(ctx, q, before)
	if err == nil && len(riders) > bus.Capacity {
		err = errFull.Saying("%d students are on this trip, but the other bus has only %d seats. Use a larger bus.", len(riders), bus.Capacity)
	}
	return err
}

// putPlan writes the driver, bus and time of a trip that has not started.
func putPlan(ctx context.Context, tx *db.Tx, t Trip, now time.Time) error {
	n, err := db.Exec(ctx, tx, `
		UPDATE trips SET driver_id = :driver, bus_id = :bus, start_time = :time, version = version + 1, updated_at = :now
		WHERE school_id = :school AND id = :id AND status = 'scheduled'`,
		db.Args{"id": t.ID, "driver": t.DriverID, "bus": t.BusID, "time": t.StartTime, "now": now})
	switch {
	case db.IsDuplicate(err, "trips_slot"):
		return errSlot.Saying("This bus has another %s trip on %s at %s.", t.Type, t.Date, t.StartTime).Because(err)
	case err != nil:
		return fmt.Errorf("change trip: %w", err)
	case n == 0: // changed between read and write
		return errState
	}
	return nil
}

// tellChanged notifies the drivers of a changed trip and, of another bus or time, the
// parents. On the day of the trip this is urgent.
func (s *Service) tellChanged(ctx context.Context, tx *db.Tx, who actor.Actor, before, after Trip) error {
	urgent := after.Date == clock.DateIn(s.Now(), who.Zone)
	notice := func(key string, t Trip) notification.Notice {
		return notification.Notice{Record: t.ID, Urgent: urgent, Title: text.T("transport.duty." + key + ".title"),
			Body: text.T("transport.duty."+key+".body", "bus", t.Label(), "route", t.RouteName, "date", t.Date, "time", t.StartTime)}
	}
	news := notice("changed", after)
	if after.DriverID != before.DriverID {
		news = notice("yours", after)
		if err := s.tellDrivers(ctx, tx, who.School, notice("gone", before), before.DriverUserID); err != nil {
			return err
		}
	}
	if err := s.tellDrivers(ctx, tx, who.School, news, after.DriverUserID); err != nil {
		return err
	}
	if after.BusID == before.BusID && after.StartTime == before.StartTime || s.missed(who, after) {
		return nil
	}
	riders, err := RidersOf(ctx, tx, after)
	if err != nil {
		return err
	}
	_, err = s.Alert(ctx, tx, who.School, Alert{Trip: after.ID, Kind: fmt.Sprint("changed:", after.Version), Urgent: urgent,
		Say: func(_ id.ID, name string) (title, body text.Text) {
			return text.T("transport.changed.title"),
				text.T("transport.changed.body", "student", name, "bus", after.Label(), "date", after.Date, "time", after.StartTime)
		}}, expectedOf(riders))
	return err
}

// expectedOf returns the students whom the bus waits for.
func expectedOf(riders []Boarding) (students []id.ID) {
	for _, b := range riders {
		if b.Expected() {
			students = append(students, b.StudentID)
		}
	}
	return students
}

// reassign gives those of the trips that have not started to a driver, tells the drivers
// and returns the number of trips that changed.
func (s *Service) reassign(ctx context.Context, tx *db.Tx, who actor.Actor, trips []Trip, driver id.ID) (int, error) {
	was := map[id.ID]Trip{}
	ids := []id.ID{}
	for _, t := range trips {
		if t.Status == Scheduled && t.DriverID != driver {
			was[t.ID], ids = t, append(ids, t.ID)
		}
	}
	if len(ids) == 0 {
		return 0, nil
	}
	moved, err := db.All[id.ID](ctx, tx, `
		UPDATE trips SET driver_id = :driver, version = version + 1, updated_at = :now
		WHERE school_id = :school AND id IN (:ids) AND status = 'scheduled' RETURNING id`,
		db.Args{"driver": driver, "ids": ids, "now": s.Now()})
	if err != nil {
		return 0, fmt.Errorf("give trips to another driver: %w", err)
	}
	after, err := tripsOf(ctx, tx, moved)
	if err != nil || len(after) == 0 {
		return 0, err
	}
	lost := map[id.ID][]Trip{}
	for _, t := range after {
		old := was[t.ID]
		lost[old.DriverUserID] = append(lost[old.DriverUserID], old)
		if err := s.events().TripChanged(ctx, tx, t); err != nil {
			return 0, err
		}
	}
	for user, gone := range lost {
		if err := s.tellDrivers(ctx, tx, who.School, duties("gone", gone), user); err != nil {
			return 0, err
		}
	}
	return len(after), s.tellDrivers(ctx, tx, who.School, duties("yours", after), after[0].DriverUserID)
}

// duties is the notice to a driver about trips of one bus, in the order of their dates.
func duties(key string, trips []Trip) notification.Notice {
	first := trips[0]
	return notification.Notice{Record: first.ID, Title: text.T("transport.duty." + key + ".title"),
		Body: text.T("transport.duty."+key+".many", "count", len(trips), "bus", first.Label(), "route", first.RouteName,
			"date", first.Date, "time", first.StartTime)}
}

// tripsOf reads trips by id, in the order of their dates.
func tripsOf(ctx context.Context, q db.Q, ids []id.ID) ([]Trip, error) {
	list, err := db.All[Trip](ctx, q, `SELECT `+tripColumns+` FROM `+tripTable+` AND t.id IN (:ids) ORDER BY t.date, t.start_time, t.id`,
		db.Args{"ids": ids})
	return list, fault.Wrap("read trips", err)
}
