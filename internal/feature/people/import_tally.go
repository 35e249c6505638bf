package people

import (
	"context"
	"crypto/rand"
	"fmt"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

// The triggers that keep student_counts, enrolment_counts and student_stamps when
// students come.
const (
	studentsCounted   = "student_counts_came"
	enrolmentsCounted = "enrolment_counts_came"
	studentsStamped   = "student_stamps_came"
	enrolmentsStamped = "enrolment_stamps_came"
)

// tally counts the students that an import adds, where they sit, to do the work
// of those triggers where they are put off.
type tally map[seatKey]int

type seatKey struct{ class, division id.ID } // "" for none

func (t tally) note(rows []studentRow) {
	for i := range rows {
		var at seatKey
		if c := rows[i].ClassID; c != nil {
			at.class = *c
		}
		if d := rows[i].DivisionID; d != nil {
			at.division = *d
		}
		t[at]++
	}
}

// keep writes what was noted since it did last, of students of one year.
func (t tally) keep(ctx context.Context, tx *db.Tx, year id.ID) error {
	defer clear(t)
	if tx.PutOff(studentsCounted) {
		if err := t.keepStudents(ctx, tx); err != nil {
			return err
		}
	}
	if tx.PutOff(enrolmentsCounted) {
		if err := t.keepEnrolments(ctx, tx, year); err != nil {
			return err
		}
	}
	if tx.PutOff(studentsStamped) || tx.PutOff(enrolmentsStamped) {
		return stampStudents(ctx, tx)
	}
	return nil
}

func (t tally) keepStudents(ctx context.Context, tx *db.Tx) error {
	type count struct {
		Class, Division string
		N               int
	}
	counts := make([]count, 0, len(t))
	for at, n := range t {
		counts = append(counts, count{string(at.class), string(at.division), n})
	}
	_, err := db.Insert(ctx, tx, `
		INSERT INTO student_counts (school_id, class, division, status, n) VALUES (:school, :class, :division, 'ACTIVE', :n)
		ON CONFLICT (school_id, class, division, status) DO UPDATE SET n = student_counts.n + excluded.n`, counts)
	if err != nil {
		return fmt.Errorf("count students: %w", err)
	}
	return nil
}

func (t tally) keepEnrolments(ctx context.Context, tx *db.Tx, year id.ID) error {
	type count struct {
		Year id.ID
		N    int
	}
	c := count{Year: year}
	for at, n := range t {
		if at.class != "" {
			c.N += n
		}
	}
	if c.N == 0 {
		return nil
	}
	_, err := db.Insert(ctx, tx, `
		INSERT INTO enrolment_counts (school_id, academic_year_id, n) VALUES (:school, :year, :n)
		ON CONFLICT (school_id, academic_year_id) DO UPDATE SET n = enrolment_counts.n + excluded.n`, []count{c})
	if err != nil {
		return fmt.Errorf("count enrolments: %w", err)
	}
	return nil
}

func stampStudents(ctx context.Context, tx *db.Tx) error {
	stamp := rand.Text()
	_, err := db.Exec(ctx, tx, `INSERT INTO student_stamps (school_id, stamp, recent) VALUES (:school, :stamp, :recent)
		ON CONFLICT (school_id) DO UPDATE SET stamp = excluded.stamp, recent = excluded.recent`, db.Args{"stamp": stamp, "recent": stamp + ": "})
	if err != nil {
		return fmt.Errorf("stamp students: %w", err)
	}
	return nil
}
