package leave

import (
	"context"
	"fmt"

	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

// MarkYear marks approved leave of students in an academic year that has just become the current one, or in which more
// of them are enrolled now: they had no class there when it was approved.
func (s *Service) MarkYear(ctx context.Context, tx *db.Tx, who actor.Actor, y school.Year) error {
	return s.MarkDays(ctx, tx, who, y.StartDate, y.EndDate)
}

// MarkDays marks approved leave of students between two days that were no school days for them when it was approved.
func (s *Service) MarkDays(ctx context.Context, tx *db.Tx, who actor.Actor, from, to clock.Date) error {
	if s.Marks == nil {
		return nil
	}
	const approved = ` AND l.status = 'APPROVED' AND s.status = 'ACTIVE' AND l.to_date >= :from AND l.from_date <= :to`
	a := db.Args{"from": from, "to": to}
	students, err := db.All[id.ID](ctx, tx, `SELECT DISTINCT l.student_id FROM `+leaveFrom+approved+` ORDER BY l.student_id`, a)
	if err != nil {
		return fmt.Errorf("list students on leave: %w", err)
	}
	for _, student := range students { // all before the first mark, as whoever decides locks them in this order
		if err := lock(ctx, tx, student); err != nil {
			return err
		}
	}
	leaves, err := db.All[Leave](ctx, tx, `SELECT `+columns+` FROM `+leaveFrom+approved+` ORDER BY l.id`, a)
	if err != nil {
		return fmt.Errorf("list leave of students: %w", err)
	}
	for _, l := range leaves {
		if err := s.Marks.FillLeave(ctx, tx, who, l.absence()); err != nil {
			return err
		}
	}
	return nil
}
