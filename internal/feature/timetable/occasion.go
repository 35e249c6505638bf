package timetable

import (
	"context"
	"fmt"
	"time"

	"homeroom/internal/feature/school"
	"homeroom/internal/feature/timetable/ical"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

// Occasion is a date of another module in a calendar: an exam paper or an event.
type Occasion struct {
	ID         id.ID
	Date       clock.Date
	Start, End clock.TimeOfDay // "" for the whole day
	Title      string
	Place      string
	Note       string
	Version    int
	UpdatedAt  time.Time
}

// Reader is the owner of a calendar: a parent with one child, or a teacher.
type Reader struct {
	User    id.ID
	Student id.ID // "" for a teacher
}

// Occasions lists the dates of a module for readers whose role may read it.
type Occasions struct {
	Module string
	List   func(ctx context.Context, q db.Q, r Reader, from, to clock.Date) ([]Occasion, error)
}

// occasions returns holidays, and the dates of other modules that the owner may read.
func (s *Service) occasions(ctx context.Context, q db.Q, a audience, year school.Year) ([]ical.Event, error) {
	free, err := school.Holidays(ctx, q, year.StartDate, year.EndDate)
	if err != nil {
		return nil, err
	}
	var out []ical.Event
	for _, h := range free {
		out = append(out, ical.Event{UID: string(h.ID) + "@homeroom", Stamp: h.UpdatedAt, Sequence: h.Version, Date: h.Date, Last: h.EndDate,
			Summary: h.Name})
	}
	for _, m := range s.Occasions {
		if a.grants[m.Module]&actor.Read == 0 {
			continue
		}
		list, err := m.List(ctx, q, a.reader, year.StartDate, year.EndDate)
		if err != nil {
			return nil, fmt.Errorf("list dates of %s: %w", m.Module, err)
		}
		for _, o := range list {
			out = append(out, ical.Event{UID: string(o.ID) + "@homeroom", Stamp: o.UpdatedAt, Sequence: o.Version, Date: o.Date,
				Start: o.Start, End: o.End, Summary: o.Title, Location: o.Place, Description: o.Note})
		}
	}
	return out, nil
}
