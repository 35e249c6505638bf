package transport

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"homeroom/internal/feature/people"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
	"homeroom/internal/platform/page"
	"homeroom/internal/platform/web"
)

const busColumns = `id, registration_no, name, capacity, driver_id, attendant_name, route_id, status,
	insurance_expiry, fitness_expiry, version, created_at, updated_at,
	COALESCE((SELECT TRIM(e.first_name || ' ' || e.last_name) FROM employees e
		WHERE e.school_id = buses.school_id AND e.id = buses.driver_id), '') AS driver_name,
	COALESCE((SELECT r.name FROM routes r WHERE r.school_id = buses.school_id AND r.id = buses.route_id), '') AS route_name`

type newBus struct {
	RegistrationNo  string      `json:"registrationNo" required:"true" maxLength:"32" example:"KA-01-F-1234"`
	Name            string      `json:"name" maxLength:"100"`
	Capacity        int         `json:"capacity" minimum:"1" maximum:"500" default:"40" doc:"Seats."`
	DriverID        *id.ID      `json:"driverId" doc:"An employee with a role of the type DRIVER."`
	AttendantName   string      `json:"attendantName" maxLength:"100"`
	RouteID         *id.ID      `json:"routeId"`
	Status          string      `json:"status" enum:"ACTIVE,MAINTENANCE,RETIRED" default:"ACTIVE"`
	InsuranceExpiry *clock.Date `json:"insuranceExpiry"`
	FitnessExpiry   *clock.Date `json:"fitnessExpiry"`
}

func (s *Service) createBus(ctx context.Context, who actor.Actor, in newBus) (b Bus, err error) {
	err = s.atDepot(ctx, who, func(ctx context.Context, tx *db.Tx) error {
		made := Bus{RegistrationNo: strings.TrimSpace(in.RegistrationNo), Name: opt.Text(strings.TrimSpace(in.Name)), Capacity: in.Capacity,
			DriverID: in.DriverID, AttendantName: opt.Text(strings.TrimSpace(in.AttendantName)), RouteID: in.RouteID, Status: in.Status,
			InsuranceExpiry: in.InsuranceExpiry, FitnessExpiry: in.FitnessExpiry}
		if err := mustFitBus(ctx, tx, made); err != nil {
			return err
		}
		added, err := s.AddBuses(ctx, tx, []Bus{made})
		if err != nil {
			return err
		}
		if b, err = GetBus(ctx, tx, added[0].ID); err != nil {
			return err
		}
		if err := mustHold(ctx, tx, b.RouteID); err != nil {
			return err
		}
		return s.Audit.Record(ctx, tx, who, "bus.create", "bus", b.ID, nil, b)
	})
	return b, err
}

// mustFitBus checks that the driver and the route exist in the school and that the
// driver is a driver.
func mustFitBus(ctx context.Context, q db.Q, b Bus) error {
	if b.DriverID != nil {
		if err := mustBeDriver(ctx, q, *b.DriverID); err != nil {
			return err
		}
	}
	if b.RouteID == nil {
		return nil
	}
	_, err := getRoute(ctx, q, *b.RouteID)
	return err
}

func mustBeDriver(ctx context.Context, q db.Q, employee id.ID) error {
	e, err := people.GetEmployee(ctx, q, employee)
	switch {
	case err != nil:
		return err
	case e.Type != actor.Driver || e.Status == "RESIGNED":
		return fault.OnField("driverId", "must be an employee with a role of the type DRIVER")
	}
	return nil
}

type idIn struct {
	ID id.ID `path:"id"`
}

func (s *Service) getBus(ctx context.Context, who actor.Actor, in idIn) (Bus, error) {
	return GetBus(ctx, s.DB.School(who.School), in.ID)
}

type busFilters struct {
	Status   string `json:"status,omitempty" enum:"ACTIVE,MAINTENANCE,RETIRED"`
	RouteID  *id.ID `json:"routeId,omitempty"`
	DriverID *id.ID `json:"driverId,omitempty"`
	Search   string `json:"search,omitempty" doc:"Any part of the registration number or the name."`
}

func (s *Service) buses(ctx context.Context, who actor.Actor, in page.Ask[busFilters]) (page.Of[Bus], error) {
	q, f := s.DB.School(who.School), in.Filters
	search := strings.ToLower(db.Contains(strings.TrimSpace(f.Search)))
	out, err := db.Page[Bus](ctx, q, db.List{
		Columns: busColumns,
		From: `buses WHERE school_id = :school AND archived_at IS NULL` +
			db.When(f.Status != "", ` AND status = :status`) +
			db.When(f.RouteID != nil, ` AND route_id = :route`) +
			db.When(f.DriverID != nil, ` AND driver_id = :driver`) +
			db.When(search != "", ` AND lower(registration_no || ' ' || name) LIKE :search ESCAPE '\'`),
		Sorts:   map[string]string{"registrationNo": "registration_no", "name": "name", "createdAt": "id"},
		Default: "registrationNo",
	}, in.Request, db.Args{"status": f.Status, "route": f.RouteID, "driver": f.DriverID, "search": search})
	if err != nil || out.Total > 0 { // a match proves that the ids in the filter exist
		return out, err
	}
	return out, people.MustExist(ctx, q, people.Ref{Table: "routes", ID: f.RouteID, Missing: errNoRoute},
		people.Ref{Table: "employees", ID: f.DriverID, Missing: people.ErrNoEmployee})
}

// busChange has the fields of a bus to change; nil leaves a field as it is.
type busChange struct {
	ID              id.ID               `path:"id"`
	RegistrationNo  *string             `json:"registrationNo" maxLength:"32" pattern:"\\S" patternHint:"must not be blank"`
	Name            *string             `json:"name" maxLength:"100"`
	Capacity        *int                `json:"capacity" minimum:"1" maximum:"500"`
	DriverID        web.Opt[id.ID]      `json:"driverId" doc:"Null removes the driver."`
	AttendantName   *string             `json:"attendantName" maxLength:"100"`
	RouteID         web.Opt[id.ID]      `json:"routeId" doc:"Null removes the bus from its route."`
	Status          *string             `json:"status" enum:"ACTIVE,MAINTENANCE,RETIRED" doc:"RETIRED is refused (409) while the bus has scheduled or running trips."`
	InsuranceExpiry web.Opt[clock.Date] `json:"insuranceExpiry"`
	FitnessExpiry   web.Opt[clock.Date] `json:"fitnessExpiry"`
	Version         *int                `json:"version" doc:"The version you read; 409 if the record has changed since."`
}

func (c busChange) apply(b Bus) Bus {
	texts := map[*string]*string{
		&b.RegistrationNo: c.RegistrationNo, (*string)(&b.Name): c.Name, (*string)(&b.AttendantName): c.AttendantName, &b.Status: c.Status}
	for at, sent := range texts {
		if sent != nil {
			*at = strings.TrimSpace(*sent)
		}
	}
	opt.Set(&b.Capacity, c.Capacity)
	b.DriverID = c.DriverID.Or(b.DriverID)
	b.RouteID = c.RouteID.Or(b.RouteID)
	b.InsuranceExpiry = c.InsuranceExpiry.Or(b.InsuranceExpiry)
	b.FitnessExpiry = c.FitnessExpiry.Or(b.FitnessExpiry)
	return b
}

// changedBus is a bus after a change.
type changedBus struct {
	Bus
	TripsChanged int `json:"tripsChanged" doc:"Scheduled trips that follow the new driver."`
}

// updateBus changes a bus. The trips from today on that have not started follow a new driver.
func (s *Service) updateBus(ctx context.Context, who actor.Actor, in busChange) (out changedBus, err error) {
	err = s.atDepot(ctx, who, func(ctx context.Context, tx *db.Tx) error {
		before, err := GetBus(ctx, tx, in.ID)
		if err != nil {
			return err
		}
		if err := fault.SameVersion(in.Version, before.Version); err != nil {
			return err
		}
		after := in.apply(before)
		after.Version, after.UpdatedAt = before.Version+1, s.Now()
		changed := Bus{DriverID: changedID(before.DriverID, after.DriverID), RouteID: changedID(before.RouteID, after.RouteID)}
		if err := mustFitBus(ctx, tx, changed); err != nil {
			return err
		}
		if after.Status == "RETIRED" && before.Status != after.Status {
			if err := mustBeIdle(ctx, tx, "bus", in.ID); err != nil {
				return err
			}
		}
		if err := putBus(ctx, tx, after); err != nil {
			return err
		}
		if err := mustStillHold(ctx, tx, before, after); err != nil {
			return err
		}
		if changed.DriverID != nil {
			if out.TripsChanged, err = s.handOver(ctx, tx, who, in.ID, *changed.DriverID); err != nil {
				return err
			}
		}
		if out.Bus, err = GetBus(ctx, tx, in.ID); err != nil {
			return err
		}
		return s.Audit.Record(ctx, tx, who, "bus.update", "bus", in.ID, before, out)
	})
	return out, err
}

// handOver gives the scheduled trips of a bus, from today on, to a driver, and returns their number.
func (s *Service) handOver(ctx context.Context, tx *db.Tx, who actor.Actor, bus, driver id.ID) (int, error) {
	trips, err := db.All[Trip](ctx, tx, `SELECT `+tripColumns+` FROM `+tripTable+`
		AND t.bus_id = :bus AND t.status = 'scheduled' AND t.date >= :today ORDER BY t.date, t.start_time, t.id`,
		db.Args{"bus": bus, "today": clock.DateIn(s.Now(), who.Zone)})
	if err != nil {
		return 0, fmt.Errorf("read the trips of a bus: %w", err)
	}
	return s.reassign(ctx, tx, who, trips, driver)
}

// changedID returns after, or nil if it equals before. An unchanged driver who has
// since left must not block other changes.
func changedID(before, after *id.ID) *id.ID {
	if before != nil && after != nil && *before == *after {
		return nil
	}
	return after
}

func putBus(ctx context.Context, tx *db.Tx, b Bus) error {
	_, err := db.Exec(ctx, tx, `
		UPDATE buses SET registration_no = :registration, name = :name, capacity = :capacity, driver_id = :driver, attendant_name = :attendant,
			route_id = :route, status = :status, insurance_expiry = :insurance, fitness_expiry = :fitness, version = :version, updated_at = :now
		WHERE school_id = :school AND id = :id`,
		db.Args{"id": b.ID, "registration": b.RegistrationNo, "name": b.Name, "capacity": b.Capacity, "driver": b.DriverID,
			"attendant": b.AttendantName, "route": b.RouteID, "status": b.Status, "insurance": b.InsuranceExpiry, "fitness": b.FitnessExpiry,
			"version": b.Version, "now": b.UpdatedAt})
	switch {
	case db.IsDuplicate(err, "buses_registration_no"):
		return errRegistration.Because(err)
	case err != nil:
		return fmt.Errorf("write bus: %w", err)
	}
	return nil
}

// deleteBus archives a bus. Its trips stay.
func (s *Service) deleteBus(ctx context.Context, who actor.Actor, in idIn) (web.None, error) {
	return web.None{}, s.atDepot(ctx, who, func(ctx context.Context, tx *db.Tx) error {
		b, err := GetBus(ctx, tx, in.ID)
		if err != nil {
			return err
		}
		if err := mustBeIdle(ctx, tx, "bus", in.ID); err != nil {
			return err
		}
		_, err = db.Exec(ctx, tx, `
			UPDATE buses SET archived_at = :now, status = 'RETIRED', driver_id = NULL, route_id = NULL, version = version + 1, updated_at = :now
			WHERE school_id = :school AND id = :id`, db.Args{"id": in.ID, "now": s.Now()})
		if err != nil {
			return fmt.Errorf("delete bus: %w", err)
		}
		if err := mustHold(ctx, tx, b.RouteID); err != nil {
			return err
		}
		return s.Audit.Record(ctx, tx, who, "bus.delete", "bus", in.ID, b, nil)
	})
}

// driverBus is a bus with its route.
type driverBus struct {
	Bus
	Route *Route `json:"route"`
}

// ownBus returns the bus of the caller's running trip, or else the bus assigned to
// the caller.
func (s *Service) ownBus(ctx context.Context, who actor.Actor, _ web.None) (driverBus, error) {
	q := s.DB.School(who.School)
	var bus Bus
	t, err := runningOf(ctx, q, who.User, s.Now())
	switch {
	case errors.Is(err, ErrNoTrip):
		bus, err = BusOf(ctx, q, who.User)
	case err == nil:
		bus, err = GetBus(ctx, q, t.BusID)
		bus.RouteID = &t.RouteID
	}
	if err != nil || bus.RouteID == nil {
		return driverBus{Bus: bus}, err
	}
	route, err := getRoute(ctx, q, *bus.RouteID)
	return driverBus{Bus: bus, Route: &route}, err
}

// BusOf returns the bus assigned to the driver's account: of several, the first in
// service by registration number.
func BusOf(ctx context.Context, q db.Q, driverUser id.ID) (Bus, error) {
	bus, err := db.One[Bus](ctx, q, `
		SELECT `+busColumns+` FROM buses
		WHERE school_id = :school AND status <> 'RETIRED' AND archived_at IS NULL AND driver_id IN (`+driverIDs+`)
		ORDER BY status, registration_no LIMIT 1`, db.Args{"user": driverUser})
	return bus, db.Found("read the driver's bus", err, errNoOwnBus)
}
