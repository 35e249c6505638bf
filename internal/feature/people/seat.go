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

// seatYears maps the students' classes to their academic years. It refuses unknown
// classes, and divisions of another class.
func seatYears(ctx context.Context, q db.Q, in []NewStudent) (map[id.ID]classYear, error) {
	var classes, divisions []id.ID
	for _, n := range in {
		if n.ClassID != nil {
			classes = append(classes, *n.ClassID)
		}
		if n.DivisionID != nil {
			divisions = append(divisions, *n.DivisionID)
		}
	}
	type pair struct{ ID, ClassID id.ID }
	var found []classYear
	var pairs []pair
	err := db.Read(ctx, q, askClassYears(&found, classes),
		db.Into(&pairs, `SELECT id, class_id FROM divisions WHERE school_id = :school AND id IN (:ids)`, db.Args{"ids": divisions}))
	if err != nil {
		return nil, fmt.Errorf("read classes and divisions: %w", err)
	}
	years, err := byClass(found, classes)
	if err != nil {
		return nil, err
	}
	classOf := map[id.ID]id.ID{}
	for _, p := range pairs {
		classOf[p.ID] = p.ClassID
	}
	for _, n := range in {
		if n.DivisionID != nil && (n.ClassID == nil || classOf[*n.DivisionID] != *n.ClassID) {
			return nil, errNoDivision
		}
	}
	return years, nil
}

// classYear is the academic year of a class.
type classYear struct {
	ClassID   id.ID
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
		SELECT c.id AS class_id, y.id, y.is_current
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
	_, err := db.Insert(ctx, tx, insertStudent, students)
	switch {
	case db.IsDuplicate(err, "students_admission_no"):
		return errAdmissionNo.Because(err)
	case err != nil:
		return fmt.Errorf("add students: %w", err)
	}
	_, err = db.Insert(ctx, tx, insertEnrolment, rows)
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
	type division struct {
		ID       id.ID
		Name     string
		Capacity int
		Students int
	}
	return db.Each(ctx, q, `
		SELECT d.id, d.name, d.capacity, (SELECT count(*) FROM `+seated+`) AS students
		FROM divisions d JOIN classes c ON c.school_id = d.school_id AND c.id = d.class_id
		WHERE d.school_id = :school AND d.id IN (:ids) AND d.capacity IS NOT NULL
		ORDER BY d.name`, db.Args{"ids": divisions}, func(d division) error {
		if n := d.Students + entering[d.ID]; n > d.Capacity {
			return errFull.Saying("Division %s has %d places, and this would make %d students. Choose another division, or raise its capacity.",
				d.Name, d.Capacity, n)
		}
		return nil
	})
}

// seated selects the students who have a place in division d of class c, in the
// class's own academic year.
const seated = `enrolments e JOIN students s ON s.school_id = e.school_id AND s.id = e.student_id
		AND s.status = 'ACTIVE' AND s.archived_at IS NULL
	WHERE e.school_id = d.school_id AND e.academic_year_id = c.academic_year_id AND e.class_id = d.class_id AND e.division_id = d.id
		AND e.outcome <> 'LEFT'`
