package leave

import (
	"context"

	"homeroom/internal/feature/school"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
)

// span is a date range, or half of a single day.
type span struct {
	From, To clock.Date
	Half     *string
}

// halves counts the half school days of s within a date range. Half days are integers,
// so that sums are exact.
func (s span) halves(c school.Calendar, from, to clock.Date) int {
	n := 2 * len(c.SchoolDays(max(s.From, from), min(s.To, to)))
	if s.Half != nil {
		n /= 2
	}
	return n
}

// days converts half days to days.
func days(halves int) float64 { return float64(halves) / 2 }

// count sets Days and IsEntered of leaves with a fixed number of queries.
func count(ctx context.Context, q db.Q, leaves []Leave) error {
	if len(leaves) == 0 {
		return nil
	}
	from, to := leaves[0].FromDate, leaves[0].ToDate
	for _, l := range leaves {
		from, to = min(from, l.FromDate), max(to, l.ToDate)
	}
	c, err := school.CalendarOf(ctx, q, from, to)
	if err != nil {
		return err
	}
	for i, l := range leaves {
		leaves[i].Days, leaves[i].IsEntered = days(l.span().halves(c, l.FromDate, l.ToDate)), l.entered()
	}
	return nil
}
