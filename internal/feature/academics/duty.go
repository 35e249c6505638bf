package academics

import (
	"context"
	"fmt"

	"homeroom/internal/feature/people"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

// Duties are the class assignments of a teacher.
func (s *Service) Duties() people.Duties {
	return people.Duties{Kind: "ASSIGNMENT", Module: "employee", List: listAssigned, Move: s.moveAssignments}
}

func listAssigned(ctx context.Context, q db.Q, employee id.ID, _ clock.Date) ([]people.Duty, error) {
	return db.All[people.Duty](ctx, q, `
		SELECT a.id, c.name || COALESCE(' ' || d.name, '') || COALESCE(', ' || s.name, '') AS name, 1 AS count, a.academic_year_id,
			NULL AS date
		FROM teacher_assignments a
		JOIN classes c ON c.school_id = a.school_id AND c.id = a.class_id
		LEFT JOIN divisions d ON d.school_id = a.school_id AND d.id = a.division_id
		LEFT JOIN subjects s ON s.school_id = a.school_id AND s.id = a.subject_id
		WHERE a.school_id = :school AND a.employee_id = :employee AND a.academic_year_id IN (`+people.FromThisYear+`)
		ORDER BY a.academic_year_id, c.display_order, name, a.id`, db.Args{"employee": employee})
}

// held is an assignment, and one of another teacher to the same class, division and subject.
type held struct {
	ID             id.ID
	SameID         *id.ID
	IsClassTeacher bool
}

// moveAssignments gives all assignments of a teacher to another one. An assignment that
// the other has already is deleted, and passes on its class teacher.
func (s *Service) moveAssignments(ctx context.Context, tx *db.Tx, who actor.Actor, from, to people.Employee) (int, error) {
	list, err := db.All[held](ctx, tx, `
		SELECT a.id, a.is_class_teacher, (SELECT o.id FROM teacher_assignments o
			WHERE o.school_id = a.school_id AND o.employee_id = :to AND o.class_id = a.class_id
				AND o.division_id IS NOT DISTINCT FROM a.division_id AND o.subject_id IS NOT DISTINCT FROM a.subject_id
			ORDER BY o.id LIMIT 1) AS same_id
		FROM teacher_assignments a
		WHERE a.school_id = :school AND a.employee_id = :from AND a.academic_year_id IN (`+people.FromThisYear+`)`,
		db.Args{"from": from.ID, "to": to.ID})
	if err != nil || len(list) == 0 {
		return 0, err
	}
	if err := mustTeach(to); err != nil {
		return 0, err
	}
	moved, double, leading := []id.ID{}, []id.ID{}, []id.ID{}
	for _, h := range list {
		switch {
		case h.SameID == nil:
			moved = append(moved, h.ID)
			continue
		case h.IsClassTeacher:
			leading = append(leading, *h.SameID)
		}
		double = append(double, h.ID)
	}
	for _, step := range []struct {
		sql string
		ids []id.ID
	}{
		{`DELETE FROM teacher_assignments WHERE school_id = :school AND id IN (:ids)`, double},
		{`UPDATE teacher_assignments SET is_class_teacher = TRUE WHERE school_id = :school AND id IN (:ids)`, leading},
	} {
		if len(step.ids) == 0 {
			continue
		}
		if _, err := db.Exec(ctx, tx, step.sql, db.Args{"ids": step.ids}); err != nil {
			return 0, fmt.Errorf("join assignments: %w", err)
		}
	}
	if len(moved) > 0 {
		_, err = db.Exec(ctx, tx, `UPDATE teacher_assignments SET employee_id = :to
			WHERE school_id = :school AND employee_id = :from AND id IN (:ids)`, db.Args{"from": from.ID, "to": to.ID, "ids": moved})
		if err != nil {
			return 0, fmt.Errorf("move assignments: %w", err)
		}
	}
	return len(list), s.record(ctx, tx, who, "employee.assign", "employee", to.ID, nil,
		map[string]any{"fromEmployeeId": from.ID, "assignments": append(moved, double...)})
}
