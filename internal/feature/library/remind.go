package library

import (
	"context"
	"errors"
	"fmt"
	"time"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/unscoped"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/jobs"
)

// Reminders are sent in these hours of the school's own day.
const (
	opens  = 8
	closes = 20
)

// Periodics comes round every hour, for it is morning somewhere else each time.
func (s *Service) Periodics() []jobs.Periodic {
	return []jobs.Periodic{{Name: "library.day", Every: time.Hour, Run: s.Day}}
}

// Day does what a day of the library brings, in every school that has it to do:
// holds that ran out pass to the next, and borrowers are told what is overdue,
// once a day for each loan. Doing it again does nothing.
func (s *Service) Day(ctx context.Context) error {
	type place struct {
		ID       id.ID
		Timezone string
	}
	// The latest date that it can be anywhere: each school's own is looked at below.
	latest := clock.DateIn(s.Now().Add(24*time.Hour), "UTC")
	schools, err := db.All[place](ctx, s.DB.Across(unscoped.Permit{}), `
		SELECT s.id, s.timezone FROM schools s WHERE s.status = 'ACTIVE' AND (
			EXISTS (SELECT 1 FROM library_loans l WHERE l.school_id = s.id AND l.status = 'ISSUED' AND l.due_date < :latest)
			OR EXISTS (SELECT 1 FROM library_reservations r WHERE r.school_id = s.id AND r.status = 'READY' AND r.hold_until < :latest))
		ORDER BY s.id`, db.Args{"latest": latest})
	if err != nil {
		return fmt.Errorf("find libraries with something to do: %w", err)
	}
	var failed []error
	for _, p := range schools {
		hour := s.Now().In(clock.Zone(p.Timezone)).Hour()
		err := s.atDesk(ctx, actor.Actor{School: p.ID, Zone: p.Timezone}, func(ctx context.Context, d desk) error {
			if err := d.lapse(ctx); err != nil || hour < opens || hour >= closes {
				return err
			}
			return d.remind(ctx)
		})
		if err != nil {
			failed = append(failed, fmt.Errorf("the library of school %s: %w", p.ID, err))
		}
	}
	return errors.Join(failed...)
}

// lapse ends the holds that ran out.
func (d desk) lapse(ctx context.Context) error {
	books, err := lapsed(ctx, d.tx, d.today)
	if err != nil || len(books) == 0 {
		return err
	}
	return d.settle(ctx, books...)
}

// remind tells the borrowers of overdue books who were not told today.
func (d desk) remind(ctx context.Context) error {
	const due = `x.school_id = :school AND x.status = 'ISSUED' AND x.due_date < :today AND (x.reminded_on IS NULL OR x.reminded_on < :today)`
	a := db.Args{"today": d.today}
	whom, err := db.All[addressee](ctx, d.tx, `SELECT x.due_date AS date, `+addresseeColumns+` FROM library_loans x `+addresseeJoins+`
		WHERE `+due+` AND (s.id IS NOT NULL OR e.user_id IS NOT NULL) ORDER BY x.id`, a)
	if err != nil {
		return fmt.Errorf("find overdue loans: %w", err)
	}
	if len(whom) == 0 {
		return nil
	}
	if err := d.exec(ctx, "note reminders", `UPDATE library_loans AS x SET reminded_on = :today WHERE `+due, a); err != nil {
		return err
	}
	return d.tell(ctx, d.tx, d.who.School, whom, overdueNotice)
}
