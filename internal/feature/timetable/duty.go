package timetable

import (
	"context"
	"fmt"

	"homeroom/internal/feature/people"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
)

var errNotTeacher = fault.New(fault.Conflict, "", "Only teachers can take over lessons.")

// Duties are the weekly lessons of a teacher.
func (s *Service) Duties() people.Duties {
	return people.Duties{Kind: "LESSON", Module: "timetable", List: listLessons, Move: s.moveLessons}
}

// listLessons counts an employee's lessons by division and subject.
func listLessons(ctx context.Context, q db.Q, employee id.ID, _ clock.Date) ([]people.Duty, error) {
	return db.All[people.Duty](ctx, q, `
		SELECT p.division_id AS id, c.name || ' ' || d.name || ', ' || s.name AS name, COUNT(*) AS count, p.academic_year_id, NULL AS date
		FROM timetable_periods p
		JOIN classes c ON c.school_id = p.school_id AND c.id = p.class_id
		JOIN divisions d ON d.school_id = p.school_id AND d.id = p.division_id
		JOIN subjects s ON s.school_id = p.school_id AND s.id = p.subject_id
		WHERE p.school_id = :school AND p.employee_id = :employee AND p.academic_year_id IN (`+people.FromThisYear+`)
		GROUP BY p.academic_year_id, c.display_order, c.name, p.division_id, d.name, s.name
		ORDER BY p.academic_year_id, c.display_order, c.name, d.name, s.name`, db.Args{"employee": employee})
}

// moveLessons gives all lessons of a teacher to another one, unless one of them clashes.
// Overrides stay: lessons that the teacher was to substitute need cover.
func (s *Service) moveLessons(ctx context.Context, tx *db.Tx, who actor.Actor, from, to people.Employee) (int, error) {
	if err := lock(ctx, tx); err != nil {
		return 0, err
	}
	type lesson struct{ ID, DivisionID, AcademicYearID id.ID }
	moved, err := db.All[lesson](ctx, tx, `
		UPDATE timetable_periods SET employee_id = :to
		WHERE school_id = :school AND employee_id = :from AND academic_year_id IN (`+people.FromThisYear+`)
		RETURNING id, division_id, academic_year_id`, db.Args{"from": from.ID, "to": to.ID})
	switch {
	case err != nil:
		return 0, fmt.Errorf("move lessons: %w", err)
	case len(moved) == 0:
		return 0, nil
	case to.Type != actor.Teacher:
		return 0, errNotTeacher.Saying("%s is not a teacher and can't take over lessons.", to.Name())
	}
	mine, years, divisions := map[id.ID]bool{}, map[id.ID]bool{}, map[id.ID]int{}
	for _, l := range moved {
		mine[l.ID], years[l.AcademicYearID] = true, true
		divisions[l.DivisionID]++
	}
	for year := range years {
		err := s.checkWeek(ctx, tx, who, year, func(p Period) bool { return mine[p.ID] }, func(Period) string { return "" })
		if err != nil {
			return 0, err
		}
	}
	return len(moved), s.recordMoved(ctx, tx, who, from, to, divisions)
}

// recordMoved gives each changed timetable a new version and an audit entry.
func (s *Service) recordMoved(ctx context.Context, tx *db.Tx, who actor.Actor, from, to people.Employee, lessons map[id.ID]int) error {
	for division, n := range lessons {
		_, err := db.Exec(ctx, tx, `
			UPDATE timetables SET version = version + 1, updated_at = :now WHERE school_id = :school AND division_id = :division`,
			db.Args{"division": division, "now": s.Now()})
		if err != nil {
			return fmt.Errorf("write timetable: %w", err)
		}
		before, after := map[string]any{"teacherId": from.ID, "lessons": n}, map[string]any{"teacherId": to.ID, "lessons": n}
		if err := s.Audit.Record(ctx, tx, who, "timetable.update", "timetable", division, before, after); err != nil {
			return err
		}
	}
	return nil
}
