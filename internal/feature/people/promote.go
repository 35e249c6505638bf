package people

import (
	"context"
	"fmt"
	"slices"
	"time"

	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
)

// Promotion moves the students of a class to a class of a later academic year.
type Promotion struct {
	FromClassID     id.ID   `json:"fromClassId" required:"true"`
	ToClassID       id.ID   `json:"toClassId" required:"true" doc:"A class of a later academic year. Students keep the name of their division if the class has it."`
	AcademicYearID  *id.ID  `json:"academicYearId" doc:"Default: the year of toClassId, which it must be."`
	StudentIDs      []id.ID `json:"studentIds" doc:"Default: all ACTIVE students of the class."`
	Except          []id.ID `json:"except" doc:"Students who are not promoted: their year ends as DETAINED."`
	DetainedClassID *id.ID  `json:"detainedClassId" doc:"The class of the later year for detained students. Default: none, they are not enrolled."`
	Outcome         string  `json:"outcome" enum:"PROMOTED,DETAINED" default:"PROMOTED" doc:"How the year ends for students not in except."`
}

// Promoted counts the students by result.
type Promoted struct {
	Promoted  int `json:"promoted"`
	Detained  int `json:"detained"`
	Unchanged int `json:"unchanged" doc:"Students already enrolled in the later year."`
}

// pupil is a student of the old class.
type pupil struct {
	StudentID id.ID
	Done      bool   // already enrolled in the later year
	Division  *id.ID // in the new class, by the same name
}

// Promote is idempotent: students already enrolled in the later year stay as they are.
func (s *Service) Promote(ctx context.Context, tx *db.Tx, who actor.Actor, p Promotion) (Promoted, error) {
	var out Promoted
	if err := lockStudents(ctx, tx); err != nil {
		return out, err
	}
	from, to, err := p.years(ctx, tx)
	if err != nil {
		return out, err
	}
	if err := mustBeStudents(ctx, tx, slices.Concat(p.StudentIDs, p.Except)); err != nil {
		return out, err
	}
	up, err := listPupils(ctx, tx, p.FromClassID, p.ToClassID, to)
	if err != nil {
		return out, err
	}
	stay := up
	if p.DetainedClassID != nil {
		if stay, err = listPupils(ctx, tx, p.FromClassID, *p.DetainedClassID, to); err != nil {
			return out, err
		}
	}
	if err := p.mustBeInClass(up); err != nil {
		return out, err
	}
	detains := func(v pupil) bool { return p.Outcome == detained || slices.Contains(p.Except, v.StudentID) }
	meant := func(v pupil) bool {
		return len(p.StudentIDs) == 0 || slices.Contains(p.StudentIDs, v.StudentID) || slices.Contains(p.Except, v.StudentID)
	}
	rising := kept(up, func(v pupil) bool { return meant(v) && !v.Done && !detains(v) })
	staying := kept(stay, func(v pupil) bool { return meant(v) && !v.Done && detains(v) })
	out = Promoted{Promoted: len(rising), Detained: len(staying), Unchanged: len(kept(up, func(v pupil) bool { return meant(v) && v.Done }))}
	if err := s.move(ctx, tx, rising, promoted, from, to, &p.ToClassID); err != nil {
		return out, err
	}
	if err := s.move(ctx, tx, staying, detained, from, to, p.DetainedClassID); err != nil {
		return out, err
	}
	return out, s.recordPromotion(ctx, tx, who, p, rising, staying)
}

func kept(in []pupil, keep func(pupil) bool) []pupil {
	return slices.DeleteFunc(slices.Clone(in), func(v pupil) bool { return !keep(v) })
}

func idsOf(in []pupil) []id.ID {
	out := make([]id.ID, len(in))
	for i, v := range in {
		out[i] = v.StudentID
	}
	return out
}

// years validates the classes and returns their academic years.
func (p Promotion) years(ctx context.Context, q db.Q) (from, to id.ID, err error) {
	if err := MustExist(ctx, q, Ref{"academic_years", p.AcademicYearID, errNoYear}); err != nil {
		return "", "", err
	}
	classes := []id.ID{p.FromClassID, p.ToClassID}
	if p.DetainedClassID != nil {
		classes = append(classes, *p.DetainedClassID)
	}
	years, err := ClassYears(ctx, q, classes)
	if err != nil {
		return "", "", err
	}
	from, to = years[p.FromClassID], years[p.ToClassID]
	switch {
	case p.AcademicYearID != nil && to != *p.AcademicYearID:
		return "", "", fault.OnField("toClassId", "must be a class of the academic year academicYearId")
	case p.DetainedClassID != nil && years[*p.DetainedClassID] != to:
		return "", "", fault.OnField("detainedClassId", "must be a class of the same academic year as toClassId")
	}
	was, err := school.GetYear(ctx, q, from)
	if err != nil {
		return "", "", err
	}
	is, err := school.GetYear(ctx, q, to)
	if err == nil && is.StartDate <= was.StartDate {
		err = fault.OnField("toClassId", "must be a class of a later academic year than %s", was.Name)
	}
	return from, to, err
}

// mustBeStudents returns ErrNoStudent unless all are students of the school.
func mustBeStudents(ctx context.Context, q db.Q, ids []id.ID) error {
	if len(ids) == 0 {
		return nil
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	n, err := db.One[int](ctx, q, `SELECT count(*) FROM students WHERE school_id = :school AND archived_at IS NULL AND id IN (:ids)`,
		db.Args{"ids": ids})
	switch {
	case err != nil:
		return fmt.Errorf("look up students: %w", err)
	case n != len(ids):
		return ErrNoStudent
	}
	return nil
}

// mustBeInClass refuses StudentIDs and Except that are not in the class.
func (p Promotion) mustBeInClass(pupils []pupil) error {
	var wrong []fault.Field
	look := func(field string, ids []id.ID) {
		for i, v := range ids {
			if !slices.ContainsFunc(pupils, func(x pupil) bool { return x.StudentID == v }) {
				wrong = append(wrong, fault.Field{Field: fmt.Sprintf("%s[%d]", field, i), Message: "is not an active student of the class fromClassId"})
			}
		}
	}
	look("studentIds", p.StudentIDs)
	look("except", p.Except)
	if len(wrong) > 0 {
		return fault.Fields(wrong...)
	}
	return nil
}

// listPupils lists the active students enrolled in class from, with the division of
// the same name in class to.
func listPupils(ctx context.Context, q db.Q, from, to, year id.ID) ([]pupil, error) {
	pupils, err := db.All[pupil](ctx, q, `
		SELECT e.student_id, next.id AS division,
			EXISTS (SELECT 1 FROM enrolments l WHERE l.school_id = e.school_id AND l.student_id = e.student_id
				AND l.academic_year_id = :year) AS done
		FROM enrolments e
		JOIN students s ON s.school_id = e.school_id AND s.id = e.student_id AND s.status = 'ACTIVE' AND s.archived_at IS NULL
		LEFT JOIN divisions d ON d.school_id = e.school_id AND d.id = e.division_id
		LEFT JOIN divisions next ON next.school_id = d.school_id AND next.class_id = :to AND next.name = d.name
		WHERE e.school_id = :school AND e.class_id = :from
			AND e.academic_year_id = (SELECT academic_year_id FROM classes WHERE school_id = :school AND id = :from)
		ORDER BY e.student_id`, db.Args{"from": from, "to": to, "year": year})
	if err != nil {
		return nil, fmt.Errorf("list a class's students: %w", err)
	}
	return pupils, nil
}

// move closes the pupils' enrolments with an outcome and, unless class is nil,
// enrols them in it.
func (s *Service) move(ctx context.Context, tx *db.Tx, pupils []pupil, outcome string, from, to id.ID, class *id.ID) error {
	if len(pupils) == 0 {
		return nil
	}
	now, ids := s.Now(), idsOf(pupils)
	_, err := db.Exec(ctx, tx, `
		UPDATE enrolments SET outcome = :outcome, updated_at = :now
		WHERE school_id = :school AND academic_year_id = :year AND student_id IN (:ids)`,
		db.Args{"ids": ids, "now": now, "outcome": outcome, "year": from})
	if err != nil || class == nil {
		return fault.Wrap("close enrolments", err)
	}
	if err := s.enrolPupils(ctx, tx, pupils, to, *class, now); err != nil {
		return err
	}
	_, err = db.Exec(ctx, tx, `
		UPDATE students SET class_id = :class, roll_no = NULL, version = version + 1, updated_at = :now,
			division_id = (SELECT e.division_id FROM enrolments e WHERE e.school_id = students.school_id
				AND e.student_id = students.id AND e.academic_year_id = :year)
		WHERE school_id = :school AND id IN (:ids)`,
		db.Args{"ids": ids, "now": now, "class": *class, "year": to})
	if err != nil {
		return fault.Wrap("update students' class", err)
	}
	return mustFit(ctx, tx, entered(pupils))
}

func (s *Service) enrolPupils(ctx context.Context, tx *db.Tx, pupils []pupil, year, class id.ID, now time.Time) error {
	rows := make([]enrolment, len(pupils))
	for i, v := range pupils {
		rows[i] = enrolment{StudentID: v.StudentID, AcademicYearID: year, ClassID: class,
			DivisionID: v.Division, Outcome: enrolled, Now: now}
	}
	_, err := db.Insert(ctx, tx, insertEnrolment, rows)
	return fault.Wrap("enrol students in the next year", err)
}

// entered lists the pupils' new divisions.
func entered(pupils []pupil) []id.ID {
	var out []id.ID
	for _, v := range pupils {
		if v.Division != nil && !slices.Contains(out, *v.Division) {
			out = append(out, *v.Division)
		}
	}
	return out
}

// recordPromotion writes one audit entry for the whole class.
func (s *Service) recordPromotion(ctx context.Context, tx *db.Tx, who actor.Actor, p Promotion, rising, staying []pupil) error {
	if len(rising)+len(staying) == 0 {
		return nil
	}
	return s.Accounts.Audit.Record(ctx, tx, who, "student.promote", "class", p.FromClassID, nil, map[string]any{
		"toClassId": p.ToClassID, "detainedClassId": p.DetainedClassID, "promoted": idsOf(rising), "detained": idsOf(staying)})
}
