package leave

import (
	"context"

	"homeroom/internal/feature/people"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

// Duties are an employee's applications for leave that are not decided yet.
func Duties() people.Duties {
	return people.Duties{Kind: "LEAVE", Module: "leave", List: listPending}
}

func listPending(ctx context.Context, q db.Q, employee id.ID, _ clock.Date) ([]people.Duty, error) {
	return db.All[people.Duty](ctx, q, `
		SELECT id, type AS name, 1 AS count, NULL AS academic_year_id, from_date AS date
		FROM leaves WHERE school_id = :school AND employee_id = :employee AND status = 'PENDING' ORDER BY from_date, id`,
		db.Args{"employee": employee})
}
