package people

import (
	"context"
	"fmt"
	"strings"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
)

// studentPass is one pass over a file of students. It checks each line and, within
// a transaction, writes it.
type studentPass struct {
	*report
	s     *Service
	who   actor.Actor
	o     Import
	q     db.Q
	tx    *db.Tx // nil: check only
	seats *seating
	rows  map[string]int // the row of each admission number
	rolls rolls
	given *givenNumbers // shared by both passes
}

func (s *Service) studentPass(ctx context.Context, tx *db.Tx, who actor.Actor, o Import,
	r *report, given *givenNumbers) (*studentPass, error) {
	p := &studentPass{report: r, s: s, who: who, o: o, tx: tx, q: s.DB.School(who.School), rows: map[string]int{}, given: given}
	if tx != nil {
		p.q = tx
		if err := lockStudents(ctx, tx); err != nil {
			return nil, err
		}
	}
	var err error
	if p.seats, err = newSeating(ctx, p.q, o.Year); err != nil {
		return nil, err
	}
	if tx == nil {
		return p, given.begin(ctx, p.q)
	}
	return p, given.reserve(ctx, tx)
}

// foundStudent is an existing student.
type foundStudent struct {
	ID            id.ID
	AdmissionNo   string
	FirstName     string
	LastName      string
	DateOfBirth   *clock.Date
	Gender        string
	BloodGroup    string
	ClassID       *id.ID
	DivisionID    *id.ID
	RollNo        *int
	AdmissionDate *clock.Date
	Address       string
	Phone         string
	Email         string
	MedicalNotes  string
	RideNotes     string
	Status        string
	LeavingDate   *clock.Date
	LeavingReason string
	Archived      bool
}

// lookup finds existing students by the lines' admission numbers and, for an
// upsert, their guardians.
func (p *studentPass) lookup(ctx context.Context, lines []studentLine) (map[string]*foundStudent, map[id.ID][]Guardian, error) {
	found, guardians := map[string]*foundStudent{}, map[id.ID][]Guardian{}
	var numbers []string
	for i := range lines {
		if number := lines[i].AdmissionNo; number != "" {
			numbers = append(numbers, number)
		}
	}
	if len(numbers) == 0 {
		return found, guardians, nil
	}
	var ids []id.ID
	err := db.Each(ctx, p.q, `
		SELECT s.id, s.admission_no, s.first_name, s.last_name, s.date_of_birth, s.gender, s.blood_group,
			e.class_id, e.division_id, e.roll_no, s.admission_date, s.address, s.phone, s.email, s.medical_notes, s.ride_notes, s.status,
			s.leaving_date, s.leaving_reason, s.archived_at IS NOT NULL AS archived
		FROM students s LEFT JOIN enrolments e ON e.school_id = s.school_id AND e.student_id = s.id AND e.academic_year_id = :year
		WHERE s.school_id = :school AND s.admission_no IN (:numbers)`,
		db.Args{"numbers": numbers, "year": opt.Ptr(p.seats.yearID)}, func(st foundStudent) error {
			found[st.AdmissionNo] = &st
			ids = append(ids, st.ID)
			return nil
		})
	if err != nil {
		return nil, nil, fmt.Errorf("look up students: %w", err)
	}
	if !p.o.Upsert || len(ids) == 0 {
		return found, guardians, nil
	}
	type link struct {
		StudentID   id.ID
		Name, Phone string
	}
	err = db.Each(ctx, p.q, `
		SELECT l.student_id, g.name, g.phone FROM student_guardians l
		JOIN guardians g ON g.school_id = l.school_id AND g.id = l.guardian_id
		WHERE l.school_id = :school AND l.student_id IN (:ids)`, db.Args{"ids": ids}, func(l link) error {
		guardians[l.StudentID] = append(guardians[l.StudentID], Guardian{Name: l.Name, Phone: opt.Text(l.Phone)})
		return nil
	})
	if err != nil {
		return nil, nil, fmt.Errorf("look up guardians: %w", err)
	}
	return found, guardians, nil
}

// take checks a chunk of lines and, in the second pass, writes it. A line that failed is
// checked to the end and takes its number and place: rows are judged as if all others
// were right.
func (p *studentPass) take(ctx context.Context, lines []studentLine) error {
	found, guardians, err := p.lookup(ctx, lines)
	if err != nil {
		return err
	}
	if err := p.rolls.look(ctx, p.q, p.seats, lines); err != nil {
		return err
	}
	var w studentWrites
	for i := range lines {
		l := &lines[i]
		p.checkNumber(l)
		if problem := birthProblem(l.DateOfBirth, p.today()); problem != "" {
			p.wrong(l, stDateOfBirth, "%s", problem)
		}
		p.seats.find(p, l)
		is, there := found[l.AdmissionNo]
		switch {
		case !there:
			p.create(l, &w)
		case is.Archived:
			p.wrong(l, stAdmissionNo, "belonged to a student who was removed: choose another number")
		case !p.o.Upsert:
			p.wrong(l, stAdmissionNo, "belongs to %s already: choose another number, or use mode=upsert to update existing students",
				strings.TrimSpace(is.FirstName+" "+is.LastName))
		default:
			p.update(l, is, guardians[is.ID], &w)
		}
	}
	if p.tx == nil {
		return nil
	}
	return p.write(ctx, w)
}

func (p *studentPass) wrong(l *studentLine, column int, format string, a ...any) {
	p.fail(RowError{l.row, opt.Text(studentColumnsCSV[column].Name), fmt.Sprintf(format, a...)})
}

// checkNumber refuses an admission number that an earlier row has.
func (p *studentPass) checkNumber(l *studentLine) {
	if l.AdmissionNo == "" {
		if p.o.Upsert {
			p.wrong(l, stAdmissionNo, "is required with mode=upsert, to find the student")
		}
		p.given.missing = true
		return
	}
	p.given.note(l.AdmissionNo)
	if row, ok := p.rows[l.AdmissionNo]; ok {
		p.wrong(l, stAdmissionNo, "is already used in row %d: each student needs a different number", row)
		return
	}
	p.rows[l.AdmissionNo] = l.row
}

// create checks a line of a new student.
func (p *studentPass) create(l *studentLine, w *studentWrites) {
	if l.FirstName == "" {
		p.wrong(l, stFirstName, "is required")
	}
	stays := l.status == "" || l.status == active
	if stays {
		p.takeRoll(l, "")
		p.takePlace(l)
	}
	if p.bad[l.row] {
		return
	}
	if !stays {
		w.leavers = append(w.leavers, l)
	}
	p.Created++
	w.fresh = append(w.fresh, l)
}

// update checks a line of an existing student.
func (p *studentPass) update(l *studentLine, is *foundStudent, guardians []Guardian, w *studentWrites) {
	c, changed := l.change(is)
	if l.status != "" && l.status != is.Status && l.status != active && is.Status != active {
		p.wrong(l, stStatus, "can't change from %s to %s: set the student to ACTIVE first", is.Status, l.status)
	}
	if l.statusAfter(is) == active {
		p.takeRoll(l, l.AdmissionNo)
		if is.Status != active || !same(is.DivisionID, l.DivisionID) {
			p.takePlace(l)
		}
	}
	if p.bad[l.row] {
		return
	}
	missing := unlinked(l.Guardians, guardians)
	switch {
	case changed:
		w.changes = append(w.changes, studentEdit{is.ID, c})
	case len(missing) == 0:
		p.Unchanged++
		return
	}
	if len(missing) > 0 {
		for i := range missing {
			missing[i].IsPrimary = len(guardians) == 0 && i == 0
		}
		w.families = append(w.families, family{student: is.ID, guardians: missing, existing: true})
	}
	p.Updated++
}

// unlinked returns the guardians of a line that the student doesn't have yet,
// matched by phone or, without one, by name.
func unlinked(wanted []NewGuardian, there []Guardian) []NewGuardian {
	var out []NewGuardian
	for _, g := range wanted {
		has := false
		for _, t := range there {
			has = has || g.Phone != "" && g.Phone == string(t.Phone) || g.Phone == "" && plainText(g.Name) == plainText(t.Name)
		}
		if !has {
			out = append(out, g)
		}
	}
	return out
}
