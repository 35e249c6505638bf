package app

import (
	"context"
	"fmt"

	"homeroom/internal/feature/event"
	"homeroom/internal/feature/exam"
	"homeroom/internal/feature/timetable"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
)

// occasions are the exams and events in the calendars of parents and teachers.
var occasions = []timetable.Occasions{{Module: "exam", List: papersOf}, {Module: "event", List: eventsOf}}

// teacherOf is the account of a teacher's calendar; "" for a child's.
func teacherOf(r timetable.Reader) id.ID {
	if r.Student != "" {
		return ""
	}
	return r.User
}

func papersOf(ctx context.Context, q db.Q, r timetable.Reader, from, to clock.Date) ([]timetable.Occasion, error) {
	list, err := exam.Calendar(ctx, q, r.Student, teacherOf(r), from, to)
	out := make([]timetable.Occasion, len(list))
	for i, p := range list {
		out[i] = timetable.Occasion{ID: p.ID, Date: p.Date, Start: opt.Value(p.StartTime), End: opt.Value(p.EndTime), Place: string(p.Room),
			Title: fmt.Sprintf("%s: %s", p.ExamName, p.SubjectName), UpdatedAt: p.UpdatedAt}
		if r.Student == "" {
			out[i].Title += ", " + p.ClassName
		}
	}
	return out, err
}

func eventsOf(ctx context.Context, q db.Q, r timetable.Reader, from, to clock.Date) ([]timetable.Occasion, error) {
	list, err := event.Calendar(ctx, q, r.Student, teacherOf(r), from, to)
	out := make([]timetable.Occasion, len(list))
	for i, e := range list {
		out[i] = timetable.Occasion{ID: e.ID, Date: e.EventDate, Start: e.StartTime, End: e.EndTime, Title: e.Title, Place: string(e.Venue),
			Note: string(e.Description), Version: e.Version, UpdatedAt: e.UpdatedAt}
		if e.WholeDay() {
			out[i].Start, out[i].End = "", ""
		}
	}
	return out, err
}
