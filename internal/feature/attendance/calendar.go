package attendance

import (
	"context"
	"slices"

	"homeroom/internal/feature/school"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
)

// calendar has the school days of a date range.
type calendar struct {
	weekend  []int
	holidays []school.Holiday
}

func getCalendar(ctx context.Context, q db.Q, from, to clock.Date) (calendar, error) {
	rules, err := school.Get(ctx, q)
	if err != nil {
		return calendar{}, err
	}
	holidays, err := school.Holidays(ctx, q, from, to)
	return calendar{rules.WeekendDays, holidays}, err
}

// holiday is the name of the day's holiday; empty for none.
func (c calendar) holiday(d clock.Date) string {
	for _, h := range c.holidays {
		if h.Date <= d && d <= h.EndDate {
			return h.Name
		}
	}
	return ""
}

func (c calendar) isWeekend(d clock.Date) bool {
	return slices.Contains(c.weekend, (int(d.Time().Weekday())+6)%7+1)
}

func (c calendar) isSchoolDay(d clock.Date) bool { return !c.isWeekend(d) && c.holiday(d) == "" }

// schoolDays are the school days in a range.
func (c calendar) schoolDays(from, to clock.Date) []clock.Date {
	return slices.DeleteFunc(days(from, to), func(d clock.Date) bool { return !c.isSchoolDay(d) })
}

// days are all days in a range.
func days(from, to clock.Date) []clock.Date {
	var out []clock.Date
	for d := from; d <= to; d = d.AddDays(1) {
		out = append(out, d)
	}
	return out
}

// monthOf returns the first and last day of a month, YYYY-MM.
func monthOf(month string) (from, to clock.Date) {
	from = clock.Date(month + "-01")
	return from, clock.Date(from.Time().AddDate(0, 1, -1).Format("2006-01-02"))
}
