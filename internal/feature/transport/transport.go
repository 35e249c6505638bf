// Package transport manages the buses of a school, their routes and stops, the
// students who ride, and every trip: who got on, who got off, and incidents.
//
// A trip is planned from a bus, a route, a driver and a day (schedule.go). Its
// driver starts it, which lists the students of the route (state.go). The driver
// records each student getting on and off (boarding.go), and parents are notified
// once (alert.go). The tables moves and boardings define the allowed changes of
// status of a trip and of a student.
//
// Features that track buses use port.go.
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
	"homeroom/internal/platform/opt"
)

var (
	errNoPart       = fault.Missing("driver or route")
	errNoRider      = fault.Missing("student or stop")
	errNoRoute      = fault.Missing("route")
	errNoStop       = fault.Missing("stop")
	errNoOwnBus     = fault.New(fault.NotFound, "", "You are not assigned to a bus yet. Ask your school's administrator.")
	errInUse        = fault.New(fault.Conflict, "", "This is in use.")
	errStopUsed     = fault.New(fault.Conflict, "", "Students use this stop.")
	errLeft         = fault.New(fault.Conflict, "", "A student has left the school.")
	errFull         = fault.New(fault.Conflict, "", "There are not enough seats.")
	errRetired      = fault.New(fault.Conflict, "", "This bus is retired. Choose another one.")
	errRegistration = fault.Duplicate("Another bus has this registration number. Check the number.")
	errRouteName    = fault.Duplicate("Another route has this name. Choose another one.")
	errRides        = fault.Duplicate("A student can have one pickup stop and one dropoff stop. Remove the other stop first.")
)

// Service holds the rules for transport.
type Service struct {
	DB     *db.DB
	Audit  *audit.Service
	Notify *notification.Service
	Files  *file.Service
	Now    clock.Now
	NewID  id.Source

	Events Events // optional
}

// atDepot runs fn in a transaction under the school's transport lock. Checks of
// seats, drivers and visibility read several tables, so changes run one at a time.
func (s *Service) atDepot(ctx context.Context, who actor.Actor, fn func(context.Context, *db.Tx) error) error {
	return s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		if err := lockDepot(ctx, tx); err != nil {
			return err
		}
		if err := fn(ctx, tx); err != nil {
			return err
		}
		return people.ReachChanged(ctx, tx, who.School)
	})
}

func lockDepot(ctx context.Context, tx *db.Tx) error {
	return fault.Wrap("lock transport", tx.Lock(ctx, "transport"))
}

// Bus is one vehicle.
type Bus struct {
	ID              id.ID       `json:"id"`
	RegistrationNo  string      `json:"registrationNo"`
	Name            opt.Text    `json:"name"`
	Capacity        int         `json:"capacity"`
	DriverID        *id.ID      `json:"driverId" doc:"The employee who drives it."`
	DriverName      opt.Text    `json:"driverName"`
	AttendantName   opt.Text    `json:"attendantName"`
	RouteID         *id.ID      `json:"routeId"`
	RouteName       opt.Text    `json:"routeName"`
	Status          string      `json:"status" enum:"ACTIVE,MAINTENANCE,RETIRED"`
	InsuranceExpiry *clock.Date `json:"insuranceExpiry"`
	FitnessExpiry   *clock.Date `json:"fitnessExpiry"`
	Version         int         `json:"version"`
	CreatedAt       time.Time   `json:"createdAt"`
	UpdatedAt       time.Time   `json:"updatedAt"`
}

// Route is an ordered list of stops.
type Route struct {
	ID        id.ID     `json:"id"`
	Name      string    `json:"name"`
	Stops     []Stop    `json:"stops" db:"-"`
	Version   int       `json:"version"`
	CreatedAt time.Time `json:"createdAt"`
	UpdatedAt time.Time `json:"updatedAt"`
}

// Stop is a place where a bus stops.
type Stop struct {
	ID             id.ID            `json:"id"`
	RouteID        id.ID            `json:"-"`
	Name           string           `json:"name"`
	Lat            float64          `json:"lat"`
	Lng            float64          `json:"lng"`
	Position       int              `json:"order" doc:"From 1, in the order of the morning trip."`
	PickupTime     *clock.TimeOfDay `json:"pickupTime"`
	DropoffTime    *clock.TimeOfDay `json:"dropoffTime"`
	GeofenceMeters int              `json:"geofenceMeters" doc:"Within this distance the bus counts as at the stop."`
}

// Rider assigns a student to a stop.
type Rider struct {
	StudentID id.ID `json:"studentId"`
	StopID    id.ID `json:"stopId"`
	Pickup    bool  `json:"pickup"`
	Dropoff   bool  `json:"dropoff"`
}

// AddRoutes inserts routes with their stops, in order, and returns them with ids.
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

// AddBuses inserts buses and returns them with ids.
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
