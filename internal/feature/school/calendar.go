package school

import (
	"context"
	"slices"

	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
)

// Calendar has the school days of a date range.
type Calendar struct {
	weekend  []int // 1 is Monday
	holidays map[clock.Date]string
}

// CalendarOf reads the weekend and the holidays of a date range.
func CalendarOf(ctx context.Context, q db.Q, from, to clock.Date) (Calendar, error) {
	s, err := Get(ctx, q)
	if err != nil {
		return Calendar{}, err
	}
	list, err := Holidays(ctx, q, from, to)
	c := Calendar{weekend: s.WeekendDays, holidays: map[clock.Date]string{}}
	for _, h := range list {
		for d := max(h.Date, from); d <= min(h.EndDate, to); d = d.AddDays(1) {
			c.holidays[d] = h.Name
		}
	}
	return c, err
}

// Holiday returns the name of the day's holiday; "" for none.
func (c Calendar) Holiday(d clock.Date) string { return c.holidays[d] }

// IsSchoolDay reports whether the day is neither a holiday nor on a weekend.
func (c Calendar) IsSchoolDay(d clock.Date) bool {
	return c.holidays[d] == "" && !slices.Contains(c.weekend, (int(d.Time().Weekday())+6)%7+1)
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
