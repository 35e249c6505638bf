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

// MarkYear marks approved leave in an academic year that has just become the current one: the students had no class
// there when it was approved.
func (s *Service) MarkYear(ctx context.Context, tx *db.Tx, who actor.Actor, y school.Year) error {
	return s.fill(ctx, tx, who, y.StartDate, y.EndDate, nil)
}

// MarkEntered marks approved leave of students who have just got a class in the current academic year.
func (s *Service) MarkEntered(ctx context.Context, tx *db.Tx, who actor.Actor, y school.Year, students []id.ID) error {
	return s.fill(ctx, tx, who, y.StartDate, y.EndDate, students)
}

// MarkDays marks approved leave on days that were no school days when it was approved.
func (s *Service) MarkDays(ctx context.Context, tx *db.Tx, who actor.Actor, from, to clock.Date) error {
	return s.fill(ctx, tx, who, from, to, nil)
}

// fill marks approved leave between two days where nobody has marked the student; students nil: of all.
func (s *Service) fill(ctx context.Context, tx *db.Tx, who actor.Actor, from, to clock.Date, students []id.ID) error {
	if s.Marks == nil {
		return nil
	}
	approved := ` AND l.status = 'APPROVED' AND s.status = 'ACTIVE' AND l.to_date >= :from AND l.from_date <= :to` +
		db.When(students != nil, ` AND l.student_id IN (:students)`)
	a := db.Args{"from": from, "to": to, "students": students}
	away, err := db.All[id.ID](ctx, tx, `SELECT DISTINCT l.student_id FROM `+leaveFrom+approved+` ORDER BY l.student_id`, a)
	if err != nil {
		return fmt.Errorf("list students on leave: %w", err)
	}
	for _, student := range away { // all before the first mark, as whoever decides locks them in this order
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
