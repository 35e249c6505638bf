package transport

import (
	"context"
	"fmt"
	"strings"
	"time"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
)

var (
	errState      = fault.New(fault.Conflict, "", "This can't be done with the trip now.")
	errBusBusy    = fault.New(fault.Conflict, "", "This bus is on another trip. End that one first.")
	errDriverBusy = fault.New(fault.Conflict, "", "The driver is on another trip. End that one first.")
	errAboard     = fault.New(fault.Conflict, "", "Students are still on the bus.")
)

// action changes the status of a trip.
type action string

const (
	start  action = "start"
	pause  action = "pause"
	resume action = "resume"
	end    action = "end"
	cancel action = "cancel"
)

// moves are the allowed changes of a trip's status, by action.
var moves = map[action]map[Status]Status{
	start:  {Scheduled: InProgress},
	pause:  {InProgress: Paused},
	resume: {Paused: InProgress},
	end:    {InProgress: Completed},
	cancel: {Scheduled: Cancelled, InProgress: Cancelled, Paused: Cancelled},
}

// words formats a status for people.
func words[T ~string](status T) string { return strings.ReplaceAll(string(status), "_", " ") }

type tripIn struct {
	TripID id.ID `path:"tripId"`
}

type startIn struct {
	TripID    id.ID      `path:"tripId"`
	StartedAt *time.Time `json:"startedAt" doc:"Time of the start on a phone that was offline, at most 12 hours ago. Default: now."`
}

// longestOffline is how late a start may arrive and still be of the time that the phone says.
const longestOffline = 12 * time.Hour

// began is when the trip began: now, or earlier on a phone that was offline. Positions since then are of the trip.
func (in startIn) began(now time.Time) time.Time {
	if in.StartedAt == nil || in.StartedAt.After(now) || in.StartedAt.Before(now.Add(-longestOffline)) {
		return now
	}
	return in.StartedAt.UTC().Truncate(time.Millisecond)
}

// Start starts a trip as its driver.
func (s *Service) Start(ctx context.Context, who actor.Actor, trip id.ID) (Trip, error) {
	return s.start(ctx, who, startIn{TripID: trip})
}

// start starts a trip: it inserts the students of the route and notifies their parents.
func (s *Service) start(ctx context.Context, who actor.Actor, in startIn) (Trip, error) {
	return s.drive(ctx, who, in.TripID, start, func(ctx context.Context, tx *db.Tx, before Trip, t *Trip) error {
		// One day of tolerance for wrong clocks and time zones.
		if t.Date > clock.DateIn(s.Now(), who.Zone).AddDays(1) {
			return errState.Saying("This trip is for %s.", t.Date)
		}
		now := s.Now()
		t.StartedAt = new(in.began(now))
		return addBoardings(ctx, tx, before, now)
	}, s.tellStarted)
}

func (s *Service) pause(ctx context.Context, who actor.Actor, in tripIn) (Trip, error) {
	return s.drive(ctx, who, in.TripID, pause, func(_ context.Context, _ *db.Tx, _ Trip, t *Trip) error {
		now := s.Now()
		t.PausedAt = &now
		return nil
	}, nil)
}

func (s *Service) resume(ctx context.Context, who actor.Actor, in tripIn) (Trip, error) {
	return s.drive(ctx, who, in.TripID, resume, func(_ context.Context, _ *db.Tx, _ Trip, t *Trip) error {
		t.PausedAt = nil
		return nil
	}, nil)
}

type endIn struct {
	TripID       id.ID `path:"tripId"`
	ConfirmEmpty bool  `json:"confirmEmpty" doc:"The driver has searched the bus and it is empty. Required to end a dropoff with students still on board."`
}

// End completes a trip as its driver.
func (s *Service) End(ctx context.Context, who actor.Actor, trip id.ID) (Trip, error) {
	return s.end(ctx, who, endIn{TripID: trip})
}

// end completes a trip: waiting students become no_show (absent if on leave), those on
// board alight. A dropoff can't end with students on board. Nobody is told of a trip of a past
// day that was left running.
func (s *Service) end(ctx context.Context, who actor.Actor, in endIn) (Trip, error) {
	var left []Boarding
	return s.drive(ctx, who, in.TripID, end, func(ctx context.Context, tx *db.Tx, before Trip, t *Trip) error {
		riders, err := RidersOf(ctx, tx, before)
		if err != nil {
			return err
		}
		if err := mustBeEmpty(before, riders, in.ConfirmEmpty); err != nil {
			return err
		}
		now := s.Now()
		t.EndedAt, t.ConfirmedEmpty = &now, in.ConfirmEmpty
		left, err = closeBoardings(ctx, tx, before, riders, now)
		return err
	}, func(ctx context.Context, tx *db.Tx, who actor.Actor, t Trip) error {
		if len(left) == 0 {
			return nil
		}
		if !s.missed(who, t) {
			if err := s.tellBoarded(ctx, tx, who.School, t, left); err != nil {
				return err
			}
		}
		return s.events().Boarded(ctx, tx, t, left)
	})
}

// mustBeEmpty refuses to end a dropoff with students on board, and names them.
func mustBeEmpty(t Trip, riders []Boarding, searched bool) error {
	names := namesOf(riders, func(b Boarding) bool { return b.Status == Boarded })
	if t.Type == Pickup || searched || names == "" {
		return nil
	}
	return errAboard.Saying("Still on the bus: %s. Let them get off, or confirm that you have searched the bus and it is empty.", names)
}

// closeBoardings gives every waiting or boarded student of an ending trip the final
// status and returns those changed.
func closeBoardings(ctx context.Context, tx *db.Tx, t Trip, riders []Boarding, now time.Time) (changed []Boarding, err error) {
	away := []id.ID{}
	for _, b := range riders {
		switch {
		case b.Expected():
			b.do(NoShow, now, nil)
		case b.Status == Waiting:
			b.do(Absent, now, nil)
			away = append(away, b.StudentID)
		case b.Status == Boarded:
			b.do(Alighted, now, nil)
		default:
			continue
		}
		changed = append(changed, b)
	}
	_, err = db.Exec(ctx, tx, `
		UPDATE boardings SET status = 'absent', absent_at = :now, updated_at = :now
		WHERE school_id = :school AND trip_id = :trip AND status = 'waiting' AND student_id IN (:away)`,
		db.Args{"trip": t.ID, "now": now, "away": away})
	if err != nil {
		return nil, fmt.Errorf("close the boardings of students on leave: %w", err)
	}
	_, err = db.Exec(ctx, tx, `
		UPDATE boardings SET updated_at = :now,
			no_show_at = CASE WHEN status = 'waiting' THEN :now ELSE no_show_at END,
			alighted_at = CASE WHEN status = 'boarded' THEN :now ELSE alighted_at END,
			status = CASE WHEN status = 'waiting' THEN 'no_show' ELSE 'alighted' END
		WHERE school_id = :school AND trip_id = :trip AND status IN ('waiting', 'boarded')`, db.Args{"trip": t.ID, "now": now})
	if err != nil {
		return nil, fmt.Errorf("close the boardings of a trip: %w", err)
	}
	return changed, nil
}

// drive runs an action of the trip's driver. prepare runs before the trip is
// written and may change it; tell (optional) runs after.
func (s *Service) drive(ctx context.Context, who actor.Actor, trip id.ID, act action,
	prepare func(context.Context, *db.Tx, Trip, *Trip) error,
	tell func(context.Context, *db.Tx, actor.Actor, Trip) error) (after Trip, err error) {
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		before := Trip{ID: trip}
		if err := lockTrip(ctx, tx, &before); err != nil {
			return err
		}
		err := before.drivenBy(who.User)
		if act == start { // a trip that was left running may be ended later, too
			err = before.stillDrivenBy(ctx, tx, who.User, s.Now())
		}
		if err != nil {
			return err
		}
		after, err = s.step(ctx, tx, who, act, before, func(t *Trip) error { return prepare(ctx, tx, before, t) })
		if err != nil || tell == nil {
			return err
		}
		return tell(ctx, tx, who, after)
	})
	return after, err
}

// step applies an action to a trip; set changes further fields.
func (s *Service) step(ctx context.Context, tx *db.Tx, who actor.Actor, act action, before Trip, set func(*Trip) error) (Trip, error) {
	next, legal := moves[act][before.Status]
	if !legal {
		return before, errState.Saying("This trip is %s: you can't %s it now.", words(before.Status), act)
	}
	after := before
	after.Status, after.UpdatedAt, after.Version = next, s.Now(), before.Version+1
	if err := set(&after); err != nil {
		return before, err
	}
	switch ok, err := putTrip(ctx, tx, before.Status, after); {
	case err != nil:
		return before, err
	case !ok: // changed between read and write
		return before, errState
	}
	if err := s.Audit.Record(ctx, tx, who, "trip."+string(act), "trip", after.ID, before, after); err != nil {
		return before, err
	}
	return after, s.events().TripChanged(ctx, tx, after)
}

// putTrip updates a trip if its status still is was and its driver has not changed, and
// reports whether it did.
func putTrip(ctx context.Context, tx *db.Tx, was Status, t Trip) (bool, error) {
	n, err := db.Exec(ctx, tx, `
		UPDATE trips SET status = :status, started_at = :started, paused_at = :paused, ended_at = :ended, confirmed_empty = :empty,
			cancelled_at = :cancelled, cancel_reason = :reason, version = :version, updated_at = :now
		WHERE school_id = :school AND id = :id AND status = :was AND driver_id = :driver`,
		db.Args{"id": t.ID, "was": was, "driver": t.DriverID, "status": t.Status, "started": t.StartedAt, "paused": t.PausedAt,
			"ended": t.EndedAt, "empty": t.ConfirmedEmpty, "cancelled": t.CancelledAt, "reason": t.CancelReason,
			"version": t.Version, "now": t.UpdatedAt})
	switch {
	case db.IsDuplicate(err, "trips_running_bus"):
		return false, errBusBusy.Because(err)
	case db.IsDuplicate(err, "trips_running_driver"):
		return false, errDriverBusy.Because(err)
	case err != nil:
		return false, fmt.Errorf("write trip: %w", err)
	}
	return n == 1, nil
}

// lockTrip locks a trip and its students until tx ends, and reads it again: it may
// have changed meanwhile.
func lockTrip(ctx context.Context, tx *db.Tx, t *Trip) error {
	if err := tx.Lock(ctx, "trip "+t.ID.String()); err != nil {
		return fmt.Errorf("lock trip: %w", err)
	}
	now, err := TripOf(ctx, tx, t.ID)
	*t = now
	return err
}
