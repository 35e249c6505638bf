package people

import (
	"context"
	"errors"
	"fmt"

	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/web"
)

// SeatYear follows a change of the current academic year: every student gets the
// class, division and roll number of the new year, and those whose last year before it
// ended with graduation become GRADUATED. It can be undone by activating the old year again.
func (s *Service) SeatYear(ctx context.Context, tx *db.Tx, who actor.Actor, year school.Year) error {
	if err := lockStudents(ctx, tx); err != nil {
		return err
	}
	now := s.Now()
	left, err := db.Exec(ctx, tx, `
		UPDATE students SET status = 'GRADUATED', version = version + 1, updated_at = :now, leaving_date = (
			SELECT y.end_date FROM enrolments e JOIN academic_years y ON y.school_id = e.school_id AND y.id = e.academic_year_id
			WHERE e.school_id = students.school_id AND e.student_id = students.id AND e.outcome = 'GRADUATED'
			ORDER BY y.start_date DESC LIMIT 1)
		WHERE school_id = :school AND status = 'ACTIVE' AND archived_at IS NULL AND id IN (
			SELECT e.student_id FROM enrolments e JOIN academic_years y ON y.school_id = e.school_id AND y.id = e.academic_year_id
			WHERE e.school_id = :school AND e.outcome = 'GRADUATED' AND y.start_date < :start AND NOT EXISTS (
				SELECT 1 FROM enrolments l JOIN academic_years ly ON ly.school_id = l.school_id AND ly.id = l.academic_year_id
				WHERE l.school_id = e.school_id AND l.student_id = e.student_id
					AND ly.start_date > y.start_date AND ly.start_date <= :start))`,
		db.Args{"now": now, "start": year.StartDate})
	if err != nil {
		return fmt.Errorf("graduate students: %w", err)
	}
	back, err := db.Exec(ctx, tx, `
		UPDATE students SET status = 'ACTIVE', leaving_date = NULL, version = version + 1, updated_at = :now
		WHERE school_id = :school AND status = 'GRADUATED' AND leaving_date = :end AND archived_at IS NULL AND id IN (
			SELECT student_id FROM enrolments WHERE school_id = :school AND academic_year_id = :year AND outcome = 'GRADUATED')`,
		db.Args{"now": now, "end": year.EndDate, "year": year.ID})
	if err != nil {
		return fmt.Errorf("take back graduations: %w", err)
	}
	moved, err := s.seat(ctx, tx, year.ID, nil)
	if err != nil {
		return err
	}
	if left+back+moved == 0 {
		return nil
	}
	if err := ReachChanged(ctx, tx, who.School); err != nil {
		return err
	}
	return s.Accounts.Audit.Record(ctx, tx, who, "student.new-year", "academic-year", year.ID, nil,
		map[string]any{"moved": moved, "graduated": left, "reinstated": back})
}

// MoveGraduation gives those who graduated at the end of a year its new last day as their
// leaving date. By that date SeatYear knows them from those who had left before.
func (s *Service) MoveGraduation(ctx context.Context, tx *db.Tx, before, after school.Year) error {
	if err := lockStudents(ctx, tx); err != nil {
		return err
	}
	_, err := db.Exec(ctx, tx, `
		UPDATE students SET leaving_date = :end, version = version + 1, updated_at = :now
		WHERE school_id = :school AND status = 'GRADUATED' AND leaving_date = :was AND id IN (
			SELECT student_id FROM enrolments WHERE school_id = :school AND academic_year_id = :year AND outcome = 'GRADUATED')`,
		db.Args{"now": s.Now(), "end": after.EndDate, "was": before.EndDate, "year": after.ID})
	return fault.Wrap("move graduations", err)
}

// seat copies the enrolments of the current year to students, with nil to all, and
// returns how many changed. An ACTIVE student who was taken out of the class has no seat,
// nor has one who left before the year began.
func (s *Service) seat(ctx context.Context, tx *db.Tx, year id.ID, students []id.ID) (int64, error) {
	n, err := db.Exec(ctx, tx, `
		UPDATE students SET class_id = seat.class_id, division_id = seat.division_id, roll_no = seat.roll_no,
			version = version + 1, updated_at = :now
		FROM (SELECT s.id, e.class_id, e.division_id, e.roll_no FROM students s
			LEFT JOIN enrolments e ON e.school_id = s.school_id AND e.student_id = s.id AND e.academic_year_id = :year
				AND (e.outcome <> 'LEFT' OR s.status <> 'ACTIVE' AND (s.leaving_date < (
					SELECT start_date FROM academic_years WHERE school_id = :school AND id = :year)) IS NOT TRUE)
			WHERE s.school_id = :school`+db.When(students != nil, ` AND s.id IN (:students)`)+`) AS seat
		WHERE students.school_id = :school AND students.id = seat.id
			AND (students.class_id IS DISTINCT FROM seat.class_id OR students.division_id IS DISTINCT FROM seat.division_id
				OR students.roll_no IS DISTINCT FROM seat.roll_no)`,
		db.Args{"now": s.Now(), "year": year, "students": students})
	return n, fault.Wrap("seat students", err)
}

// changeOtherYear applies a class of another year than the current one to that year's
// enrolment, and returns the rest of the change. What is not sent stays, but another class
// clears the division.
func (s *Service) changeOtherYear(ctx context.Context, tx *db.Tx, who actor.Actor, student id.ID, c StudentChange) (StudentChange, error) {
	if !c.ClassID.Set || c.ClassID.Null {
		return c, nil
	}
	n := NewStudent{ClassID: &c.ClassID.V}
	years, err := classYears(ctx, tx, []id.ID{*n.ClassID})
	if err != nil || years[*n.ClassID].IsCurrent {
		return c, err
	}
	before, err := getEnrolment(ctx, tx, student, years[*n.ClassID].ID)
	if err != nil {
		return c, err
	}
	if before != nil {
		n.RollNo = before.RollNo
		if before.ClassID == *n.ClassID {
			n.DivisionID = before.DivisionID
		}
	}
	entered := c.DivisionID.Set && !same(n.DivisionID, c.DivisionID.Or(nil))
	n.DivisionID, n.RollNo = c.DivisionID.Or(n.DivisionID), c.RollNo.Or(n.RollNo)
	if _, err := seatYears(ctx, tx, []NewStudent{n}); err != nil {
		return c, err
	}
	row := enrolment{StudentID: student, AcademicYearID: years[*n.ClassID].ID, ClassID: *n.ClassID, DivisionID: n.DivisionID,
		RollNo: n.RollNo, Outcome: enrolled, Now: s.Now()}
	if _, err := db.Insert(ctx, tx, insertEnrolment+moveEnrolment, []enrolment{row}); err != nil {
		return c, enrolFault("change another year's enrolment", err)
	}
	if err := s.followElectives(ctx, tx, who, []id.ID{student}); err != nil {
		return c, err
	}
	if entered && n.DivisionID != nil {
		if err := mustFit(ctx, tx, []id.ID{*n.DivisionID}, nil); err != nil {
			return c, err
		}
	}
	c.ClassID, c.DivisionID, c.RollNo = web.Opt[id.ID]{}, web.Opt[id.ID]{}, web.Opt[int]{}
	return c, s.record(ctx, tx, who, "student.enrol", student, before, row.seat())
}

// followElectives ends the students' electives of classes that they have left.
func (s *Service) followElectives(ctx context.Context, tx *db.Tx, who actor.Actor, students []id.ID) error {
	if s.Electives == nil {
		return nil
	}
	return s.Electives.Follow(ctx, tx, who, students)
}

// moveEnrolment follows insertEnrolment: it moves an existing enrolment.
const moveEnrolment = `
	ON CONFLICT (school_id, student_id, academic_year_id) DO UPDATE SET class_id = excluded.class_id,
		division_id = excluded.division_id, roll_no = excluded.roll_no, updated_at = excluded.updated_at`

// yearSeat is a student's place in one academic year, for the audit log.
type yearSeat struct {
	AcademicYearID id.ID  `json:"academicYearId"`
	ClassID        id.ID  `json:"classId"`
	DivisionID     *id.ID `json:"divisionId"`
	RollNo         *int   `json:"rollNo"`
}

func (e enrolment) seat() yearSeat {
	return yearSeat{e.AcademicYearID, e.ClassID, e.DivisionID, e.RollNo}
}

// getEnrolment reads a student's seat in a year; nil if there is none.
func getEnrolment(ctx context.Context, q db.Q, student, year id.ID) (*yearSeat, error) {
	seat, err := db.One[yearSeat](ctx, q, `
		SELECT academic_year_id, class_id, division_id, roll_no FROM enrolments
		WHERE school_id = :school AND student_id = :student AND academic_year_id = :year`, db.Args{"student": student, "year": year})
	if errors.Is(err, db.ErrNotFound) {
		return nil, nil
	}
	return &seat, fault.Wrap("read an enrolment", err)
}
