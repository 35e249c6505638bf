package attendance

import (
	"time"

	"homeroom/internal/platform/clock"
)

// days are all days in a range. It compares times, because the day after 9999-12-31 sorts before it.
func days(from, to clock.Date) []clock.Date {
	var out []clock.Date
	for d := from.Time(); !d.After(to.Time()); d = d.AddDate(0, 0, 1) {
		out = append(out, clock.Date(d.Format(time.DateOnly)))
	}
	return out
}

// monthOf returns the first and last day of a month, YYYY-MM.
func monthOf(month string) (from, to clock.Date) {
	from = clock.Date(month + "-01")
	return from, clock.Date(from.Time().AddDate(0, 1, -1).Format("2006-01-02"))
}
