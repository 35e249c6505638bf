package people

import (
	"context"
	"fmt"
	"strings"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

// rosterRow is a student as it is read for a roster.
type rosterRow struct {
	ID, Class, Division              id.ID
	Status, Search                   string
	FirstName, LastName, AdmissionNo string
	RollNo                           int
}

var selectRoster = `SELECT id, COALESCE(CAST(class_id AS TEXT), '') AS class, COALESCE(CAST(division_id AS TEXT), '') AS division, status, search,
		first_name, last_name, admission_no, ` + StudentSorts["rollNo"] + ` AS roll_no
	FROM students WHERE school_id = :school AND archived_at IS NULL`

// sitting is where a student sat in a year.
type sitting struct {
	ID, Year, Class, Division id.ID
}

const selectSitting = `SELECT student_id AS id, academic_year_id AS year, class_id AS class, COALESCE(CAST(division_id AS TEXT), '') AS division
	FROM enrolments WHERE school_id = :school`

// A roster may know more than its stamp says, of students who change while it is
// read: they are read again with the next.

// readRoster reads all students of a school, and where they sat in some years.
func readRoster(ctx context.Context, q db.Q, years []id.ID) (*roster, error) {
	is, err := readStamp(ctx, q)
	if err != nil {
		return nil, err
	}
	r := &roster{stamp: is.Stamp, years: map[id.ID][]uint32{}, kindOf: map[studentKind]uint32{}, orders: map[string][]uint32{}}
	for _, year := range years {
		r.years[year] = []uint32{}
	}
	err = db.Each(ctx, q, selectRoster+` ORDER BY id`, nil, func(s rosterRow) error { r.add(s); return nil })
	if err != nil {
		return nil, fmt.Errorf("read all students: %w", err)
	}
	r.sorted = len(r.now)
	r.sort()
	for _, year := range years {
		at := uint32(0)
		err := db.Each(ctx, q, selectSitting+` AND academic_year_id = :year ORDER BY student_id`, db.Args{"year": year}, func(s sitting) error {
			for int(at) < r.sorted && string(r.id(at)) < string(s.ID) {
				at++
			}
			if int(at) < r.sorted && string(r.id(at)) == string(s.ID) { // else it is archived
				r.sit(at, s)
			}
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("read the students of a year: %w", err)
		}
	}
	return r, nil
}

// renew reads the students who have changed until a stamp.
func (r *roster) renew(ctx context.Context, q db.Q, stamp string, changed []id.ID) (*roster, error) {
	rows, err := db.All[rosterRow](ctx, q, selectRoster+` AND id IN (:changed)`, db.Args{"changed": changed})
	if err != nil {
		return nil, fmt.Errorf("read who has changed: %w", err)
	}
	sat, err := db.All[sitting](ctx, q, selectSitting+` AND student_id IN (:changed)`, db.Args{"changed": changed})
	if err != nil {
		return nil, fmt.Errorf("read where they sat: %w", err)
	}
	n := r.copy()
	n.stamp = stamp
	for _, student := range changed {
		n.remove(student)
	}
	at := map[id.ID]uint32{}
	for _, s := range rows {
		at[s.ID] = uint32(len(n.now))
		n.add(s)
	}
	for _, s := range sat {
		if i, ok := at[s.ID]; ok && n.years[s.Year] != nil {
			n.sit(i, s)
		}
	}
	n.sort()
	return n, nil
}

// stamp says which students a school has: see the migration.
type stamp struct {
	Stamp    string
	Recent   string
	Students int // how many they are
}

func readStamp(ctx context.Context, q db.Q) (stamp, error) {
	s, err := db.One[stamp](ctx, q, `SELECT COALESCE(MAX(stamp), '') AS stamp, COALESCE(MAX(recent), '') AS recent,
		(SELECT CAST(COALESCE(SUM(n), 0) AS BIGINT) FROM student_counts WHERE school_id = :school) AS students
		FROM student_stamps WHERE school_id = :school`, nil)
	if err != nil {
		return s, fmt.Errorf("read the students' stamp: %w", err)
	}
	return s, nil
}

// since are the students who have changed since an earlier stamp, if that is known.
func (s stamp) since(earlier string) (changed []id.ID, known bool) {
	for change := range strings.FieldsSeq(s.Recent) {
		at, student, _ := strings.Cut(change, ":")
		if at == earlier {
			return changed, true
		}
		changed = append(changed, id.ID(student))
	}
	return nil, false
}
