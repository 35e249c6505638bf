package leave

import (
	"context"
	"time"

	"homeroom/internal/feature/school"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
)

// span is a stretch of days, or one half of a single one.
type span struct {
	From, To clock.Date
	Half     *string
}

// calendar knows the school days of a stretch of time.
type calendar struct {
	weekend [7]bool // by time.Weekday
	free    map[clock.Date]bool
}

// readCalendar reads what it takes to count from from to to.
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

// halves counts the half school days of s from from to to. Half days are whole
// numbers of something, so that sums are exact.
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

// days is a number of half days as people say it.
func days(halves int) float64 { return float64(halves) / 2 }

// count fills in the school days of leaves, for as many statements as for one.
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
