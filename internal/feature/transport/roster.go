package transport

import (
	"context"
	"errors"
	"time"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
	"homeroom/internal/platform/page"
)

// This file is the list of students that a driver works with.

type ownRiderFilters struct {
	TripID *id.ID `json:"tripId,omitempty"`
}

// ownRider is a student of a driver's trip, with what the driver needs in an emergency.
type ownRider struct {
	Boarding
	GuardianName  opt.Text `json:"guardianName" doc:"The primary guardian, or else another with a phone who may see the student's data. Null after the day of the trip."`
	GuardianPhone opt.Text `json:"guardianPhone"`
	RideNotes     opt.Text `json:"rideNotes" doc:"What the driver has to know of the student. Null after the day of the trip."`
}

// contactColumns are the further columns of an ownRider.
const contactColumns = `, COALESCE((SELECT g.name ` + firstGuardian + `), '') AS guardian_name,
	COALESCE((SELECT g.phone ` + firstGuardian + `), '') AS guardian_phone, s.ride_notes`

// firstGuardian selects whom to call about the student s.
const firstGuardian = `FROM student_guardians l JOIN guardians g ON g.school_id = l.school_id AND g.id = l.guardian_id AND g.phone <> ''
	WHERE l.school_id = s.school_id AND l.student_id = s.id AND l.can_view_data ORDER BY l.is_primary DESC, l.created_at, g.id LIMIT 1`

// ownRiders lists the students of one of the caller's trips.
func (s *Service) ownRiders(ctx context.Context, who actor.Actor, in page.Ask[ownRiderFilters]) (page.Of[ownRider], error) {
	q, now := s.DB.School(who.School), s.Now()
	today := clock.DateIn(now, who.Zone)
	var t Trip
	var err error
	if in.Filters.TripID != nil {
		t, err = MayDrive(ctx, q, who.User, *in.Filters.TripID, now)
	} else {
		t, err = nextOf(ctx, q, who.User, today, now)
	}
	switch {
	case errors.Is(err, ErrNoTrip) && in.Filters.TripID == nil:
		return page.New[ownRider](in.Clamp(), nil, 0), nil
	case err != nil:
		return page.Of[ownRider]{}, err
	}
	current := t.StillRuns(now) || t.Date >= today && t.Status != Cancelled
	return pageDriven[ownRider](ctx, q, t, in.Request, db.When(current, contactColumns), who.User, now)
}

// pageDriven lists the students of a trip for its driver. The list has what is true of them
// now: after the day of the trip, it has only those who still ride with the driver.
func pageDriven[T any](ctx context.Context, q db.Q, t Trip, r page.Request, columns string, user id.ID, now time.Time) (page.Of[T], error) {
	if t.StillRuns(now) || t.Date >= comingSince(now) {
		return pageRiders[T](ctx, q, t, r, columns, "", nil)
	}
	rides, args := ridesWith(user, now)
	out, err := pageRiders[T](ctx, q, t, r, columns, ` AND `+rides, args)
	if err == nil && out.Total == 0 {
		_, err = MayDriveBus(ctx, q, user, t.BusID, now)
	}
	return out, err
}

// nextOf reads the account's running trip, or else its next trip of the day.
func nextOf(ctx context.Context, q db.Q, user id.ID, day clock.Date, now time.Time) (Trip, error) {
	t, err := db.One[Trip](ctx, q, `SELECT `+tripColumns+` FROM `+tripTable+` AND t.driver_id IN (`+driverIDs+`)
		AND (`+StillRuns+` OR t.status = 'scheduled' AND t.date = :day)
		ORDER BY CASE WHEN t.status = 'scheduled' THEN 1 ELSE 0 END, t.start_time, t.id LIMIT 1`,
		db.Args{"user": user, "day": day, "begun": BegunSince(now)})
	return t, db.Found("read the driver's next trip", err, ErrNoTrip)
}
