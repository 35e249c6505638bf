package event

import (
	"context"

	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

// WholeDay reports whether the event has the default times.
func (e Event) WholeDay() bool { return e.StartTime == dayStart && e.EndTime == dayEnd }

// Calendar lists the events of a calendar that are not cancelled: of a student, or of a
// teacher's account. The caller checks who may see it.
func Calendar(ctx context.Context, q db.Q, student, teacher id.ID, from, to clock.Date) ([]Event, error) {
	return latest(ctx, q, moment{}, filter{student: student, teacher: teacher, from: from, to: to, held: true}, maxEvents)
}
