package library

import (
	"context"

	"homeroom/internal/feature/people"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

// Duties are the loans that an employee has not returned.
func Duties() people.Duties {
	return people.Duties{Kind: "LOAN", Module: "library", List: listOut}
}

func listOut(ctx context.Context, q db.Q, employee id.ID, _ clock.Date) ([]people.Duty, error) {
	return db.All[people.Duty](ctx, q, `
		SELECT l.id, b.title AS name, 1 AS count, NULL AS academic_year_id, l.due_date AS date
		FROM library_loans l JOIN library_books b ON b.school_id = l.school_id AND b.id = l.book_id
		WHERE l.school_id = :school AND l.employee_id = :employee AND l.status = 'ISSUED' ORDER BY l.due_date, l.id`,
		db.Args{"employee": employee})
}
