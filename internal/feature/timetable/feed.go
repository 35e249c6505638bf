package timetable

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"homeroom/internal/feature/school"
	"homeroom/internal/feature/timetable/ical"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
)

// audience is a teacher or a division, the owner of a calendar.
type audience struct {
	name     string
	teacher  id.ID
	division id.ID
	others   []id.ID // electives that the student does not take
	reader   Reader
	grants   actor.Grants
}

// feed returns the calendar of the current academic year: a weekly event for each
// period, except on holidays and overridden days, and one event for each override,
// holiday, exam paper and event.
func (s *Service) feed(ctx context.Context, q db.Q, a audience) (ical.Calendar, error) {
	at, err := school.Get(ctx, q)
	if err != nil {
		return ical.Calendar{}, err
	}
	now := s.Now()
	cal := ical.Calendar{Name: a.name, Zone: clock.Zone(at.Timezone), From: clock.DateIn(now, at.Timezone), To: clock.DateIn(now, at.Timezone)}
	year, err := school.CurrentYear(ctx, q)
	switch {
	case errors.Is(err, school.ErrNoCurrentYear):
		return cal, nil
	case err != nil:
		return cal, err
	}
	cal.From, cal.To = year.StartDate, year.EndDate
	if cal.Events, err = s.occasions(ctx, q, a, year); err != nil || a.teacher == "" && a.division == "" {
		return cal, err
	}
	week, err := listPeriods(ctx, q, periodFilter{year: year.ID, teacher: a.teacher, division: a.division, instead: true})
	if err != nil {
		return cal, err
	}
	overrides, err := listOverrides(ctx, q, overrideFilter{year: year.ID, teacher: a.teacher, division: a.division})
	if err != nil {
		return cal, err
	}
	free, err := holidays(ctx, q, year.StartDate, year.EndDate)
	if err != nil {
		return cal, err
	}
	versions, err := listVersions(ctx, q, year.ID)
	if err != nil {
		return cal, err
	}
	for _, p := range week {
		cal.Events = append(cal.Events, a.events(p, overrides, free, year, versions[p.DivisionID])...)
	}
	return cal, nil
}

// events returns the events of one period.
func (a audience) events(p Period, overrides []Override, free map[clock.Date]string, year school.Year, v version) []ical.Event {
	var out []ical.Event
	except := map[clock.Date]bool{}
	for d := range free {
		except[d] = true
	}
	for _, o := range overrides {
		if o.slot() != p.slot() || o.DayOfWeek != p.DayOfWeek || free[o.Date] != "" {
			continue
		}
		except[o.Date] = true
		if held := o.on(p); !o.IsCancelled && a.hears(held) {
			e := a.event(held, v)
			e.UID, e.Date = string(o.ID)+"@homeroom", o.Date
			e.Stamp = later(o.UpdatedAt, v.UpdatedAt)
			out = append(out, e)
		}
	}
	if !a.hears(p) {
		return out
	}
	if e, ok := weekly(a.event(p, v), p.DayOfWeek, except, year); ok {
		out = append(out, e)
	}
	return out
}

// hears reports whether a lesson is in this calendar.
func (a audience) hears(p Period) bool {
	return (a.teacher == "" || opt.Value(p.TeacherID) == a.teacher) && !slices.Contains(a.others, p.SubjectID)
}

// event returns a lesson without its day. The UID identifies the place in the week,
// so that a new timetable updates events instead of duplicating them.
func (a audience) event(p Period, v version) ical.Event {
	e := ical.Event{
		UID:   fmt.Sprintf("%s-%d-%d@homeroom", p.DivisionID, p.DayOfWeek, p.PeriodNo),
		Start: p.StartTime, End: p.EndTime, Stamp: v.UpdatedAt, Sequence: v.Version,
		Summary: p.SubjectName, Location: string(p.Room), Description: string(p.TeacherName),
	}
	if e.Location == "" {
		e.Location = p.HomeRoom
	}
	if a.teacher != "" {
		e.Summary, e.Description = p.SubjectName+", "+p.place(), ""
	}
	if p.Override != nil && p.Override.Note != "" {
		if e.Description != "" {
			e.Description += "\n"
		}
		e.Description += string(p.Override.Note)
	}
	return e
}

// weekly repeats an event through the year; false if no week is left.
func weekly(e ical.Event, day int, except map[clock.Date]bool, year school.Year) (ical.Event, bool) {
	first := year.StartDate.AddDays((day - year.StartDate.Weekday() + 7) % 7)
	for d := first; d <= year.EndDate; d = d.AddDays(7) {
		switch {
		case !except[d] && e.Date == "":
			e.Date, e.Until = d, d
		case !except[d]:
			e.Until = d
		case e.Date != "":
			e.Except = append(e.Except, d)
		}
	}
	e.Except = slices.DeleteFunc(e.Except, func(d clock.Date) bool { return d > e.Until })
	return e, e.Date != ""
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// version is the number and time of changes of a division's week.
type version struct {
	DivisionID id.ID
	Version    int
	UpdatedAt  time.Time
}

func listVersions(ctx context.Context, q db.Q, year id.ID) (map[id.ID]version, error) {
	of := map[id.ID]version{}
	err := db.Each(ctx, q, `SELECT division_id, version, updated_at FROM timetables WHERE school_id = :school AND academic_year_id = :year`,
		db.Args{"year": year}, func(v version) error {
			of[v.DivisionID] = v
			return nil
		})
	if err != nil {
		return nil, fmt.Errorf("read versions of timetables: %w", err)
	}
	return of, nil
}
