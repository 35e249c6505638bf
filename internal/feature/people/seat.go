package people

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

// seatYears maps the students' classes to their academic years. It refuses unknown
// classes, and divisions of another class.
func seatYears(ctx context.Context, q db.Q, in []NewStudent) (map[id.ID]id.ID, error) {
	var classes, divisions []id.ID
	for _, n := range in {
		if n.ClassID != nil {
			classes = append(classes, *n.ClassID)
		}
		if n.DivisionID != nil {
			divisions = append(divisions, *n.DivisionID)
		}
	}
	years, err := ClassYears(ctx, q, classes)
	if err != nil {
		return nil, err
	}
	classOf, err := pairs(ctx, q, `SELECT id, class_id AS of FROM divisions WHERE school_id = :school AND id IN (:ids)`, divisions)
	if err != nil {
		return nil, fmt.Errorf("read divisions: %w", err)
	}
	for _, n := range in {
		if n.DivisionID != nil && (n.ClassID == nil || classOf[*n.DivisionID] != *n.ClassID) {
			return nil, errNoDivision
		}
	}
	return years, nil
}

// ClassYears maps each class to its academic year and refuses unknown classes.
func ClassYears(ctx context.Context, q db.Q, classes []id.ID) (map[id.ID]id.ID, error) {
	years, err := pairs(ctx, q, `SELECT id, academic_year_id AS of FROM classes WHERE school_id = :school AND id IN (:ids)`, classes)
	if err != nil {
		return nil, fmt.Errorf("read classes: %w", err)
	}
	for _, c := range classes {
		if years[c] == "" {
			return nil, errNoClass
		}
	}
	return years, nil
}

// pairs maps each id to the column "of" that sql selects.
func pairs(ctx context.Context, q db.Q, sql string, ids []id.ID) (map[id.ID]id.ID, error) {
	type pair struct{ ID, Of id.ID }
	of := map[id.ID]id.ID{}
	if len(ids) == 0 {
		return of, nil
	}
	return of, db.Each(ctx, q, sql, db.Args{"ids": ids}, func(p pair) error {
		of[p.ID] = p.Of
		return nil
	})
}

// enrolment is a row to insert: the class of one academic year.
type enrolment struct {
	StudentID, AcademicYearID, ClassID id.ID
	DivisionID                         *id.ID
	RollNo                             *int
	Outcome                            string
	Now                                time.Time
}

const insertEnrolment = `
	INSERT INTO enrolments (school_id, student_id, academic_year_id, class_id, division_id, roll_no, outcome, created_at, updated_at)
	VALUES (:school, :student_id, :academic_year_id, :class_id, :division_id, :roll_no, :outcome, :now, :now)`

func (s *Service) enrol(ctx context.Context, tx *db.Tx, students []studentRow, years map[id.ID]id.ID) error {
	var rows []enrolment
	for _, st := range students {
		if st.ClassID != nil {
			rows = append(rows, enrolment{StudentID: st.ID, AcademicYearID: years[*st.ClassID],
				ClassID: *st.ClassID, DivisionID: st.DivisionID, RollNo: st.RollNo, Outcome: enrolled, Now: st.Now})
		}
	}
	if _, err := db.Insert(ctx, tx, insertEnrolment, rows); err != nil {
		return fmt.Errorf("enrol students: %w", err)
	}
	return nil
}

// divisionsOf lists the students' distinct divisions.
func divisionsOf(in []NewStudent) []id.ID {
	var out []id.ID
	for _, n := range in {
		if n.DivisionID != nil && !slices.Contains(out, *n.DivisionID) {
			out = append(out, *n.DivisionID)
		}
	}
	return out
}

// mustFit fails if one of the divisions now has more active students than its
// capacity. The caller holds the students lock.
func mustFit(ctx context.Context, q db.Q, divisions []id.ID) error {
	if len(divisions) == 0 {
		return nil
	}
	type division struct {
		Name     string
		Capacity int
		Students int
	}
	full, err := db.One[division](ctx, q, `
		SELECT d.name, d.capacity, count(*) AS students
		FROM divisions d JOIN students s ON s.school_id = d.school_id AND s.class_id = d.class_id AND s.division_id = d.id
			AND s.status = 'ACTIVE' AND s.archived_at IS NULL
		WHERE d.school_id = :school AND d.id IN (:ids)
		GROUP BY d.id, d.name, d.capacity HAVING count(*) > d.capacity
		ORDER BY d.name LIMIT 1`, db.Args{"ids": divisions})
	switch {
	case errors.Is(err, db.ErrNotFound):
		return nil
	case err != nil:
		return fmt.Errorf("count students of divisions: %w", err)
	}
	return errFull.Saying("Division %s has %d places, and this would make %d students. Choose another division, or raise its capacity.",
		full.Name, full.Capacity, full.Students)
}
