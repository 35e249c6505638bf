package people

import (
	"context"
	"fmt"
	"slices"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
)

type renumberIn struct {
	DivisionID id.ID   `json:"divisionId" required:"true"`
	By         string  `json:"by" enum:"lastName,firstName,admissionNo" default:"lastName" doc:"The order of the roll numbers, unless studentIds gives it."`
	StudentIDs []id.ID `json:"studentIds" maxItems:"1000" doc:"The students in the order of their roll numbers. Those left out follow, ordered by by."`
}

type renumberOut struct {
	Students []renumbered `json:"students"`
}

type renumbered struct {
	StudentID id.ID    `json:"studentId"`
	FirstName string   `json:"firstName"`
	LastName  opt.Text `json:"lastName"`
	RollNo    int      `json:"rollNo" db:"-"`
}

// renumber gives the students of a division the roll numbers 1, 2, 3 and so on.
func (s *Service) renumber(ctx context.Context, who actor.Actor, in renumberIn) (out renumberOut, err error) {
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		if err := lockStudents(ctx, tx); err != nil {
			return err
		}
		if err := MustExist(ctx, tx, Ref{"divisions", &in.DivisionID, errNoDivision}); err != nil {
			return err
		}
		if err := mustBeStudents(ctx, tx, slices.Clone(in.StudentIDs)); err != nil {
			return err
		}
		if out.Students, err = listSeated(ctx, tx, in); err != nil {
			return err
		}
		if err := order(out.Students, in.StudentIDs); err != nil {
			return err
		}
		if err := s.putRollNumbers(ctx, tx, in.DivisionID, out.Students); err != nil {
			return err
		}
		return s.Accounts.Audit.Record(ctx, tx, who, "student.renumber", "division", in.DivisionID, nil,
			map[string]any{"students": studentsOf(out.Students)})
	})
	return out, err
}

func studentsOf(in []renumbered) []id.ID {
	out := make([]id.ID, len(in))
	for i, st := range in {
		out[i] = st.StudentID
	}
	return out
}

// listSeated lists the students with a place in the division, in the order asked for.
func listSeated(ctx context.Context, q db.Q, in renumberIn) ([]renumbered, error) {
	sort := map[string]string{"firstName": "s.first_name, s.last_name", "admissionNo": "s.admission_no"}[in.By]
	if sort == "" {
		sort = "s.last_name, s.first_name"
	}
	list, err := db.All[renumbered](ctx, q, `
		SELECT e.student_id, s.first_name, s.last_name FROM enrolments e
		JOIN students s ON s.school_id = e.school_id AND s.id = e.student_id AND s.status = 'ACTIVE' AND s.archived_at IS NULL
		WHERE e.school_id = :school AND e.division_id = :division AND e.outcome <> 'LEFT' ORDER BY `+sort+`, s.id`,
		db.Args{"division": in.DivisionID})
	return list, fault.Wrap("list students of a division", err)
}

// order moves the students of first to the front, in that order, and numbers all.
func order(students []renumbered, first []id.ID) error {
	for i, wanted := range first {
		if !slices.ContainsFunc(students, func(st renumbered) bool { return st.StudentID == wanted }) {
			return fault.OnField(fmt.Sprintf("studentIds[%d]", i), "is not a student of the division")
		}
	}
	rank := func(st renumbered) int {
		if i := slices.Index(first, st.StudentID); i >= 0 {
			return i
		}
		return len(first)
	}
	slices.SortStableFunc(students, func(a, b renumbered) int { return rank(a) - rank(b) })
	for i := range students {
		students[i].RollNo = i + 1
	}
	return nil
}

// putRollNumbers clears all numbers of the division first: no two may be equal at any
// moment.
func (s *Service) putRollNumbers(ctx context.Context, tx *db.Tx, division id.ID, students []renumbered) error {
	year, err := db.One[classYear](ctx, tx, `
		SELECT c.id AS class_id, y.id, y.is_current FROM divisions d
		JOIN classes c ON c.school_id = d.school_id AND c.id = d.class_id
		JOIN academic_years y ON y.school_id = c.school_id AND y.id = c.academic_year_id
		WHERE d.school_id = :school AND d.id = :division`, db.Args{"division": division})
	if err != nil {
		return fmt.Errorf("read the year of a division: %w", err)
	}
	now, rows := s.Now(), make([]enrolment, len(students))
	for i, st := range students {
		rows[i] = enrolment{StudentID: st.StudentID, AcademicYearID: year.ID, ClassID: year.ClassID, DivisionID: &division,
			RollNo: &students[i].RollNo, Outcome: enrolled, Now: now}
	}
	_, err = db.Exec(ctx, tx, `UPDATE enrolments SET roll_no = NULL WHERE school_id = :school AND division_id = :division`,
		db.Args{"division": division})
	if err == nil {
		_, err = db.Insert(ctx, tx, insertEnrolment+moveEnrolment, rows)
	}
	if err != nil || !year.IsCurrent {
		return fault.Wrap("renumber students", err)
	}
	_, err = s.seat(ctx, tx, year.ID, studentsOf(students))
	return err
}
