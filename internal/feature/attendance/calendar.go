package attendance

import "homeroom/internal/platform/clock"

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
