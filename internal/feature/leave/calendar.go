package leave

import (
	"context"
	"time"

	"homeroom/internal/feature/school"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
)

// span is a date range, or half of a single day.
type span struct {
	From, To clock.Date
	Half     *string
}

// calendar has the school days of a date range.
type calendar struct {
	weekend [7]bool // by time.Weekday
	free    map[clock.Date]bool
}

// readCalendar reads the weekend and the holidays of a date range.
func readCalendar(ctx context.Context, q db.Q, from, to clock.Date) (calendar, error) {
	c := calendar{free: map[clock.Date]bool{}}
	sch, err := school.Get(ctx, q)
	if err != nil {
		return c, err
	}
	for _, day := range sch.WeekendDays {
		c.weekend[day%7] = true // 7 is Sunday, which is 0 here
	}
	holidays, err := school.Holidays(ctx, q, from, to)
	if err != nil {
		return c, err
	}
	for _, h := range holidays {
		for day := max(h.Date, from); day <= min(h.EndDate, to); day = day.AddDays(1) {
			c.free[day] = true
		}
	}
	return c, nil
}

// halves counts the half school days of s within a date range. Half days are integers,
// so that sums are exact.
func (c calendar) halves(s span, from, to clock.Date) int {
	n := 0
	last := min(s.To, to).Time()
	for t := max(s.From, from).Time(); !t.After(last); t = t.AddDate(0, 0, 1) {
		if !c.weekend[t.Weekday()] && !c.free[clock.Date(t.Format(time.DateOnly))] {
			n += 2
		}
	}
	if s.Half != nil {
		n /= 2
	}
	return n
}

// days converts half days to days.
func days(halves int) float64 { return float64(halves) / 2 }

// count sets Days of leaves with a fixed number of queries.
func count(ctx context.Context, q db.Q, leaves []Leave) error {
	if len(leaves) == 0 {
		return nil
	}
	from, to := leaves[0].FromDate, leaves[0].ToDate
	for _, l := range leaves {
		from, to = min(from, l.FromDate), max(to, l.ToDate)
	}
	c, err := readCalendar(ctx, q, from, to)
	if err != nil {
		return err
	}
	for i, l := range leaves {
		leaves[i].Days = days(c.halves(l.span(), l.FromDate, l.ToDate))
	}
	return nil
}
