package attendance

import (
	"context"
	"fmt"

	"homeroom/internal/feature/academics"
	"homeroom/internal/feature/elective"
	"homeroom/internal/feature/people"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
)

// enrolled is the time of a student in the class: the academic year, from the admission
// date on.
type enrolled struct{ From, To clock.Date }

func (e enrolled) covers(d clock.Date) bool { return e.From <= d && d <= e.To }

// enrolledColumns select an enrolled from students s and academic_years y.
const enrolledColumns = `
	CASE WHEN s.admission_date > y.start_date THEN s.admission_date ELSE y.start_date END AS "from", y.end_date AS "to"`

// classYear joins the academic year y of the class of students s.
const classYear = `
	JOIN classes c ON c.school_id = s.school_id AND c.id = s.class_id
	JOIN academic_years y ON y.school_id = c.school_id AND y.id = c.academic_year_id`

// takes is SQL that is true unless students s have a lesson in :period on :date, a
// :weekday, in an elective that they don't take.
var takes = `NOT EXISTS (SELECT 1 FROM timetable_periods p
	LEFT JOIN timetable_overrides o ON o.school_id = p.school_id AND o.division_id = p.division_id AND o.date = :date
		AND o.period_no = p.period_no
	WHERE p.school_id = :school AND p.division_id = s.division_id AND p.day_of_week = :weekday AND p.period_no = :period
		AND NOT ` + elective.Takes("s.class_id", "COALESCE(o.subject_id, p.subject_id)", "s.id") + `)`

// fits checks that all students are in the class and division, that they are enrolled
// on the day and take the lesson, and that the statuses fit it. A mark can be taken back
// on any day.
func (in NewMarks) fits(ctx context.Context, q db.Q, who actor.Actor, lines map[id.ID]line, may reach) error {
	var wrong []fault.Field
	say := func(i int, field, format string, a ...any) {
		wrong = append(wrong, fault.Field{Field: fmt.Sprintf("records[%d].%s", i, field), Message: fmt.Sprintf(format, a...)})
	}
	var elsewhere []id.ID
	for i, r := range in.Records {
		l, ok := lines[r.StudentID]
		switch {
		case !ok:
			elsewhere = append(elsewhere, r.StudentID)
		case !may.has(l.SeatDivisionID):
			return academics.ErrNotAssigned
		case r.Status.Null:
		case !l.covers(in.Date):
			say(i, "studentId", "must be enrolled on this day: %s is at the school from %s to %s", l.name(), l.From, l.To)
		case !l.Takes && l.ID == "":
			say(i, "studentId", "must take this lesson: it is an elective that %s does not take", l.name())
		case l.Holiday != "" && r.Status.V != holiday:
			say(i, "status", "must be HOLIDAY: %s is %s", in.Date, l.Holiday)
		}
	}
	if elsewhere == nil && wrong == nil {
		return nil
	}
	if who.Role != actor.Teacher { // mayMark has checked the class and division of teachers
		if _, err := reachOf(ctx, q, who, "", in.ClassID, in.DivisionID); err != nil {
			return err
		}
	}
	seats, err := listSeats(ctx, q, elsewhere)
	if err != nil {
		return err
	}
	for i, r := range in.Records {
		if _, ok := lines[r.StudentID]; ok {
			continue
		}
		switch at, ok := seats[r.StudentID]; {
		case !ok:
			return people.ErrNoStudent
		case at.Status != "ACTIVE":
			say(i, "studentId", "must not be a student who has left")
		default:
			say(i, "studentId", "must be a student of this class and division")
		}
	}
	return fault.Fields(wrong...)
}
