package transport

import (
	"context"
	"time"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
)

// This file is the API for features that track buses.

// Errors that these features share.
var (
	ErrNoBus      = fault.Missing("bus")
	ErrNoTrip     = fault.Missing("trip")
	ErrNotDriver  = fault.Denied("You are not the driver of this bus or trip. Ask your school's administrator.")
	ErrNotVisible = fault.Denied("None of your children rides on this bus. Ask the school office if one should.")
)

// Events is called in the transaction of each change. Implementations publish with
// tx.AfterCommit.
type Events interface {
	// TripChanged is called after every change of a trip's status.
	TripChanged(ctx context.Context, tx *db.Tx, t Trip) error
	// Boarded is called after changes of students' statuses.
	Boarded(ctx context.Context, tx *db.Tx, t Trip, changed []Boarding) error
	// Reported is called after a new incident.
	Reported(ctx context.Context, tx *db.Tx, i Incident) error
	// Withdrawn is called after an incident was withdrawn.
	Withdrawn(ctx context.Context, tx *db.Tx, i Incident) error
}

// nobody is the Events of a service without any.
type nobody struct{}

func (nobody) TripChanged(context.Context, *db.Tx, Trip) error         { return nil }
func (nobody) Boarded(context.Context, *db.Tx, Trip, []Boarding) error { return nil }
func (nobody) Reported(context.Context, *db.Tx, Incident) error        { return nil }
func (nobody) Withdrawn(context.Context, *db.Tx, Incident) error       { return nil }

func (s *Service) events() Events {
	if s.Events == nil {
		return nobody{}
	}
	return s.Events
}

// GetBus returns a bus of q's school, or ErrNoBus.
func GetBus(ctx context.Context, q db.Q, bus id.ID) (Bus, error) {
	b, err := db.One[Bus](ctx, q, `
		SELECT `+busColumns+` FROM buses WHERE school_id = :school AND id = :id AND archived_at IS NULL`, db.Args{"id": bus})
	return b, db.Found("read bus", err, ErrNoBus)
}

// TripOf returns a trip of q's school, or ErrNoTrip.
func TripOf(ctx context.Context, q db.Q, trip id.ID) (Trip, error) {
	t, err := db.One[Trip](ctx, q, `SELECT `+tripColumns+` FROM `+tripTable+` AND t.id = :id`, db.Args{"id": trip})
	return t, db.Found("read trip", err, ErrNoTrip)
}

// LockTrip returns a trip of tx's school that stays as it is until tx ends, like its students, or ErrNoTrip.
func LockTrip(ctx context.Context, tx *db.Tx, trip id.ID) (Trip, error) {
	t := Trip{ID: trip}
	err := lockTrip(ctx, tx, &t)
	return t, err
}

// RunningTrip returns the running or paused trip of a bus, also one that nobody ended, or ErrNoTrip.
func RunningTrip(ctx context.Context, q db.Q, bus id.ID) (Trip, error) {
	t, err := db.One[Trip](ctx, q, `SELECT `+tripColumns+` FROM `+tripTable+` AND t.bus_id = :bus AND t.status IN ('in_progress', 'paused')`,
		db.Args{"bus": bus})
	return t, db.Found("read the bus's trip", err, ErrNoTrip)
}

// RouteStops returns the stops of a route in morning order. A dropoff visits them
// in reverse.
func RouteStops(ctx context.Context, q db.Q, route id.ID) ([]Stop, error) {
	list, err := db.All[Stop](ctx, q, `
		SELECT `+stopColumns+` FROM route_stops
		WHERE school_id = :school AND route_id = :route AND archived_at IS NULL ORDER BY position`, db.Args{"route": route})
	return list, db.Found("read stops", err, errNoStop)
}

// RidersOf returns the students of a trip by stop and name. Before the start these
// are the expected ones.
func RidersOf(ctx context.Context, q db.Q, t Trip) ([]Boarding, error) {
	list, err := db.All[Boarding](ctx, q, `SELECT `+boardingColumns+` FROM `+boardingTable(t)+`
		ORDER BY p.position, s.first_name, s.last_name, s.id`,
		boardingArgs(t))
	return list, db.Found("read the students of a trip", err, ErrNoTrip)
}

// MayDrive returns the trip if the account still drives it, else ErrNoTrip or ErrNotDriver.
func MayDrive(ctx context.Context, q db.Q, user, trip id.ID, now time.Time) (Trip, error) {
	t, err := TripOf(ctx, q, trip)
	if err != nil {
		return t, err
	}
	return t, t.stillDrivenBy(ctx, q, user, now)
}

// stillDrivenBy returns nil if the account is the driver's. After its day, a trip that was
// never started or never ended is only for those who may drive the bus without it.
func (t Trip) stillDrivenBy(ctx context.Context, q db.Q, user id.ID, now time.Time) error {
	left := t.Status == Scheduled && t.Date < comingSince(now) || t.Running() && !t.StillRuns(now)
	if err := t.drivenBy(user); err != nil || !left {
		return err
	}
	_, err := MayDriveBus(ctx, q, user, t.BusID, now)
	return err
}

func (t Trip) drivenBy(user id.ID) error {
	if user == "" || t.DriverUserID != user {
		return ErrNotDriver
	}
	return nil
}

// MayDriveBus returns the bus if the account is that of its driver or of the driver
// of a running or coming trip of it, else ErrNoBus or ErrNotDriver.
func MayDriveBus(ctx context.Context, q db.Q, user, bus id.ID, now time.Time) (Bus, error) {
	return MaySeeBus(ctx, q, actor.Actor{User: user, Role: actor.Driver}, bus, now)
}

const (
	// driverIDs selects the employees of the account :user.
	driverIDs = `SELECT e.id FROM employees e
		WHERE e.school_id = :school AND e.user_id = :user AND e.archived_at IS NULL AND e.status <> 'RESIGNED'`
	// childIDs selects the students that the account :user may see.
	childIDs = `SELECT l.student_id FROM guardians g
		JOIN student_guardians l ON l.school_id = g.school_id AND l.guardian_id = g.id
		JOIN students c ON c.school_id = l.school_id AND c.id = l.student_id AND c.archived_at IS NULL
		WHERE g.school_id = :school AND g.user_id = :user AND l.can_view_data`
)
