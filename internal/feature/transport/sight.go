package transport

import (
	"context"
	"fmt"
	"time"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

// This file decides who may watch which bus. Drivers see their own and those of their
// trips, parents those of their children, everyone else at the school all.

// sights selects, by role, the buses (bus_id) that the accounts :users (user_id)
// may watch. Other roles may watch all.
var sights = map[actor.Role]string{
	actor.Driver: `
		SELECT k.id AS bus_id, e.user_id FROM employees e
		JOIN buses k ON k.school_id = e.school_id AND k.driver_id = e.id AND k.archived_at IS NULL
		WHERE e.school_id = :school AND e.user_id IN (:users) AND e.archived_at IS NULL AND e.status <> 'RESIGNED'
		UNION
		SELECT k.id AS bus_id, e.user_id FROM employees e
		JOIN trips t ON t.school_id = e.school_id AND t.driver_id = e.id AND ` + runningOrComing + `
		JOIN buses k ON k.school_id = t.school_id AND k.id = t.bus_id AND k.archived_at IS NULL
		WHERE e.school_id = :school AND e.user_id IN (:users) AND e.archived_at IS NULL AND e.status <> 'RESIGNED'`,
	// The bus serves the child's route, or the child is on the list of its running trip.
	actor.Parent: `
		SELECT k.id AS bus_id, g.user_id FROM ` + children + `
		JOIN student_stops r ON r.school_id = c.school_id AND r.student_id = c.id
		JOIN route_stops p ON p.school_id = r.school_id AND p.id = r.stop_id AND p.archived_at IS NULL
		JOIN buses k ON k.school_id = p.school_id AND k.route_id = p.route_id AND k.archived_at IS NULL
		WHERE g.school_id = :school AND g.user_id IN (:users)
		UNION
		SELECT k.id AS bus_id, g.user_id FROM ` + children + `
		JOIN trips t ON t.school_id = c.school_id AND ` + StillRuns + `
		JOIN boardings x ON x.school_id = t.school_id AND x.trip_id = t.id AND x.student_id = c.id
		JOIN buses k ON k.school_id = t.school_id AND k.id = t.bus_id AND k.archived_at IS NULL
		WHERE g.school_id = :school AND g.user_id IN (:users)`,
}

// StillRuns is an SQL condition: the trip t is running. A trip that nobody ended runs until the
// day after its start.
const StillRuns = `t.status IN ('in_progress', 'paused') AND t.started_at >= :begun`

// runningOrComing is an SQL condition: the trip t is running or still to come. A trip that was
// never started gives its driver no right after its day.
const runningOrComing = `(` + StillRuns + ` OR t.status = 'scheduled' AND t.date >= :since)`

// comingSince is the first day of coming trips: yesterday, because of time zones and
// trips past midnight.
func comingSince(now time.Time) clock.Date { return clock.DateIn(now, "UTC").AddDays(-1) }

// BegunSince is the earliest start of trips that run, the :begun of StillRuns.
func BegunSince(now time.Time) time.Time { return now.UTC().Truncate(24*time.Hour).AddDate(0, 0, -1) }

// MayRunAt reports whether a time is of the day on which a trip started, or of the next.
func (t Trip) MayRunAt(at time.Time) bool {
	return t.StartedAt != nil && !t.StartedAt.Before(BegunSince(at))
}

// StillRuns reports whether a trip is running, and not only because nobody ended it.
func (t Trip) StillRuns(now time.Time) bool { return t.Running() && t.MayRunAt(now) }

// sightArgs are the arguments of sights.
func sightArgs(role actor.Role, users []id.ID, now time.Time) db.Args {
	args := db.Args{"users": users, "begun": BegunSince(now)}
	if role == actor.Driver {
		args["since"] = comingSince(now)
	}
	return args
}

// children joins guardians g to the children c at the school whom they may see.
const children = `guardians g
	JOIN student_guardians l ON l.school_id = g.school_id AND l.guardian_id = g.id AND l.can_view_data
	JOIN students c ON c.school_id = l.school_id AND c.id = l.student_id AND c.archived_at IS NULL AND c.status = 'ACTIVE'`

// Visible returns an SQL condition and its arguments: the buses b that the account of a
// role may watch. The condition is empty if it may watch all.
func Visible(role actor.Role, user id.ID, now time.Time) (string, db.Args) {
	if sights[role] == "" {
		return "", db.Args{}
	}
	return ` AND b.id IN (SELECT bus_id FROM (` + sights[role] + `) AS sight)`, sightArgs(role, []id.ID{user}, now)
}

// MaySeeBus returns the bus if the caller may watch it, else ErrNoBus, ErrNotDriver
// or ErrNotVisible.
func MaySeeBus(ctx context.Context, q db.Q, who actor.Actor, bus id.ID, now time.Time) (Bus, error) {
	b, err := GetBus(ctx, q, bus)
	if err != nil || sights[who.Role] == "" {
		return b, err
	}
	sees, err := Sight(ctx, q, who.Role, []id.ID{who.User}, now)
	switch {
	case err != nil:
		return b, err
	case sees(who.User, bus):
		return b, nil
	case who.Role == actor.Driver:
		return b, ErrNotDriver
	}
	return b, ErrNotVisible
}

// Sight reports which buses the accounts of one role may watch, from one query.
func Sight(ctx context.Context, q db.Q, role actor.Role, users []id.ID, now time.Time) (sees func(user, bus id.ID) bool, err error) {
	type sight struct{ BusID, UserID id.ID }
	seen := map[sight]bool{}
	if sights[role] == "" {
		err = db.Each(ctx, q, `SELECT id FROM buses WHERE school_id = :school AND archived_at IS NULL`, nil, func(bus id.ID) error {
			seen[sight{BusID: bus}] = true
			return nil
		})
	} else {
		err = db.Each(ctx, q, sights[role], sightArgs(role, users, now), func(s sight) error {
			seen[s] = true
			return nil
		})
	}
	if err != nil {
		return nil, fmt.Errorf("read who may watch a bus: %w", err)
	}
	return func(user, bus id.ID) bool { return seen[sight{bus, user}] || seen[sight{BusID: bus}] }, nil
}
