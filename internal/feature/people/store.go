package people

import (
	"context"
	"fmt"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
)

const studentColumns = SummaryColumns +
	`, blood_group, address, medical_notes, ride_notes, emergency_contacts, custom_fields, leaving_date, leaving_reason`

const studentSQL = `SELECT ` + studentColumns + ` FROM students WHERE school_id = :school AND id = :id AND archived_at IS NULL`

func getStudent(ctx context.Context, q db.Q, student id.ID) (Student, error) {
	st, err := db.One[Student](ctx, q, studentSQL, db.Args{"id": student})
	return st, db.Found("read student", err, ErrNoStudent)
}

// GetRecord reads a student with its guardians, the primary one first.
func GetRecord(ctx context.Context, q db.Q, student id.ID) (Record, error) {
	var found []Student
	var guardians []Guardian
	err := db.Read(ctx, q, db.Into(&found, studentSQL, db.Args{"id": student}), db.Into(&guardians, `
		SELECT g.id, g.name, l.relation, g.phone, g.email, l.is_primary, l.can_view_data, l.can_pick_up
		FROM student_guardians l JOIN guardians g ON g.school_id = l.school_id AND g.id = l.guardian_id
		WHERE l.school_id = :school AND l.student_id = :student
		ORDER BY l.is_primary DESC, g.id`, db.Args{"student": student}))
	switch {
	case err != nil:
		return Record{}, fmt.Errorf("read student and guardians: %w", err)
	case len(found) == 0:
		return Record{}, ErrNoStudent
	}
	return Record{Student: found[0], Guardians: guardians}, nil
}

// Child is a student as its parents see it in a list.
type Child struct{ Summary }

// listChildren lists the account's children with their current class, or that of one year.
func listChildren(ctx context.Context, q db.Q, parentUser id.ID, year *id.ID) ([]Child, error) {
	seat, join := "s", ""
	if year != nil {
		seat = "e"
		join = `JOIN enrolments e ON e.school_id = s.school_id AND e.student_id = s.id AND e.academic_year_id = :year`
	}
	children, err := db.All[Child](ctx, q, `
		SELECT s.id, s.admission_no, s.first_name, s.last_name, s.date_of_birth, s.gender,
			`+seat+`.class_id, `+seat+`.division_id, `+seat+`.roll_no,
			s.admission_date, s.phone, s.email, s.photo_file_id, s.status, s.version, s.created_at, s.updated_at,
			c.name AS class_name, d.name AS division_name
		FROM students s `+join+`
		LEFT JOIN classes c ON c.school_id = s.school_id AND c.id = `+seat+`.class_id
		LEFT JOIN divisions d ON d.school_id = s.school_id AND d.id = `+seat+`.division_id
		WHERE s.school_id = :school AND s.archived_at IS NULL AND s.id IN (`+childrenOfUser+`)
		ORDER BY s.first_name, s.id`, db.Args{"user": parentUser, "year": year})
	if err != nil {
		return nil, fmt.Errorf("list children: %w", err)
	}
	return children, nil
}

// Ref is a record that a filter refers to; ID nil means no filter.
type Ref struct {
	Table   string
	ID      *id.ID
	Missing *fault.Fault
}

// MustExist returns Missing of the first Ref that the school doesn't have.
func MustExist(ctx context.Context, q db.Q, refs ...Ref) error {
	for _, r := range refs {
		if r.ID == nil {
			continue
		}
		_, err := db.One[id.ID](ctx, q, `SELECT id FROM `+r.Table+` WHERE school_id = :school AND id = :id`, db.Args{"id": *r.ID})
		if err := db.Found("look up "+r.Table, err, r.Missing); err != nil {
			return err
		}
	}
	return nil
}
