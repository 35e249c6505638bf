package transport

import (
	"context"

	"homeroom/internal/feature/people"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
)

var errNotDriver = fault.New(fault.Conflict, "", "Only drivers can take over buses and trips.")

// Duties are the buses and the scheduled trips of a driver.
func (s *Service) Duties() []people.Duties {
	return []people.Duties{
		{Kind: "BUS", Module: "transport", List: listBuses, Move: s.moveBuses},
		{Kind: "TRIP", Module: "transport", List: listTrips, Move: s.moveTrips},
	}
}

func listBuses(ctx context.Context, q db.Q, employee id.ID, _ clock.Date) ([]people.Duty, error) {
	return db.All[people.Duty](ctx, q, `
		SELECT id, TRIM(registration_no || ' ' || name) AS name, 1 AS count, NULL AS academic_year_id, NULL AS date
		FROM buses WHERE school_id = :school AND driver_id = :employee AND archived_at IS NULL ORDER BY registration_no`,
		db.Args{"employee": employee})
}

// listTrips counts a driver's scheduled trips by bus.
func listTrips(ctx context.Context, q db.Q, employee id.ID, today clock.Date) ([]people.Duty, error) {
	return db.All[people.Duty](ctx, q, `
		SELECT b.id, TRIM(b.registration_no || ' ' || b.name) AS name, COUNT(*) AS count, NULL AS academic_year_id, MIN(t.date) AS date
		FROM trips t JOIN buses b ON b.school_id = t.school_id AND b.id = t.bus_id
		WHERE t.school_id = :school AND t.driver_id = :employee AND t.status = 'scheduled' AND t.date >= :today
		GROUP BY b.id, b.registration_no, b.name ORDER BY b.registration_no`, db.Args{"employee": employee, "today": today})
}

// moveBuses makes another driver the driver of an employee's buses.
func (s *Service) moveBuses(ctx context.Context, tx *db.Tx, who actor.Actor, from, to people.Employee) (int, error) {
	if err := lockDepot(ctx, tx); err != nil {
		return 0, err
	}
	buses, err := db.All[Bus](ctx, tx, `SELECT `+busColumns+` FROM buses
		WHERE school_id = :school AND driver_id = :driver AND archived_at IS NULL ORDER BY registration_no`, db.Args{"driver": from.ID})
	if err != nil || len(buses) == 0 {
		return 0, fault.Wrap("read the buses of a driver", err)
	}
	if err := mustDrive(to); err != nil {
		return 0, err
	}
	for _, before := range buses {
		after := before
		after.DriverID, after.DriverName = &to.ID, opt.Text(to.Name())
		after.Version, after.UpdatedAt = before.Version+1, s.Now()
		if err := putBus(ctx, tx, after); err != nil {
			return 0, err
		}
		if err := s.Audit.Record(ctx, tx, who, "bus.update", "bus", before.ID, before, after); err != nil {
			return 0, err
		}
	}
	return len(buses), nil
}

// moveTrips gives the scheduled trips of a driver, on any bus, to another driver. Both
// are told, for each bus.
func (s *Service) moveTrips(ctx context.Context, tx *db.Tx, who actor.Actor, from, to people.Employee) (int, error) {
	if err := lockDepot(ctx, tx); err != nil {
		return 0, err
	}
	trips, err := db.All[Trip](ctx, tx, `SELECT `+tripColumns+` FROM `+tripTable+`
		AND t.driver_id = :driver AND t.status = 'scheduled' AND t.date >= :today ORDER BY t.date, t.start_time, t.id`,
		db.Args{"driver": from.ID, "today": clock.DateIn(s.Now(), who.Zone)})
	if err != nil || len(trips) == 0 {
		return 0, fault.Wrap("read the trips of a driver", err)
	}
	if err := mustDrive(to); err != nil {
		return 0, err
	}
	ofBus := map[id.ID][]Trip{}
	for _, t := range trips {
		ofBus[t.BusID] = append(ofBus[t.BusID], t)
	}
	moved := 0
	for _, list := range ofBus {
		n, err := s.reassign(ctx, tx, who, list, to.ID)
		if err != nil {
			return 0, err
		}
		moved += n
	}
	return moved, nil
}

func mustDrive(e people.Employee) error {
	if e.Type != actor.Driver {
		return errNotDriver.Saying("%s is not a driver and can't take over a bus.", e.Name())
	}
	return nil
}
