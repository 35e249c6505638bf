package transport

import (
	"context"
	"fmt"
	"time"

	"homeroom/internal/feature/people"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
	"homeroom/internal/platform/page"
)

// Status is the status of a trip.
type Status string

// The statuses of a trip.
const (
	Scheduled  Status = "scheduled"
	InProgress Status = "in_progress"
	Paused     Status = "paused"
	Completed  Status = "completed"
	Cancelled  Status = "cancelled"
)

// Type is the direction of a trip.
type Type string

// The types of a trip.
const (
	Pickup  Type = "pickup"  // from the stops to the school
	Dropoff Type = "dropoff" // from the school to the stops
)

// Trip is one journey of a bus, scheduled, running or past.
type Trip struct {
	ID                id.ID           `json:"id"`
	BusID             id.ID           `json:"busId"`
	BusRegistrationNo string          `json:"busRegistrationNo"`
	BusName           opt.Text        `json:"busName"`
	RouteID           id.ID           `json:"routeId"`
	RouteName         string          `json:"routeName"`
	DriverID          id.ID           `json:"driverId" doc:"The employee who drives."`
	DriverName        opt.Text        `json:"driverName"`
	Type              Type            `json:"type" enum:"pickup,dropoff"`
	Date              clock.Date      `json:"date"`
	StartTime         clock.TimeOfDay `json:"startTime" doc:"Scheduled start."`
	Status            Status          `json:"status" enum:"scheduled,in_progress,paused,completed,cancelled"`
	StartedAt         *time.Time      `json:"startedAt"`
	PausedAt          *time.Time      `json:"pausedAt" doc:"Start of the current pause; null if not paused."`
	EndedAt           *time.Time      `json:"endedAt"`
	ConfirmedEmpty    bool            `json:"confirmedEmpty" doc:"The driver confirmed that the bus was empty at the end."`
	CancelledAt       *time.Time      `json:"cancelledAt"`
	CancelReason      opt.Text        `json:"cancelReason"`
	Version           int             `json:"version"`
	CreatedAt         time.Time       `json:"createdAt"`
	UpdatedAt         time.Time       `json:"updatedAt"`

	DriverUserID id.ID `json:"-"` // the driver's account; "" for none
}

// Running reports whether a trip is in progress or paused.
func (t Trip) Running() bool { return t.Status == InProgress || t.Status == Paused }

const tripColumns = `t.id, t.bus_id, b.registration_no AS bus_registration_no, b.name AS bus_name, t.route_id, r.name AS route_name,
	t.driver_id, TRIM(e.first_name || ' ' || e.last_name) AS driver_name,
	CASE WHEN e.archived_at IS NULL AND e.status <> 'RESIGNED' THEN e.user_id END AS driver_user_id,
	t.type, t.date, t.start_time, t.status, t.started_at, t.paused_at, t.ended_at, t.confirmed_empty, t.cancelled_at, t.cancel_reason,
	t.version, t.created_at, t.updated_at`

const tripTable = `trips t
	JOIN buses b ON b.school_id = t.school_id AND b.id = t.bus_id
	JOIN routes r ON r.school_id = t.school_id AND r.id = t.route_id
	JOIN employees e ON e.school_id = t.school_id AND e.id = t.driver_id
	WHERE t.school_id = :school`

type tripFilters struct {
	BusID    *id.ID      `json:"busId,omitempty"`
	RouteID  *id.ID      `json:"routeId,omitempty"`
	DriverID *id.ID      `json:"driverId,omitempty"`
	Date     *clock.Date `json:"date,omitempty"`
	From     *clock.Date `json:"from,omitempty"`
	To       *clock.Date `json:"to,omitempty"`
	Type     Type        `json:"type,omitempty" enum:"pickup,dropoff"`
	Status   Status      `json:"status,omitempty" enum:"scheduled,in_progress,paused,completed,cancelled" alias:"started=in_progress,ended=completed" doc:"Read in any case, and as started or ended."`
}

// pageTrips lists trips; more is an extra SQL condition.
func pageTrips(ctx context.Context, q db.Q, f tripFilters, r page.Request, more string, user id.ID) (page.Of[Trip], error) {
	out, err := db.Page[Trip](ctx, q, db.List{
		Columns: tripColumns,
		From: tripTable + more +
			db.When(f.BusID != nil, ` AND t.bus_id = :bus`) +
			db.When(f.RouteID != nil, ` AND t.route_id = :route`) +
			db.When(f.DriverID != nil, ` AND t.driver_id = :driver`) +
			db.When(f.Date != nil, ` AND t.date = :date`) +
			db.When(f.From != nil, ` AND t.date >= :from`) +
			db.When(f.To != nil, ` AND t.date <= :to`) +
			db.When(f.Type != "", ` AND t.type = :type`) +
			db.When(f.Status != "", ` AND t.status = :status`),
		Sorts:   map[string]string{"date": "t.date, t.start_time", "createdAt": "t.id", "id": "t.id"},
		Default: "date",
	}, r, db.Args{"bus": f.BusID, "route": f.RouteID, "driver": f.DriverID, "date": f.Date, "from": f.From, "to": f.To, "type": f.Type,
		"status": f.Status, "user": user})
	if err != nil {
		return out, fmt.Errorf("list trips: %w", err)
	}
	return out, nil
}

func (s *Service) trips(ctx context.Context, who actor.Actor, in page.Ask[tripFilters]) (page.Of[Trip], error) {
	q, f := s.DB.School(who.School), in.Filters
	out, err := pageTrips(ctx, q, f, in.Request, "", "")
	if err != nil || out.Total > 0 { // a match proves that the ids in the filter exist
		return out, err
	}
	return out, people.MustExist(ctx, q, people.Ref{Table: "buses", ID: f.BusID, Missing: ErrNoBus},
		people.Ref{Table: "routes", ID: f.RouteID, Missing: errNoRoute},
		people.Ref{Table: "employees", ID: f.DriverID, Missing: people.ErrNoEmployee})
}

type ownTripFilters struct {
	Date   *clock.Date `json:"date,omitempty" doc:"Default: today."`
	Status Status      `json:"status,omitempty" enum:"scheduled,in_progress,paused,completed,cancelled" alias:"started=in_progress,ended=completed" doc:"Read in any case, and as started or ended."`
}

// ownTrips lists a driver's trips of one day.
func (s *Service) ownTrips(ctx context.Context, who actor.Actor, in page.Ask[ownTripFilters]) (page.Of[Trip], error) {
	day := clock.DateIn(s.Now(), who.Zone)
	opt.Set(&day, in.Filters.Date)
	return pageTrips(ctx, s.DB.School(who.School), tripFilters{Date: &day, Status: in.Filters.Status}, in.Request,
		` AND t.driver_id IN (`+driverIDs+`)`, who.User)
}

func (s *Service) trip(ctx context.Context, who actor.Actor, in idIn) (Trip, error) {
	return TripOf(ctx, s.DB.School(who.School), in.ID)
}
