package people

import (
	"context"
	"fmt"
	"slices"
	"time"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
)

// seats are the classes and divisions of students.
type seats struct {
	classes   map[id.ID]classYear
	divisions []division // by name
}

// division is a division with its capacity; nil: any number of students.
type division struct {
	ID       id.ID
	ClassID  id.ID
	Name     string
	Capacity *int
	Students int // 0 without a capacity
}

// readSeats reads the students' classes and divisions, and answers more asks in the same
// round trip. It refuses unknown classes, and divisions of another class.
func readSeats(ctx context.Context, q db.Q, in []NewStudent, more ...db.Ask) (seats, error) {
	var classes []id.ID
	for _, n := range in {
		if n.ClassID != nil {
			classes = append(classes, *n.ClassID)
		}
	}
	var out seats
	var found []classYear
	err := db.Read(ctx, q, append(more, askClassYears(&found, classes), askDivisions(&out.divisions, divisionsOf(in)))...)
	if err != nil {
		return out, fmt.Errorf("read classes and divisions: %w", err)
	}
	if out.classes, err = byClass(found, classes); err != nil {
		return out, err
	}
	for _, n := range in {
		if n.DivisionID != nil && (n.ClassID == nil || out.division(*n.DivisionID).ClassID != *n.ClassID) {
			return out, errNoDivision
		}
	}
	return out, nil
}

func (s seats) division(at id.ID) division {
	for _, d := range s.divisions {
		if d.ID == at {
			return d
		}
	}
	return division{}
}

// seatYears maps the students' classes to their academic years, as readSeats does.
func seatYears(ctx context.Context, q db.Q, in []NewStudent) (map[id.ID]classYear, error) {
	s, err := readSeats(ctx, q, in)
	return s.classes, err
}

// classYear is the academic year of a class.
type classYear struct {
	ClassID   id.ID
	ClassName string
	ID        id.ID
	IsCurrent bool
}

// classYears maps each class to its academic year and refuses unknown classes.
func classYears(ctx context.Context, q db.Q, classes []id.ID) (map[id.ID]classYear, error) {
	var found []classYear
	if err := db.Read(ctx, q, askClassYears(&found, classes)); err != nil {
		return nil, fmt.Errorf("read classes: %w", err)
	}
	return byClass(found, classes)
}

func askClassYears(out *[]classYear, classes []id.ID) db.Ask {
	return db.Into(out, `
		SELECT c.id AS class_id, c.name AS class_name, y.id, y.is_current
		FROM classes c JOIN academic_years y ON y.school_id = c.school_id AND y.id = c.academic_year_id
		WHERE c.school_id = :school AND c.id IN (:ids)`, db.Args{"ids": classes})
}

// byClass maps each class to its academic year and refuses classes that were not found.
func byClass(found []classYear, classes []id.ID) (map[id.ID]classYear, error) {
	years := map[id.ID]classYear{}
	for _, y := range found {
		years[y.ClassID] = y
	}
	for _, c := range classes {
		if _, ok := years[c]; !ok {
			return nil, errNoClass
		}
	}
	return years, nil
}

// ClassYears maps each class to its academic year and refuses unknown classes.
func ClassYears(ctx context.Context, q db.Q, classes []id.ID) (map[id.ID]id.ID, error) {
	years, err := classYears(ctx, q, classes)
	out := make(map[id.ID]id.ID, len(years))
	for class, y := range years {
		out[class] = y.ID
	}
	return out, err
}

// enrolment is a row to insert: the class of one academic year.
type enrolment struct {
	StudentID, AcademicYearID, ClassID id.ID
	DivisionID                         *id.ID
	RollNo                             *int
	Outcome                            string
	Now                                time.Time
}

const insertEnrolment = `
	INSERT INTO enrolments (school_id, student_id, academic_year_id, class_id, division_id, roll_no, outcome, created_at, updated_at)
	VALUES (:school, :student_id, :academic_year_id, :class_id, :division_id, :roll_no, :outcome, :now, :now)`

// enrol inserts new students with the enrolments of their classes' academic years. A
// class of another year than the current one is not in the student's row: SeatYear
// copies it when that year is activated.
func enrol(ctx context.Context, tx *db.Tx, students []studentRow, years map[id.ID]classYear) error {
	var rows []enrolment
	for i, st := range students {
		if st.ClassID == nil {
			continue
		}
		year := years[*st.ClassID]
		rows = append(rows, enrolment{StudentID: st.ID, AcademicYearID: year.ID, ClassID: *st.ClassID, DivisionID: st.DivisionID,
			RollNo: st.RollNo, Outcome: enrolled, Now: st.Now})
		if !year.IsCurrent {
			students[i].ClassID, students[i].DivisionID, students[i].RollNo = nil, nil, nil
		}
	}
	var q db.Q = tx
	if len(rows) > 0 { // both in one round trip
		q = tx.Later()
	}
	_, err := db.Insert(ctx, q, insertStudent, students)
	if err == nil {
		_, err = db.Insert(ctx, tx, insertEnrolment, rows)
	}
	if db.IsDuplicate(err, "students_admission_no") {
		return errAdmissionNo.Because(err)
	}
	return enrolFault("enrol students", err)
}

// enrolFault maps a roll number that another student has to a fault.
func enrolFault(doing string, err error) error {
	if db.IsDuplicate(err, "enrolments_roll_no") {
		return errRollNo.Because(err)
	}
	return fault.Wrap(doing, err)
}

// divisionsOf lists the students' distinct divisions.
func divisionsOf(in []NewStudent) []id.ID {
	var out []id.ID
	for _, n := range in {
		if n.DivisionID != nil && !slices.Contains(out, *n.DivisionID) {
			out = append(out, *n.DivisionID)
		}
	}
	return out
}

// mustFit fails if one of the divisions has more students than its capacity, counting
// those who are about to enter. The caller holds the students lock.
func mustFit(ctx context.Context, q db.Q, divisions []id.ID, entering map[id.ID]int) error {
	if len(divisions) == 0 {
		return nil
	}
	var s seats
	if err := db.Read(ctx, q, askDivisions(&s.divisions, divisions)); err != nil {
		return fmt.Errorf("read divisions: %w", err)
	}
	return s.mustFit(entering)
}

func (s seats) mustFit(entering map[id.ID]int) error {
	for _, d := range s.divisions {
		if n := d.Students + entering[d.ID]; d.Capacity != nil && n > *d.Capacity {
			return errFull.Saying("Division %s has %d places, and this would make %d students. Choose another division, or raise its capacity.",
				d.Name, *d.Capacity, n)
		}
	}
	return nil
}

// enteringBy counts the students who enter each division.
func enteringBy(in []NewStudent) map[id.ID]int {
	out := map[id.ID]int{}
	for _, n := range in {
		if n.DivisionID != nil {
			out[*n.DivisionID]++
		}
	}
	return out
}

func askDivisions(out *[]division, ids []id.ID) db.Ask {
	return db.Into(out, `
		SELECT d.id, d.class_id, d.name, d.capacity,
			CASE WHEN d.capacity IS NULL THEN 0 ELSE `+seatedIn+` END AS students
		FROM divisions d JOIN classes c ON c.school_id = d.school_id AND c.id = d.class_id
		WHERE d.school_id = :school AND d.id IN (:ids) ORDER BY d.name`, db.Args{"ids": ids})
}

// seatedIn counts the students of division d of class c.
var seatedIn = Seated("c.academic_year_id", "at.class_id = d.class_id AND at.division_id = d.id")

// Seated is a subquery that counts the ACTIVE students with a seat, a condition on at: in the
// current year by the copy of the seat in students, which is indexed with the status, in another
// year by the enrolments.
func Seated(year, seat string) string {
	return `CASE WHEN ` + year + ` IN (SELECT y.id FROM academic_years y WHERE y.school_id = :school AND y.is_current)
		THEN (SELECT count(*) FROM students at WHERE at.school_id = :school AND ` + seat + ` AND at.status = 'ACTIVE' AND at.archived_at IS NULL)
		ELSE (SELECT count(*) FROM enrolments at JOIN students s ON s.school_id = at.school_id AND s.id = at.student_id
				AND s.status = 'ACTIVE' AND s.archived_at IS NULL
			WHERE at.school_id = :school AND at.academic_year_id = ` + year + ` AND ` + seat + ` AND at.outcome <> 'LEFT') END`
}
