package exam

import (
	"context"

	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

// Calendar lists the papers of a calendar, without drafts: of a student, or of the classes
// of a teacher's account. The caller checks who may see it.
func Calendar(ctx context.Context, q db.Q, student, teacher id.ID, from, to clock.Date) ([]Paper, error) {
	return listPapers(ctx, q, paperFilter{student: student, teacher: teacher, from: from, to: to, shown: true})
}
