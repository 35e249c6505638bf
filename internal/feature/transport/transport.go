// Package transport knows the buses of a school, the routes they drive and the
// students who wait at their stops.
package transport

import (
	"context"
	"errors"
	"fmt"
	"time"

	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
)

var (
	errNoPart       = fault.Missing("driver or route")
	errNoRider      = fault.Missing("student or stop")
	errNoBus        = fault.New(fault.NotFound, "", "You are not assigned to a bus yet. Ask your school's administrator.")
	errRegistration = fault.Duplicate("Another bus has this registration number. Check the number.")
	errRouteName    = fault.Duplicate("Another route has this name. Choose another one.")
	errRides        = fault.Duplicate("A student is picked up at one stop, and dropped off at one. Take the other stop back first.")
)

// Service holds the rules about buses.
type Service struct {
	DB    *db.DB
	Now   clock.Now
	NewID id.Source
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
	StudentID id.ID
	StopID    id.ID
	Pickup    bool
	Dropoff   bool
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
	_, err = db.Insert(ctx, tx, `
		INSERT INTO route_stops (school_id, id, route_id, name, lat, lng, position, pickup_time, dropoff_time, geofence_meters)
		VALUES (:school, :id, :route_id, :name, :lat, :lng, :position, :pickup_time, :dropoff_time, :geofence_meters)`, stops)
	if err != nil {
		return nil, fmt.Errorf("add stops: %w", err)
	}
	return in, nil
}

// AddBuses makes buses and fills in what is the service's to say.
func (s *Service) AddBuses(ctx context.Context, tx *db.Tx, in []Bus) ([]Bus, error) {
	now := s.Now()
	for i := range in {
		in[i].ID, in[i].Status, in[i].Version, in[i].CreatedAt, in[i].UpdatedAt = s.NewID(), "ACTIVE", 1, now, now
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

// AddRiders puts students on their stops.
func (s *Service) AddRiders(ctx context.Context, tx *db.Tx, in []Rider) error {
	type row struct {
		Rider
		CreatedAt time.Time
	}
	rows := make([]row, len(in))
	for i, r := range in {
		rows[i] = row{r, s.Now()}
	}
	_, err := db.Insert(ctx, tx, `
		INSERT INTO student_stops (school_id, student_id, stop_id, pickup, dropoff, created_at)
		VALUES (:school, :student_id, :stop_id, :pickup, :dropoff, :created_at)`, rows)
	switch {
	case db.IsDuplicate(err, "student_stops_pickup"), db.IsDuplicate(err, "student_stops_dropoff"):
		return errRides.Because(err)
	case db.IsReference(err):
		return errNoRider.Because(err)
	case err != nil:
		return fmt.Errorf("add riders: %w", err)
	}
	return nil
}

// BusOf returns the bus that the driver's account is assigned to: of several,
// the first by registration number that is in service.
func BusOf(ctx context.Context, q db.Q, driverUser id.ID) (Bus, error) {
	bus, err := db.One[Bus](ctx, q, `
		SELECT `+busColumns+` FROM buses
		WHERE school_id = :school AND status <> 'RETIRED' AND driver_id IN (
			SELECT id FROM employees WHERE school_id = :school AND user_id = :user AND archived_at IS NULL AND status <> 'RESIGNED')
		ORDER BY status, registration_no LIMIT 1`, db.Args{"user": driverUser})
	switch {
	case errors.Is(err, db.ErrNotFound):
		return bus, errNoBus
	case err != nil:
		return bus, fmt.Errorf("read the driver's bus: %w", err)
	}
	return bus, nil
}
