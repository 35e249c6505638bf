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
	schools  []row // one
	holidays []Holiday
}

// CalendarOf reads the calendar of a date range.
func CalendarOf(ctx context.Context, q db.Q, from, to clock.Date) (c Calendar, err error) {
	err = db.Read(ctx, q, c.Ask(from, to)...)
	return c, fault.Wrap("read calendar", err)
}

// Ask asks for the calendar of a date range, for db.Read.
func (c *Calendar) Ask(from, to clock.Date) []db.Ask {
	return []db.Ask{db.Into(&c.schools, `SELECT `+columns+` FROM schools WHERE id = :school`, nil), askHolidays(&c.holidays, from, to)}
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
	weekday := (int(d.Time().Weekday())+6)%7 + 1 // 1 is Monday
	return c.Holiday(d) == "" && !slices.Contains(c.schools[0].Stored.V.WeekendDays, weekday)
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
