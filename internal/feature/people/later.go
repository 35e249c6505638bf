package people

import (
	"context"
	"errors"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
)

// inLaterYears are a student's enrolments in years after the current one.
const inLaterYears = ` WHERE school_id = :school AND student_id = :student AND academic_year_id IN (
	SELECT later.id FROM academic_years later JOIN academic_years y ON y.school_id = later.school_id AND y.is_current
	WHERE later.school_id = :school AND later.start_date > y.start_date)`

// changeLaterYears gives up the places in years to come of a student who leaves, and takes
// up those of one who comes back.
func changeLaterYears(ctx context.Context, tx *db.Tx, before, after Student) error {
	switch {
	case before.Status == active && after.Status != active:
		_, err := db.Exec(ctx, tx, `UPDATE enrolments SET outcome = 'LEFT', updated_at = :now`+inLaterYears,
			db.Args{"student": after.ID, "now": after.UpdatedAt})
		return fault.Wrap("give up later places", err)
	case before.Status != active && after.Status == active:
		return takeUpLaterPlaces(ctx, tx, after)
	}
	return nil
}

// takeUpLaterPlaces enrols a student again in the classes of years to come, without what
// others have taken. The current year has ended for the student, as it had before.
func takeUpLaterPlaces(ctx context.Context, tx *db.Tx, st Student) error {
	places, err := db.All[enrolment](ctx, tx, `
		SELECT student_id, academic_year_id, class_id, division_id, roll_no, 'ENROLLED' AS outcome, updated_at AS now
		FROM enrolments`+inLaterYears+` AND outcome = 'LEFT'`, db.Args{"student": st.ID})
	if err != nil || len(places) == 0 {
		return fault.Wrap("list later places", err)
	}
	classes := make([]id.ID, len(places))
	for i := range places {
		classes[i], places[i].Now = places[i].ClassID, st.UpdatedAt
		if err := places[i].withoutTaken(ctx, tx); err != nil {
			return err
		}
	}
	if _, err := db.Insert(ctx, tx, insertEnrolment+moveEnrolment+`, outcome = excluded.outcome`, places); err != nil {
		return enrolFault("take up later places", err)
	}
	_, err = db.Exec(ctx, tx, `
		UPDATE enrolments SET outcome = CASE WHEN EXISTS (
			SELECT 1 FROM classes c JOIN classes next ON next.school_id = c.school_id AND next.name = c.name AND next.id IN (:classes)
			WHERE c.school_id = :school AND c.id = enrolments.class_id) THEN 'DETAINED' ELSE 'PROMOTED' END, updated_at = :now
		WHERE school_id = :school AND student_id = :student AND outcome = 'ENROLLED' AND academic_year_id IN (
			SELECT id FROM academic_years WHERE school_id = :school AND is_current)`,
		db.Args{"student": st.ID, "classes": classes, "now": st.UpdatedAt})
	return fault.Wrap("end the current year", err)
}

// withoutTaken clears a division that is full now, and a roll number that another student has.
func (e *enrolment) withoutTaken(ctx context.Context, q db.Q) error {
	if e.DivisionID == nil {
		return nil
	}
	err := mustFit(ctx, q, []id.ID{*e.DivisionID}, map[id.ID]int{*e.DivisionID: 1})
	switch {
	case errors.Is(err, errFull):
		e.DivisionID, e.RollNo = nil, nil
		return nil
	case err != nil || e.RollNo == nil:
		return err
	}
	taken, err := db.One[bool](ctx, q, `SELECT EXISTS (SELECT 1 FROM enrolments
		WHERE school_id = :school AND division_id = :division AND roll_no = :roll AND outcome <> 'LEFT') AS taken`,
		db.Args{"division": e.DivisionID, "roll": e.RollNo})
	if taken {
		e.RollNo = nil
	}
	return fault.Wrap("look up a roll number", err)
}

// dropLaterEnrolments gives up the later places of a student who is archived for good.
func dropLaterEnrolments(ctx context.Context, tx *db.Tx, student id.ID) error {
	_, err := db.Exec(ctx, tx, `DELETE FROM enrolments`+inLaterYears, db.Args{"student": student})
	return fault.Wrap("give up later enrolments", err)
}
