package timetable

import (
	"context"
	"fmt"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
)

type coverAsk struct {
	Date *clock.Date `json:"date" doc:"Default: today."`
}

type coverOut struct {
	Date    clock.Date  `json:"date"`
	Holiday opt.Text    `json:"holiday" doc:"The holiday on that day."`
	Lessons []uncovered `json:"lessons" doc:"By time."`
}

// uncovered is a lesson whose teacher is away.
type uncovered struct {
	Period
	LeaveHalf   *string `json:"leaveHalf" enum:"FIRST,SECOND" doc:"The half of the day that the teacher is on leave; null for the whole day."`
	TeacherLeft bool    `json:"teacherLeft" doc:"The teacher has resigned or was deleted. Hand the lesson over to another one."`
}

// cover lists the lessons of a day that need a substitute: held, by a teacher on leave or
// by one who has left the school.
func (s *Service) cover(ctx context.Context, who actor.Actor, in coverAsk) (coverOut, error) {
	q := s.DB.School(who.School)
	out := coverOut{Date: today(s.Now, who.Zone), Lessons: []uncovered{}}
	if in.Date != nil {
		out.Date = *in.Date
	}
	held, err := holidays(ctx, q, out.Date, out.Date)
	if err != nil {
		return out, err
	}
	if out.Holiday = opt.Text(held[out.Date]); out.Holiday != "" {
		return out, nil
	}
	year, err := yearOf(ctx, q, out.Date)
	if err != nil || year == "" {
		return out, err
	}
	day, err := schoolDay(ctx, q, periodFilter{year: year, day: out.Date.Weekday()}, overrideFilter{date: out.Date})
	if err != nil {
		return out, err
	}
	away, err := onLeave(ctx, q, out.Date)
	if err != nil {
		return out, err
	}
	left, err := whoLeft(ctx, q, day)
	for _, p := range withRooms(day) {
		if p.TeacherID == nil || p.cancelled() {
			continue
		}
		half, absent := away[*p.TeacherID]
		switch {
		case left[*p.TeacherID]:
			out.Lessons = append(out.Lessons, uncovered{Period: p, TeacherLeft: true})
		case absent:
			out.Lessons = append(out.Lessons, uncovered{Period: p, LeaveHalf: half})
		}
	}
	return out, err
}

// whoLeft returns the teachers of lessons who have resigned or were deleted.
func whoLeft(ctx context.Context, q db.Q, lessons []Period) (map[id.ID]bool, error) {
	var teachers []id.ID
	for _, p := range lessons {
		if p.TeacherID != nil {
			teachers = append(teachers, *p.TeacherID)
		}
	}
	return fits(ctx, q, `
		SELECT id, archived_at IS NOT NULL OR status = 'RESIGNED' AS fits
		FROM employees WHERE school_id = :school AND id IN (:ids)`, id.Unique(teachers), db.Args{})
}

// onLeave returns the employees with approved leave on a day, with the half of the day;
// nil for the whole day.
func onLeave(ctx context.Context, q db.Q, date clock.Date) (map[id.ID]*string, error) {
	type absent struct {
		EmployeeID id.ID
		Half       *string
	}
	away := map[id.ID]*string{}
	err := db.Each(ctx, q, `
		SELECT employee_id, half FROM leaves
		WHERE school_id = :school AND employee_id IS NOT NULL AND status = 'APPROVED' AND from_date <= :date AND to_date >= :date`,
		db.Args{"date": date}, func(a absent) error {
			if _, other := away[a.EmployeeID]; other { // one half and the other
				a.Half = nil
			}
			away[a.EmployeeID] = a.Half
			return nil
		})
	if err != nil {
		return nil, fmt.Errorf("read leave of employees: %w", err)
	}
	return away, nil
}

// NeedCover lists today's lessons that need a substitute and have not ended.
func (s *Service) NeedCover(ctx context.Context, who actor.Actor) (list []Period, err error) {
	out, err := s.cover(ctx, who, coverAsk{})
	now := clock.TimeOfDay(s.Now().In(clock.Zone(who.Zone)).Format("15:04"))
	for _, l := range out.Lessons {
		if l.EndTime > now {
			list = append(list, l.Period)
		}
	}
	return list, err
}
