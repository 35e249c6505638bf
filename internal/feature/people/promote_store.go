package people

import (
	"context"
	"fmt"

	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
)

// listPupils lists the active students enrolled in class from, with the division of
// the same name in class to. Both to and the later year may be nil.
func listPupils(ctx context.Context, q db.Q, from id.ID, to, year *id.ID) ([]pupil, error) {
	pupils, err := db.All[pupil](ctx, q, `
		SELECT e.student_id, s.first_name, s.last_name, e.roll_no, e.outcome, next.id AS division,
			EXISTS (SELECT 1 FROM enrolments l WHERE l.school_id = e.school_id AND l.student_id = e.student_id
				AND l.academic_year_id = :year) AS done
		FROM enrolments e
		JOIN students s ON s.school_id = e.school_id AND s.id = e.student_id AND s.status = 'ACTIVE' AND s.archived_at IS NULL
		LEFT JOIN divisions d ON d.school_id = e.school_id AND d.id = e.division_id
		LEFT JOIN divisions next ON next.school_id = d.school_id AND next.class_id = :to AND next.name = d.name
		WHERE e.school_id = :school AND e.class_id = :from AND e.outcome <> 'LEFT'
			AND e.academic_year_id = (SELECT academic_year_id FROM classes WHERE school_id = :school AND id = :from)
		ORDER BY e.student_id`, db.Args{"from": from, "to": to, "year": year})
	return pupils, fault.Wrap("list a class's students", err)
}

// move ends the pupils' year with an outcome and, if there is a class, enrols them in
// it. The students' own rows change only if that is the current year.
func (s *Service) move(ctx context.Context, tx *db.Tx, p plan, m move) error {
	if len(m.pupils) == 0 {
		return nil
	}
	if err := s.setOutcome(ctx, tx, p.from.ID, idsOf(m.pupils), m.outcome); err != nil || m.class == nil {
		return err
	}
	now := s.Now()
	rows := make([]enrolment, len(m.pupils))
	for i, v := range m.pupils {
		rows[i] = enrolment{StudentID: v.StudentID, AcademicYearID: p.to.ID, ClassID: *m.class,
			DivisionID: v.Division, RollNo: v.RollNo, Outcome: enrolled, Now: now}
	}
	if _, err := db.Insert(ctx, tx, insertEnrolment, rows); err != nil {
		return enrolFault("enrol students in the later year", err)
	}
	if !p.to.IsCurrent {
		return nil
	}
	_, err := s.seat(ctx, tx, p.to.ID, idsOf(m.pupils))
	return err
}

func (s *Service) setOutcome(ctx context.Context, tx *db.Tx, year id.ID, students []id.ID, outcome string) error {
	_, err := db.Exec(ctx, tx, `
		UPDATE enrolments SET outcome = :outcome, updated_at = :now
		WHERE school_id = :school AND academic_year_id = :year AND student_id IN (:ids)`,
		db.Args{"ids": students, "now": s.Now(), "outcome": outcome, "year": year})
	return fault.Wrap("end enrolments", err)
}

func idsOf(in []pupil) []id.ID {
	out := make([]id.ID, len(in))
	for i, v := range in {
		out[i] = v.StudentID
	}
	return out
}

// recordPromotion writes one audit entry for the whole class.
func (s *Service) recordPromotion(ctx context.Context, tx *db.Tx, who actor.Actor, p Promotion, made plan) error {
	students := map[string][]id.ID{}
	for _, m := range made.moves {
		if len(m.pupils) > 0 {
			students[m.outcome] = append(students[m.outcome], idsOf(m.pupils)...)
		}
	}
	if len(students) == 0 {
		return nil
	}
	return s.Accounts.Audit.Record(ctx, tx, who, "student.promote", "class", p.FromClassID, nil, map[string]any{
		"toClassId": p.ToClassID, "detainedClassId": p.DetainedClassID, "keepElectives": p.KeepElectives, "students": students})
}

// UndoPromotion takes a promotion back.
type UndoPromotion struct {
	FromClassID id.ID   `json:"fromClassId" required:"true" doc:"The class that was promoted."`
	StudentIDs  []id.ID `json:"studentIds" doc:"Default: all students of the class."`
}

// Undone is the result of taking a promotion back.
type Undone struct {
	Undone int `json:"undone" doc:"Number of students whose year is open again."`
}

var errPromotionInUse = fault.New(fault.Conflict, "", "The promotion can't be undone.")

// Undo deletes the enrolments that a promotion made and opens the year again. It is
// refused once there are records of the students in the later year.
func (s *Service) Undo(ctx context.Context, tx *db.Tx, who actor.Actor, u UndoPromotion) (Undone, error) {
	if err := lockStudents(ctx, tx); err != nil {
		return Undone{}, err
	}
	years, err := ClassYears(ctx, tx, []id.ID{u.FromClassID})
	if err != nil {
		return Undone{}, err
	}
	if err := mustBeStudents(ctx, tx, u.StudentIDs); err != nil {
		return Undone{}, err
	}
	from := years[u.FromClassID]
	students, err := db.All[id.ID](ctx, tx, `
		SELECT e.student_id FROM enrolments e
		JOIN students s ON s.school_id = e.school_id AND s.id = e.student_id AND s.status = 'ACTIVE' AND s.archived_at IS NULL
		WHERE e.school_id = :school AND e.academic_year_id = :year AND e.class_id = :class
			AND e.outcome IN ('PROMOTED', 'DETAINED', 'GRADUATED')`+db.When(len(u.StudentIDs) > 0, ` AND e.student_id IN (:ids)`)+`
		ORDER BY e.student_id`, db.Args{"year": from, "class": u.FromClassID, "ids": u.StudentIDs})
	if err != nil || len(students) == 0 {
		return Undone{}, fault.Wrap("list promoted students", err)
	}
	if err := s.dropNext(ctx, tx, who, from, students); err != nil {
		return Undone{}, err
	}
	if err := s.setOutcome(ctx, tx, from, students, enrolled); err != nil {
		return Undone{}, err
	}
	if err := s.followElectives(ctx, tx, who, students); err != nil {
		return Undone{}, err
	}
	return Undone{len(students)}, s.Accounts.Audit.Record(ctx, tx, who, "student.promote-undo", "class", u.FromClassID, nil,
		map[string]any{"students": students})
}

// dropNext deletes the students' enrolments of later years.
func (s *Service) dropNext(ctx context.Context, tx *db.Tx, who actor.Actor, from id.ID, students []id.ID) error {
	later, err := db.All[school.Year](ctx, tx, `
		SELECT DISTINCT y.id, y.name, y.start_date, y.end_date, y.is_current, y.version, y.created_at, y.updated_at
		FROM enrolments e
		JOIN academic_years y ON y.school_id = e.school_id AND y.id = e.academic_year_id
		JOIN academic_years f ON f.school_id = y.school_id AND f.id = :from AND y.start_date > f.start_date
		WHERE e.school_id = :school AND e.student_id IN (:ids)`, db.Args{"from": from, "ids": students})
	if err != nil {
		return fmt.Errorf("list later years: %w", err)
	}
	if len(later) > 1 {
		return errPromotionInUse.Saying("These students have been promoted again since. Undo the later promotion first.")
	}
	for _, y := range later {
		for _, r := range s.YearRecords {
			if err := r.mustBeNone(ctx, tx, who, y, students); err != nil {
				return err
			}
		}
		if _, err := db.Exec(ctx, tx, `DELETE FROM enrolments WHERE school_id = :school AND academic_year_id = :year AND student_id IN (:ids)`,
			db.Args{"year": y.ID, "ids": students}); err != nil {
			return fmt.Errorf("delete enrolments: %w", err)
		}
		if !y.IsCurrent {
			continue
		}
		if _, err := s.seat(ctx, tx, y.ID, students); err != nil {
			return err
		}
	}
	return nil
}

// mustBeNone refuses students who have records in a year.
func (r YearRecords) mustBeNone(ctx context.Context, tx *db.Tx, who actor.Actor, y school.Year, students []id.ID) error {
	if r.Lock != nil {
		if err := r.Lock(ctx, tx, y, students); err != nil {
			return err
		}
	}
	if r.TakeBack != nil {
		if err := r.TakeBack(ctx, tx, who, y, students); err != nil {
			return err
		}
	}
	switch n, err := r.Count(ctx, tx, y, students); {
	case err != nil:
		return fmt.Errorf("count %s: %w", r.Many, err)
	case n > 0:
		return errPromotionInUse.Saying("The promotion can't be undone: in %s these students have %s.", y.Name, Plural(n, r.One, r.Many))
	}
	return nil
}

// Plural is "1 mark" or "2 marks".
func Plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
