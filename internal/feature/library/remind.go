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

// Reminders are sent between these hours, in the school's time zone.
const (
	opens  = 8
	closes = 20
)

// Periodics runs Day every hour, because schools are in different time zones.
func (s *Service) Periodics() []jobs.Periodic {
	return []jobs.Periodic{{Name: "library.day", Every: time.Hour, Run: s.Day}}
}

// Day does the daily work of every library: it ends expired holds and sends overdue
// reminders, once a day per loan. It is idempotent.
func (s *Service) Day(ctx context.Context) error {
	type place struct {
		ID       id.ID
		Timezone string
	}
	// The latest date of any time zone. Each school's own date is checked below.
	latest := clock.DateIn(s.Now().Add(24*time.Hour), "UTC")
	schools, err := db.All[place](ctx, s.DB.Across(unscoped.Permit{}), `
		SELECT s.id, s.timezone FROM schools s WHERE s.status = 'ACTIVE' AND (
			EXISTS (SELECT 1 FROM library_loans l WHERE l.school_id = s.id AND l.status = 'ISSUED' AND l.due_date < :latest)
			OR EXISTS (SELECT 1 FROM library_reservations r WHERE r.school_id = s.id AND r.status = 'READY' AND r.hold_until < :latest))
		ORDER BY s.id`, db.Args{"latest": latest})
	if err != nil {
		return fmt.Errorf("list libraries with expired holds or overdue loans: %w", err)
	}
	var failed []error
	for _, p := range schools {
		hour := s.Now().In(clock.Zone(p.Timezone)).Hour()
		err := s.atDesk(ctx, actor.Actor{School: p.ID, Zone: p.Timezone}, func(ctx context.Context, d desk) error {
			if err := d.expireHolds(ctx); err != nil || hour < opens || hour >= closes {
				return err
			}
			return d.remind(ctx)
		})
		if err != nil {
			failed = append(failed, fmt.Errorf("library of school %s: %w", p.ID, err))
		}
	}
	return errors.Join(failed...)
}

// expireHolds ends expired holds.
func (d desk) expireHolds(ctx context.Context) error {
	books, err := expiredHolds(ctx, d.tx, d.today)
	if err != nil || len(books) == 0 {
		return err
	}
	return d.assignCopies(ctx, books...)
}

// remind sends overdue reminders to borrowers who got none today.
func (d desk) remind(ctx context.Context) error {
	const due = `x.school_id = :school AND x.status = 'ISSUED' AND x.due_date < :today AND (x.reminded_on IS NULL OR x.reminded_on < :today)`
	a := db.Args{"today": d.today}
	whom, err := db.All[addressee](ctx, d.tx, `SELECT x.due_date AS date, `+addresseeColumns+` FROM library_loans x `+addresseeJoins+`
		WHERE `+due+` AND (s.id IS NOT NULL OR e.user_id IS NOT NULL) ORDER BY x.id`, a)
	if err != nil {
		return fmt.Errorf("list overdue loans: %w", err)
	}
	if len(whom) == 0 {
		return nil
	}
	if err := d.exec(ctx, "note reminders", `UPDATE library_loans AS x SET reminded_on = :today WHERE `+due, a); err != nil {
		return err
	}
	return d.notifyBorrowers(ctx, d.tx, d.who.School, whom, overdueNotice)
}
