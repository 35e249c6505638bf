package school

import (
	"context"
	"slices"

	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
)

// Calendar has the school days of a date range.
type Calendar struct {
	schools  []weekend // one, unless the school was deleted meanwhile
	holidays []Holiday
}

type weekend struct {
	Settings db.JSON[stored]
}

// CalendarOf reads the calendar of a date range.
func CalendarOf(ctx context.Context, q db.Q, from, to clock.Date) (c Calendar, err error) {
	err = db.Read(ctx, q, c.Ask(from, to)...)
	return c, fault.Wrap("read calendar", err)
}

// Ask asks for the calendar of a date range, for db.Read.
func (c *Calendar) Ask(from, to clock.Date) []db.Ask {
	return []db.Ask{db.Into(&c.schools, `SELECT settings FROM schools WHERE id = :school`, nil), askHolidays(&c.holidays, from, to)}
}

// Holiday returns the name of the day's holiday; "" for none.
func (c Calendar) Holiday(d clock.Date) string {
	for _, h := range c.holidays {
		if h.Date <= d && d <= h.EndDate {
			return h.Name
		}
	}
	return ""
}

// IsSchoolDay reports whether the day is neither a holiday nor on a weekend.
func (c Calendar) IsSchoolDay(d clock.Date) bool {
	return c.Holiday(d) == "" && !slices.ContainsFunc(c.schools, func(w weekend) bool {
		return slices.Contains(w.Settings.V.WeekendDays, d.Weekday())
	})
}

// SchoolDays returns the school days of a range within the calendar's.
func (c Calendar) SchoolDays(from, to clock.Date) (days []clock.Date) {
	for d := from; d <= to; d = d.AddDays(1) {
		if c.IsSchoolDay(d) {
			days = append(days, d)
		}
	}
	return days
}
