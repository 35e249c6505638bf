package people

import (
	"context"
	"fmt"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

// studentsCounted is the trigger that keeps student_counts when students come.
const studentsCounted = "student_counts_came"

// tally counts the students that an import adds, where they sit, to do the work
// of that trigger where it is put off.
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

// keep writes what was noted since it did last.
func (t tally) keep(ctx context.Context, tx *db.Tx) error {
	defer clear(t)
	if !tx.PutOff(studentsCounted) {
		return nil
	}
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
