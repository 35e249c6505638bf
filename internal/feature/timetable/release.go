package timetable

import (
	"context"
	"time"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
)

// Release gives a teacher who is not absent after all the own lessons back: it ends the
// substitutions between two days, from today on, that were arranged after a time. The
// substitutes are notified. One that can't end without a clash stays.
func (s *Service) Release(ctx context.Context, tx *db.Tx, who actor.Actor, teacher id.ID, from, to clock.Date, since time.Time) error {
	if from = max(from, today(s.Now, who.Zone)); from > to {
		return nil
	}
	if err := lock(ctx, tx); err != nil {
		return err
	}
	arranged, err := listOverrides(ctx, tx, overrideFilter{teacher: teacher, from: from, to: to})
	if err != nil {
		return err
	}
	for _, o := range arranged {
		substitute := opt.Value(o.TeacherID)
		if opt.Value(o.RegularTeacherID) != teacher || substitute == "" || substitute == teacher || o.CreatedAt.Before(since) {
			continue
		}
		if err := s.release(ctx, tx, who, o); err != nil {
			return err
		}
	}
	return nil
}

func (s *Service) release(ctx context.Context, tx *db.Tx, who actor.Actor, o Override) error {
	year, err := yearOf(ctx, tx, o.Date)
	if err != nil {
		return err
	}
	day, err := schoolDay(ctx, tx, periodFilter{year: year, day: o.DayOfWeek}, overrideFilter{year: year, date: o.Date})
	if err != nil {
		return err
	}
	for i, p := range day {
		if p.slot() == o.slot() {
			day[i].TeacherID, day[i].Room = p.Override.RegularTeacherID, p.Override.RegularRoom
		}
	}
	if len(clashes(day, func(p Period) bool { return p.slot() == o.slot() })) > 0 {
		return nil
	}
	if err := deleteOverride(ctx, tx, o.ID); err != nil {
		return err
	}
	if err := s.notifySubstitutes(ctx, tx, who, o, Override{}); err != nil {
		return err
	}
	return s.Audit.Record(ctx, tx, who, "timetable-override.delete", "timetable-override", o.ID, o, nil)
}
