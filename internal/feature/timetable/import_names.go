package timetable

import (
	"context"
	"fmt"

	"homeroom/internal/feature/people"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

// names are the records that a file can name, by folded name.
type names struct {
	divisions map[[2]string]home         // class and division
	subjects  map[id.ID]map[string]id.ID // class; name or code
	teachers  map[string]id.ID           // employee code
}

// readNames reads the divisions of the current academic year, their subjects, and the
// teachers.
func readNames(ctx context.Context, q db.Q) (names, error) {
	n := names{map[[2]string]home{}, map[id.ID]map[string]id.ID{}, map[string]id.ID{}}
	type division struct {
		home
		Class, Division string
	}
	const current = `JOIN academic_years y ON y.school_id = c.school_id AND y.id = c.academic_year_id AND y.is_current`
	err := db.Each(ctx, q, `
		SELECT d.class_id, d.id AS division_id, c.name AS class, d.name AS division FROM divisions d
		JOIN classes c ON c.school_id = d.school_id AND c.id = d.class_id `+current+`
		WHERE d.school_id = :school`, nil, func(d division) error {
		n.divisions[[2]string{people.Fold(d.Class), people.Fold(d.Division)}] = d.home
		return nil
	})
	if err != nil {
		return n, fmt.Errorf("read divisions: %w", err)
	}
	type subject struct {
		ClassID, ID id.ID
		Name, Code  string
	}
	err = db.Each(ctx, q, `
		SELECT l.class_id, s.id, s.name, s.code FROM class_subjects l
		JOIN subjects s ON s.school_id = l.school_id AND s.id = l.subject_id
		JOIN classes c ON c.school_id = l.school_id AND c.id = l.class_id `+current+`
		WHERE l.school_id = :school`, nil, func(s subject) error {
		if n.subjects[s.ClassID] == nil {
			n.subjects[s.ClassID] = map[string]id.ID{}
		}
		for _, name := range []string{s.Name, s.Code} {
			if name != "" {
				n.subjects[s.ClassID][people.Fold(name)] = s.ID
			}
		}
		return nil
	})
	if err != nil {
		return n, fmt.Errorf("read subjects: %w", err)
	}
	type teacher struct {
		ID   id.ID
		Code string
	}
	err = db.Each(ctx, q, `
		SELECT e.id, e.employee_code AS code FROM employees e
		JOIN roles r ON r.school_id = e.school_id AND r.id = e.role_id AND r.type = 'TEACHER'
		WHERE e.school_id = :school AND e.archived_at IS NULL AND e.status <> 'RESIGNED'`, nil, func(t teacher) error {
		n.teachers[people.Fold(t.Code)] = t.ID
		return nil
	})
	if err != nil {
		return n, fmt.Errorf("read teachers: %w", err)
	}
	return n, nil
}

// find looks up the names of a row.
func (n names) find(r *people.Row[inWeek]) {
	l := &r.Line
	var ok bool
	if l.at, ok = n.divisions[[2]string{people.Fold(l.class), people.Fold(l.division)}]; !ok {
		r.Wrong(inDivision, "%s %s is not a division of the current academic year", l.class, l.division)
	} else if l.SubjectID, ok = n.subjects[l.at.ClassID][people.Fold(l.subject)]; !ok {
		r.Wrong(inSubject, "%s is not a subject of this class", l.subject)
	}
	if l.teacher == "" {
		return
	}
	teacher, ok := n.teachers[people.Fold(l.teacher)]
	if !ok {
		r.Wrong(inTeacher, "%s is not the employee code of a teacher", l.teacher)
		return
	}
	l.TeacherID = &teacher
}
