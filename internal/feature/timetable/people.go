package timetable

import (
	"context"
	"errors"
	"fmt"

	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
)

// subjectsOf returns the named subjects of the school, and whether the class has them.
func subjectsOf(ctx context.Context, q db.Q, class id.ID, in []part) (map[id.ID]bool, error) {
	var ids []id.ID
	for _, p := range in {
		if p.subject != nil {
			ids = append(ids, *p.subject)
		}
	}
	return fits(ctx, q, `
		SELECT s.id, EXISTS (SELECT 1 FROM class_subjects l
			WHERE l.school_id = s.school_id AND l.class_id = :class AND l.subject_id = s.id) AS fits
		FROM subjects s WHERE s.school_id = :school AND s.id IN (:ids)`, ids, db.Args{"class": class})
}

// teachersOf returns the named employees of the school, and whether they may teach.
func teachersOf(ctx context.Context, q db.Q, in []part) (map[id.ID]bool, error) {
	var ids []id.ID
	for _, p := range in {
		if p.teacher != nil {
			ids = append(ids, *p.teacher)
		}
	}
	return fits(ctx, q, `
		SELECT e.id, (r.type = 'TEACHER' AND e.status <> 'RESIGNED') AS fits
		FROM employees e JOIN roles r ON r.school_id = e.school_id AND r.id = e.role_id
		WHERE e.school_id = :school AND e.archived_at IS NULL AND e.id IN (:ids)`, ids, db.Args{})
}

func fits(ctx context.Context, q db.Q, sql string, ids []id.ID, a db.Args) (map[id.ID]bool, error) {
	type one struct {
		ID   id.ID
		Fits bool
	}
	known := map[id.ID]bool{}
	if len(ids) == 0 {
		return known, nil
	}
	a["ids"] = ids
	err := db.Each(ctx, q, sql, a, func(o one) error {
		known[o.ID] = o.Fits
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read subjects and teachers: %w", err)
	}
	return known, nil
}

// Teacher is a possible substitute.
type Teacher struct {
	ID           id.ID    `json:"id" doc:"The employee."`
	EmployeeCode string   `json:"employeeCode"`
	FirstName    string   `json:"firstName"`
	LastName     opt.Text `json:"lastName"`
	Lessons      int      `json:"lessons" db:"-" doc:"Number of lessons on that day."`
}

// listTeachers reads the active teachers without approved leave on a day, even of half
// a day: the timetable doesn't say when a half ends.
func listTeachers(ctx context.Context, q db.Q, date clock.Date) ([]Teacher, error) {
	list, err := db.All[Teacher](ctx, q, `
		SELECT e.id, e.employee_code, e.first_name, e.last_name
		FROM employees e JOIN roles r ON r.school_id = e.school_id AND r.id = e.role_id AND r.type = 'TEACHER'
		WHERE e.school_id = :school AND e.archived_at IS NULL AND e.status = 'ACTIVE'
			AND NOT EXISTS (SELECT 1 FROM leaves l WHERE l.school_id = e.school_id AND l.employee_id = e.id
				AND l.status = 'APPROVED' AND l.from_date <= :date AND l.to_date >= :date)
		ORDER BY e.first_name, e.last_name, e.id`, db.Args{"date": date})
	if err != nil {
		return nil, fmt.Errorf("list teachers: %w", err)
	}
	return list, nil
}

// employeeOf returns the employee of an account; "" for none.
func employeeOf(ctx context.Context, q db.Q, user id.ID) (id.ID, error) {
	e, err := db.One[id.ID](ctx, q, `SELECT id FROM employees
		WHERE school_id = :school AND user_id = :user AND archived_at IS NULL AND status <> 'RESIGNED'`, db.Args{"user": user})
	switch {
	case errors.Is(err, db.ErrNotFound):
		return "", nil
	case err != nil:
		return "", fmt.Errorf("read employee: %w", err)
	}
	return e, nil
}

// seat is the current class and division of a student.
type seat struct{ ClassID, DivisionID *id.ID }

func seatOf(ctx context.Context, q db.Q, student id.ID) (seat, error) {
	s, err := db.One[seat](ctx, q, `SELECT class_id, division_id FROM students WHERE school_id = :school AND id = :id`, db.Args{"id": student})
	if err != nil {
		return s, fmt.Errorf("read the class of a student: %w", err)
	}
	return s, nil
}
