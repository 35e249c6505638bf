// Package transport knows the buses of a school, the routes they drive, the
// students who wait at their stops, and every trip: who is on the bus, who got
// off, and what went wrong on the way.
//
// A trip is planned from a bus, a route, a driver and a day (schedule.go). Its
// driver starts it, which lists the students of the route (state.go); each of
// them is noted as it gets on and off (boarding.go), and parents are told of it
// once (alert.go). What may become of a trip and of a student on it stands in
// the tables moves and boardings.
//
// Features that follow a bus on its way build on port.go.
package transport

import (
	"context"
	"fmt"
	"time"

	"homeroom/internal/feature/audit"
	"homeroom/internal/feature/file"
	"homeroom/internal/feature/notification"
	"homeroom/internal/feature/people"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
)

var (
	errNoPart       = fault.Missing("driver or route")
	errNoRider      = fault.Missing("student or stop")
	errNoRoute      = fault.Missing("route")
	errNoStop       = fault.Missing("stop")
	errNoOwnBus     = fault.New(fault.NotFound, "", "You are not assigned to a bus yet. Ask your school's administrator.")
	errInUse        = fault.New(fault.Conflict, "", "This is in use.")
	errStopUsed     = fault.New(fault.Conflict, "", "Students wait at this stop.")
	errFull         = fault.New(fault.Conflict, "", "There are not enough seats.")
	errRetired      = fault.New(fault.Conflict, "", "This bus is retired. Take another one.")
	errRegistration = fault.Duplicate("Another bus has this registration number. Check the number.")
	errRouteName    = fault.Duplicate("Another route has this name. Choose another one.")
	errRides        = fault.Duplicate("A student is picked up at one stop, and dropped off at one. Take the other stop back first.")
)

// Service holds the rules about buses.
type Service struct {
	DB     *db.DB
	Audit  *audit.Service
	Notify *notification.Service
	Files  *file.Service
	Now    clock.Now
	NewID  id.Source

	Events Events // nil: nobody follows
}

// atDepot does something to buses, routes and plans, one such thing at a time:
// whether it fits depends on all of them, and so does who may see which bus.
func (s *Service) atDepot(ctx context.Context, who actor.Actor, fn func(context.Context, *db.Tx) error) error {
	return s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		if err := tx.Lock(ctx, "transport"); err != nil {
			return fmt.Errorf("lock transport: %w", err)
		}
		if err := fn(ctx, tx); err != nil {
			return err
		}
		return people.ReachChanged(ctx, tx, who.School)
	})
}

// Bus is one vehicle.
type Bus struct {
	ID              id.ID       `json:"id"`
	RegistrationNo  string      `json:"registrationNo"`
	Name            string      `json:"name"`
	Capacity        int         `json:"capacity"`
	DriverID        *id.ID      `json:"driverId" doc:"The employee who drives it."`
	AttendantName   string      `json:"attendantName"`
	RouteID         *id.ID      `json:"routeId"`
	Status          string      `json:"status" enum:"ACTIVE,MAINTENANCE,RETIRED"`
	InsuranceExpiry *clock.Date `json:"insuranceExpiry"`
	FitnessExpiry   *clock.Date `json:"fitnessExpiry"`
	Version         int         `json:"version"`
	CreatedAt       time.Time   `json:"createdAt"`
	UpdatedAt       time.Time   `json:"updatedAt"`
}

// Route is a line of stops.
type Route struct {
	ID        id.ID     `json:"id"`
	Name      string    `json:"name"`
	Stops     []Stop    `json:"stops" db:"-"`
	Version   int       `json:"version"`
	CreatedAt time.Time `json:"createdAt"`
	UpdatedAt time.Time `json:"updatedAt"`
}

// Stop is a place where a bus halts.
type Stop struct {
	ID             id.ID            `json:"id"`
	RouteID        id.ID            `json:"-"`
	Name           string           `json:"name"`
	Lat            float64          `json:"lat"`
	Lng            float64          `json:"lng"`
	Position       int              `json:"order" doc:"From 1, as the bus goes in the morning."`
	PickupTime     *clock.TimeOfDay `json:"pickupTime"`
	DropoffTime    *clock.TimeOfDay `json:"dropoffTime"`
	GeofenceMeters int              `json:"geofenceMeters" doc:"So near, the bus counts as being at the stop."`
}

// Rider is a student at a stop.
type Rider struct {
	StudentID id.ID `json:"studentId"`
	StopID    id.ID `json:"stopId"`
	Pickup    bool  `json:"pickup"`
	Dropoff   bool  `json:"dropoff"`
}

// AddRoutes makes routes of a name and their stops, in order, and fills in the rest.
func (s *Service) AddRoutes(ctx context.Context, tx *db.Tx, in []Route) ([]Route, error) {
	now := s.Now()
	var stops []Stop
	for i := range in {
		in[i].ID, in[i].Version, in[i].CreatedAt, in[i].UpdatedAt = s.NewID(), 1, now, now
		for j := range in[i].Stops {
			stop := &in[i].Stops[j]
			stop.ID, stop.RouteID, stop.Position = s.NewID(), in[i].ID, j+1
			stops = append(stops, *stop)
		}
	}
	_, err := db.Insert(ctx, tx, `
		INSERT INTO routes (school_id, id, name, version, created_at, updated_at)
		VALUES (:school, :id, :name, :version, :created_at, :updated_at)`, in)
	switch {
	case db.IsDuplicate(err, "routes_name"):
		return nil, errRouteName.Because(err)
	case err != nil:
		return nil, fmt.Errorf("add routes: %w", err)
	}
	if _, err = db.Insert(ctx, tx, insertStops, stops); err != nil {
		return nil, fmt.Errorf("add stops: %w", err)
	}
	return in, nil
}

// AddBuses makes buses and fills in what is the service's to say.
func (s *Service) AddBuses(ctx context.Context, tx *db.Tx, in []Bus) ([]Bus, error) {
	now := s.Now()
	for i := range in {
		in[i].ID, in[i].Version, in[i].CreatedAt, in[i].UpdatedAt = s.NewID(), 1, now, now
		if in[i].Status == "" {
			in[i].Status = "ACTIVE"
		}
	}
	_, err := db.Insert(ctx, tx, `
		INSERT INTO buses (school_id, id, registration_no, name, capacity, driver_id, attendant_name, route_id, status,
			insurance_expiry, fitness_expiry, version, created_at, updated_at)
		VALUES (:school, :id, :registration_no, :name, :capacity, :driver_id, :attendant_name, :route_id, :status,
			:insurance_expiry, :fitness_expiry, :version, :created_at, :updated_at)`, in)
	switch {
	case db.IsDuplicate(err, "buses_registration_no"):
		return nil, errRegistration.Because(err)
	case db.IsReference(err):
		return nil, errNoPart.Because(err)
	case err != nil:
		return nil, fmt.Errorf("add buses: %w", err)
	}
	return in, nil
}
