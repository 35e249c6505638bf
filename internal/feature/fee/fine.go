package fee

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/unscoped"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/jobs"
	"homeroom/internal/platform/money"
)

// A late fine is a separate charge that grows until the late charge is paid. An
// hourly job updates it, and so does each payment, so that the amount does not
// depend on when the job ran. FinedUntil makes each day count once.

// lateFine is the growth of a charge's fine since FinedUntil.
func (c *Charge) lateFine(until clock.Date) money.Money {
	from := max(c.DueDate, c.ChargedOn).AddDays(c.GraceDays)
	if c.FinedUntil != nil {
		from = max(from, *c.FinedUntil)
	}
	days := daysBetween(from, until)
	switch {
	case days <= 0 || c.outstanding() == 0:
		return 0
	case c.FinePerDay != nil:
		return *c.FinePerDay * money.Money(days)
	case c.FineFlat != nil && c.FinedUntil == nil:
		return *c.FineFlat
	}
	return 0
}

// updateFines updates the late fines of the book's unpaid charges.
func (b *book) updateFines(ctx context.Context, until clock.Date) error {
	var late []*Charge
	var ids, students []id.ID
	for _, student := range slices.Sorted(maps.Keys(b.unpaid)) {
		for _, c := range b.unpaid[student] {
			if c.lateFine(until) > 0 {
				late, ids, students = append(late, c), append(ids, c.ID), append(students, student)
			}
		}
	}
	if len(late) == 0 {
		return nil
	}
	known, err := listCharges(ctx, b.tx, ` AND c.fine_of IN (:ids)`, ids)
	if err != nil {
		return err
	}
	fines := map[id.ID]*Charge{}
	for _, f := range known {
		fines[*f.FineOf] = b.track(f)
	}
	head, err := b.s.ownHead(ctx, b.tx, b.who, lateFine)
	if err != nil {
		return err
	}
	concessions, err := concessionsOf(ctx, b.tx, students)
	if err != nil {
		return err
	}
	for _, c := range late {
		b.updateFine(c, fines[c.ID], head, until, concessions[c.StudentID])
	}
	return nil
}

// updateFine creates or raises the fine of one charge. A voided fine stays void.
func (b *book) updateFine(c, fine *Charge, head Head, until clock.Date, concessions []*Concession) {
	if fine != nil && fine.Status == statusVoid {
		return
	}
	if fine == nil {
		fine = b.track(&Charge{ID: b.s.NewID(), StudentID: c.StudentID, AcademicYearID: c.AcademicYearID, HeadID: head.ID, Head: head.Name,
			HeadSystem: string(head.System), FineOf: &c.ID, Title: head.Name + ": " + c.Title, DueDate: until, ChargedOn: b.date, CreatedAt: b.now})
	}
	growth := c.lateFine(until)
	b.charge(fine, growth)
	b.applyConcessions(fine, growth, concessions)
	c.FinedUntil = &until
	b.touch(c)
}

// loadLate reads the school's late charges and the accounts of their students.
func (b *book) loadLate(ctx context.Context, until clock.Date) error {
	late, err := chargesWhere(ctx, b.tx, ` AND `+isUnpaid+` AND c.due_date < :until AND (c.fined_until IS NULL OR c.fined_until < :until)
		AND (f.fine_per_day IS NOT NULL OR f.fine_flat IS NOT NULL AND c.fined_until IS NULL)`, db.Args{"until": until})
	if err != nil || len(late) == 0 {
		return err
	}
	students := make([]id.ID, len(late))
	for i, c := range late {
		students[i] = b.track(c).StudentID
	}
	return b.loadAccounts(ctx, students)
}

func daysBetween(from, to clock.Date) int { return int(to.Time().Sub(from.Time()) / (24 * time.Hour)) }

// Periodics runs the late fines every hour, so that they appear soon after midnight
// in each school's time zone.
func (s *Service) Periodics() []jobs.Periodic {
	return []jobs.Periodic{{Name: "fee.fines", Every: time.Hour, Run: s.FineAll}}
}

// FineAll updates the late fines of every school.
func (s *Service) FineAll(ctx context.Context) error {
	type place struct {
		ID               id.ID
		Timezone, Locale string
	}
	schools, err := db.All[place](ctx, s.DB.Across(unscoped.Permit{}), `
		SELECT s.id, s.timezone, s.locale FROM schools s WHERE s.status = 'ACTIVE' AND EXISTS (
			SELECT 1 FROM fee_structures f WHERE f.school_id = s.id AND (f.fine_per_day IS NOT NULL OR f.fine_flat IS NOT NULL))`, nil)
	if err != nil {
		return fmt.Errorf("list schools with late fines: %w", err)
	}
	var failed []error // one school's error does not stop the others
	for _, p := range schools {
		if err := s.fineSchool(ctx, actor.Actor{School: p.ID, Zone: p.Timezone, Locale: p.Locale}); err != nil {
			failed = append(failed, fmt.Errorf("update late fines of school %s: %w", p.ID, err))
		}
	}
	return errors.Join(failed...)
}

func (s *Service) fineSchool(ctx context.Context, who actor.Actor) error {
	return s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		today := s.today(who)
		b, err := s.openBook(ctx, tx, who, today)
		if err != nil {
			return err
		}
		if err := b.loadLate(ctx, today); err != nil {
			return err
		}
		if err := b.updateFines(ctx, today); err != nil {
			return err
		}
		if len(b.posts) == 0 {
			return nil
		}
		if err := b.write(ctx); err != nil {
			return err
		}
		return s.record(ctx, tx, who, "fee-fine.charge", "school", who.School, nil, map[string]any{"fines": len(b.posts), "until": today})
	})
}

// Fine is a charge by another module.
type Fine struct {
	Student   id.ID
	Reference string      // such as "loan/…"; charged once per reference
	Amount    money.Money // more than 0
	Note      string
}

// LibraryFine charges a library fine. It is idempotent by reference.
func (s *Service) LibraryFine(ctx context.Context, tx *db.Tx, who actor.Actor, f Fine) error {
	b, err := s.openBook(ctx, tx, who, s.today(who))
	if err != nil {
		return err
	}
	n, err := db.One[int](ctx, tx, `SELECT COUNT(*) FROM fee_charges WHERE school_id = :school AND reference = :reference`,
		db.Args{"reference": f.Reference})
	if err != nil || n > 0 {
		return fault.Wrap("read fine", err)
	}
	head, err := s.ownHead(ctx, tx, who, libraryFine)
	if err != nil {
		return err
	}
	c, err := b.adHoc(ctx, f.Student, head, f.Amount, newCharge{title: head.Name, note: f.Note, dueDate: b.date, reference: &f.Reference})
	if err != nil {
		return err
	}
	return s.finishCharge(ctx, b, c)
}
