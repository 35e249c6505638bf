package library

import (
	"context"
	"fmt"

	"homeroom/internal/feature/people"
	"homeroom/internal/feature/school"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

// HasHistory reports whether a student has ever borrowed a book.
func (s *Service) HasHistory(ctx context.Context, q db.Q, student id.ID) (bool, error) {
	n, err := db.One[int](ctx, q, `SELECT count(*) FROM library_loans WHERE school_id = :school AND student_id = :student`,
		db.Args{"student": student})
	if err != nil {
		return false, fmt.Errorf("count loans of student: %w", err)
	}
	return n > 0, nil
}

// Section is the library section of a student's profile and data export: every loan,
// the latest first.
func (s *Service) Section() people.Section {
	return people.Section{Name: "loans", Module: "library", Read: func(ctx context.Context, q db.Q, student id.ID) (any, error) {
		at, err := school.Get(ctx, q)
		if err != nil {
			return nil, err
		}
		return listLoans(ctx, q, `l.school_id = :school AND l.student_id = :student`, db.Args{"student": student},
			clock.DateIn(s.Now(), at.Timezone))
	}}
}
