package tracking

import (
	"context"
	"errors"
	"fmt"
	"time"

	"homeroom/internal/feature/tracking/eta"
	"homeroom/internal/feature/transport"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

// position is a row of the last position of a bus, with its next stop and delay.
type position struct {
	SchoolID     id.ID
	BusID        id.ID
	TripID       *id.ID
	At           time.Time
	Lat          float64
	Lng          float64
	Speed        float64
	Heading      float64
	NextStopID   *id.ID
	NextStopAt   *time.Time
	NextMeters   int
	DelaySeconds *int
}

func (p position) fix() Fix { return Fix{p.At, p.Lat, p.Lng, p.Speed, p.Heading} }

// step is a row of a trip's track.
type step struct {
	SchoolID id.ID
	TripID   id.ID
	Fix
}

const (
	positionColumns = `bus_id, trip_id, at, lat, lng, speed, heading, next_stop_id, next_stop_at, next_meters, delay_seconds`

	putPositions = `
		INSERT INTO bus_positions (school_id, ` + positionColumns + `)
		VALUES (:school_id, :bus_id, :trip_id, :at, :lat, :lng, :speed, :heading, :next_stop_id, :next_stop_at, :next_meters, :delay_seconds)
		ON CONFLICT (school_id, bus_id) DO UPDATE SET trip_id = excluded.trip_id, at = excluded.at, lat = excluded.lat, lng = excluded.lng,
			speed = excluded.speed, heading = excluded.heading, next_stop_id = excluded.next_stop_id, next_stop_at = excluded.next_stop_at,
			next_meters = excluded.next_meters, delay_seconds = excluded.delay_seconds
		WHERE excluded.at > bus_positions.at`

	putSteps = `
		INSERT INTO trip_positions (school_id, trip_id, at, lat, lng, speed, heading)
		VALUES (:school_id, :trip_id, :at, :lat, :lng, :speed, :heading)
		ON CONFLICT (school_id, trip_id, at) DO NOTHING`
)

// getPosition reads the last position of a bus; false if there is none.
func getPosition(ctx context.Context, q db.Q, bus id.ID) (position, bool, error) {
	p, err := db.One[position](ctx, q, `
		SELECT `+positionColumns+` FROM bus_positions WHERE school_id = :school AND bus_id = :bus`, db.Args{"bus": bus})
	switch {
	case errors.Is(err, db.ErrNotFound):
		return p, false, nil
	case err != nil:
		return p, false, fmt.Errorf("read position: %w", err)
	}
	return p, true, nil
}

// listSteps reads the track of a trip after a time, oldest first.
func listSteps(ctx context.Context, q db.Q, trip id.ID, after time.Time) ([]Fix, error) {
	list, err := db.All[Fix](ctx, q, `
		SELECT at, lat, lng, speed, heading FROM trip_positions
		WHERE school_id = :school AND trip_id = :trip AND at > :after ORDER BY at`, db.Args{"trip": trip, "after": after})
	if err != nil {
		return nil, fmt.Errorf("read track: %w", err)
	}
	return list, nil
}

// runningTrip reads the trip of a bus that still runs, or transport.ErrNoTrip.
func runningTrip(ctx context.Context, q db.Q, bus id.ID, now time.Time) (transport.Trip, error) {
	trip, err := transport.RunningTrip(ctx, q, bus)
	if err == nil && !trip.StillRuns(now) {
		err = transport.ErrNoTrip
	}
	return trip, err
}

// lastTrip reads the running trip of a bus, or else its latest that is over; false if there is none.
func lastTrip(ctx context.Context, q db.Q, bus id.ID, now time.Time) (transport.Trip, bool, error) {
	trip, err := runningTrip(ctx, q, bus, now)
	if !errors.Is(err, transport.ErrNoTrip) {
		return trip, err == nil, err
	}
	last, err := db.One[id.ID](ctx, q, `
		SELECT id FROM trips WHERE school_id = :school AND bus_id = :bus AND started_at IS NOT NULL
			AND status IN ('completed', 'cancelled')
		ORDER BY date DESC, start_time DESC, id DESC LIMIT 1`, db.Args{"bus": bus})
	switch {
	case errors.Is(err, db.ErrNotFound):
		return trip, false, nil
	case err != nil:
		return trip, false, fmt.Errorf("read the last trip of a bus: %w", err)
	}
	trip, err = transport.TripOf(ctx, q, last)
	return trip, err == nil, err
}

// legRow is a row of leg_times.
type legRow struct {
	TripID       id.ID
	FromStopID   id.ID
	ToStopID     id.ID
	RouteID      id.ID
	Weekday      int
	Hour         int
	DwellSeconds int
	DriveSeconds int
	At           time.Time
}

// remembered is the age limit of travel times: one term, because traffic changes
// with the season.
const remembered = 120 * 24 * time.Hour

func listLegs(ctx context.Context, q db.Q, route id.ID, since time.Time) ([]eta.Leg, error) {
	var out []eta.Leg
	err := db.Each(ctx, q, `
		SELECT trip_id, from_stop_id, to_stop_id, route_id, weekday, hour, dwell_seconds, drive_seconds, at FROM leg_times
		WHERE school_id = :school AND route_id = :route AND at > :since`, db.Args{"route": route, "since": since},
		func(r legRow) error {
			out = append(out, eta.Leg{FromStop: string(r.FromStopID), ToStop: string(r.ToStopID), Weekday: time.Weekday(r.Weekday), Hour: r.Hour,
				Dwell: time.Duration(r.DwellSeconds) * time.Second, Drive: time.Duration(r.DriveSeconds) * time.Second})
			return nil
		})
	if err != nil {
		return nil, fmt.Errorf("read past trips: %w", err)
	}
	return out, nil
}

func putLegs(ctx context.Context, tx *db.Tx, trip transport.Trip, at time.Time, legs []eta.Leg) error {
	rows := make([]legRow, len(legs))
	for i, l := range legs {
		rows[i] = legRow{trip.ID, id.ID(l.FromStop), id.ID(l.ToStop), trip.RouteID, int(l.Weekday), l.Hour,
			int(l.Dwell.Seconds()), int(l.Drive.Seconds()), at}
	}
	_, err := db.Insert(ctx, tx, `
		INSERT INTO leg_times (school_id, trip_id, from_stop_id, to_stop_id, route_id, weekday, hour, dwell_seconds, drive_seconds, at)
		VALUES (:school, :trip_id, :from_stop_id, :to_stop_id, :route_id, :weekday, :hour, :dwell_seconds, :drive_seconds, :at)
		ON CONFLICT (school_id, trip_id, from_stop_id, to_stop_id) DO NOTHING`, rows)
	if err != nil {
		return fmt.Errorf("write travel times: %w", err)
	}
	return nil
}
