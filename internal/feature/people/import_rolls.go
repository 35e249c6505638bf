package people

import (
	"context"
	"fmt"

	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

// rolls are the roll numbers in use, by division, with the student's admission number
// or, for a student of the file, the row.
type rolls map[id.ID]map[int]string

// look reads the roll numbers of the divisions that lines name, once each.
func (r *rolls) look(ctx context.Context, q db.Q, seats *seating, lines []studentLine) error {
	if *r == nil {
		*r = rolls{}
	}
	var unread []id.ID
	for i := range lines {
		c := seats.classes.find(lines[i].class)
		if lines[i].RollNo == nil || c == nil {
			continue
		}
		if d := c.divisions.find(lines[i].division); d != nil && (*r)[d.id] == nil {
			(*r)[d.id] = map[int]string{}
			unread = append(unread, d.id)
		}
	}
	if len(unread) == 0 {
		return nil
	}
	type roll struct {
		DivisionID  id.ID
		RollNo      int
		AdmissionNo string
	}
	err := db.Each(ctx, q, `
		SELECT e.division_id, e.roll_no, s.admission_no FROM enrolments e
		JOIN students s ON s.school_id = e.school_id AND s.id = e.student_id
		WHERE e.school_id = :school AND e.division_id IN (:divisions) AND e.roll_no IS NOT NULL AND e.outcome <> 'LEFT'`,
		db.Args{"divisions": unread}, func(v roll) error {
			(*r)[v.DivisionID][v.RollNo] = v.AdmissionNo
			return nil
		})
	if err != nil {
		return fmt.Errorf("read roll numbers: %w", err)
	}
	return nil
}

// takeRoll takes the line's roll number in its division, and fails if another student
// has it. number is the admission number of an existing student.
func (p *studentPass) takeRoll(l *studentLine, number string) {
	if l.RollNo == nil || l.place == nil {
		return
	}
	taken := p.rolls[l.place.id]
	if owner, ok := taken[*l.RollNo]; ok && (number == "" || owner != number) {
		p.wrong(l, stRollNo, "belongs to another student of the division: %s", owner)
		return
	}
	if taken[*l.RollNo] = number; number == "" {
		taken[*l.RollNo] = fmt.Sprintf("see row %d", l.row)
	}
}

// today is the school's day.
func (p *studentPass) today() clock.Date { return clock.DateIn(p.s.Now(), p.who.Zone) }
