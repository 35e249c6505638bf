package academics

import (
	"context"
	"fmt"

	"homeroom/internal/feature/school"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
)

// parts are the records that a list of assignments refers to.
type parts struct {
	classes   map[id.ID]Class
	divisions map[id.ID]Division
	subjects  map[id.ID]Subject
	ties      map[tie]bool
}

// checkParts checks that every class is of the year and that every subject is taught
// in its class, and stays so until tx ends. Missing records are reported first.
func checkParts(ctx context.Context, tx *db.Tx, year school.Year, in []assignmentIn) error {
	p, err := readParts(ctx, tx, in)
	if err != nil {
		return err
	}
	for _, a := range in {
		if err := p.exist(a); err != nil {
			return err
		}
	}
	for i, a := range in {
		class := p.classes[a.ClassID]
		switch {
		case class.AcademicYearID != year.ID:
			return fault.OnField(fmt.Sprintf("assignments[%d].classId", i), "must be a class of the academic year %s", year.Name)
		case a.SubjectID != nil && !p.ties[tie{a.ClassID, *a.SubjectID}]:
			return errNotTaught.Saying("%s is not taught in %s. Add the class to the subject first.", p.subjects[*a.SubjectID].Name, class.Name)
		}
	}
	return nil
}

func (p parts) exist(a assignmentIn) error {
	if p.classes[a.ClassID].ID == "" {
		return ErrNoClass
	}
	if a.DivisionID != nil && p.divisions[*a.DivisionID].ClassID != a.ClassID {
		return ErrNoDivision
	}
	if a.SubjectID != nil && p.subjects[*a.SubjectID].ID == "" {
		return ErrNoSubject
	}
	return nil
}

func readParts(ctx context.Context, tx *db.Tx, in []assignmentIn) (parts, error) {
	var classes, divisions, subjects []id.ID
	for _, a := range in {
		classes = append(classes, a.ClassID)
		if a.DivisionID != nil {
			divisions = append(divisions, *a.DivisionID)
		}
		if a.SubjectID != nil {
			subjects = append(subjects, *a.SubjectID)
		}
	}
	p := parts{map[id.ID]Class{}, map[id.ID]Division{}, map[id.ID]Subject{}, map[tie]bool{}}
	for _, err := range []error{
		each(ctx, tx, `SELECT id, name, academic_year_id FROM classes WHERE school_id = :school AND id IN (:ids)`, classes,
			func(c Class) { p.classes[c.ID] = c }),
		each(ctx, tx, `SELECT id, class_id FROM divisions WHERE school_id = :school AND id IN (:ids)`, divisions,
			func(d Division) { p.divisions[d.ID] = d }),
		each(ctx, tx, `SELECT id, name FROM subjects WHERE school_id = :school AND id IN (:ids)`, subjects,
			func(s Subject) { p.subjects[s.ID] = s }),
		each(ctx, tx, `SELECT class_id, subject_id FROM class_subjects WHERE school_id = :school AND class_id IN (:ids)
			ORDER BY class_id, subject_id`+db.ForUpdate(tx), classes,
			func(t tie) { p.ties[t] = true }),
	} {
		if err != nil {
			return p, fmt.Errorf("read classes, divisions and subjects: %w", err)
		}
	}
	return p, nil
}

func each[T any](ctx context.Context, q db.Q, sql string, ids []id.ID, keep func(T)) error {
	if len(ids) == 0 {
		return nil
	}
	return db.Each(ctx, q, sql, db.Args{"ids": ids}, func(v T) error { keep(v); return nil })
}

func listAssignments(ctx context.Context, q db.Q, employee, year id.ID) (assignmentsOut, error) {
	list, err := db.All[assigned](ctx, q, `
		SELECT a.id, a.class_id, c.name AS class_name, a.division_id, COALESCE(d.name, '') AS division_name,
			a.subject_id, COALESCE(s.name, '') AS subject_name, a.is_class_teacher
		FROM teacher_assignments a
		JOIN classes c ON c.school_id = a.school_id AND c.id = a.class_id
		LEFT JOIN divisions d ON d.school_id = a.school_id AND d.id = a.division_id
		LEFT JOIN subjects s ON s.school_id = a.school_id AND s.id = a.subject_id
		WHERE a.school_id = :school AND a.employee_id = :employee AND a.academic_year_id = :year
		ORDER BY c.display_order, c.id, division_name, subject_name, a.id`, db.Args{"employee": employee, "year": year})
	if err != nil {
		return assignmentsOut{}, fmt.Errorf("read assignments: %w", err)
	}
	return assignmentsOut{EmployeeID: employee, AcademicYearID: year, Assignments: list}, nil
}
