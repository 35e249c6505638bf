package people

import (
	"context"
	"fmt"
	"time"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

// NewStudent is a student to be enrolled.
type NewStudent struct {
	AdmissionNo       string
	FirstName         string
	LastName          string
	DateOfBirth       *clock.Date
	Gender            string
	BloodGroup        string
	ClassID           *id.ID // none: a student without a seat, and without an enrolment
	DivisionID        *id.ID // of that class
	RollNo            *int
	AdmissionDate     *clock.Date
	Address           string
	Phone             string
	Email             string
	MedicalNotes      string
	EmergencyContacts db.JSON[[]Contact]
	Guardians         []NewGuardian `db:"-"`
}

// AddStudents enrols students, each in the academic year of its class, and
// links their guardians. It returns the new ids in the order of the students. It
// takes few statements, however many they are, but for the account that every
// new guardian gets.
func (s *Service) AddStudents(ctx context.Context, tx *db.Tx, who actor.Actor, in []NewStudent) ([]id.ID, error) {
	years, err := seatYears(ctx, tx, in)
	if err != nil {
		return nil, err
	}
	now := s.Now()
	ids := make([]id.ID, len(in))
	rows := make([]studentRow, len(in))
	families := make([]family, len(in))
	for i, n := range in {
		ids[i] = s.NewID()
		n.EmergencyContacts.V = append([]Contact{}, n.EmergencyContacts.V...) // [] rather than null
		rows[i] = studentRow{NewStudent: n, ID: ids[i], Now: now,
			Search: SearchText(n.FirstName+" "+n.LastName, n.AdmissionNo, n.Phone)}
		families[i] = family{student: ids[i], guardians: n.Guardians}
	}
	_, err = db.Insert(ctx, tx, insertStudent, rows)
	switch {
	case db.IsDuplicate(err, "students_admission_no"):
		return nil, errAdmissionNo.Because(err)
	case err != nil:
		return nil, fmt.Errorf("add students: %w", err)
	}
	if err := s.enrol(ctx, tx, rows, years); err != nil {
		return nil, err
	}
	return ids, s.addGuardians(ctx, tx, who, families)
}

// studentRow is a student as it is inserted.
type studentRow struct {
	NewStudent
	ID     id.ID
	Search string
	Now    time.Time
}

const insertStudent = `
	INSERT INTO students (school_id, id, admission_no, first_name, last_name, date_of_birth, gender, blood_group,
		class_id, division_id, roll_no, admission_date, address, phone, email, medical_notes, emergency_contacts,
		status, search, created_at, updated_at)
	VALUES (:school, :id, :admission_no, :first_name, :last_name, :date_of_birth, :gender, :blood_group,
		:class_id, :division_id, :roll_no, :admission_date, :address, :phone, :email, :medical_notes, :emergency_contacts,
		'ACTIVE', :search, :now, :now)`

// seatYears maps the students' classes to their academic years. A class that is
// not the school's, or a division that is not of its class, is a fault.
func seatYears(ctx context.Context, q db.Q, in []NewStudent) (map[id.ID]id.ID, error) {
	var classes, divisions []id.ID
	for _, n := range in {
		if n.ClassID != nil {
			classes = append(classes, *n.ClassID)
		}
		if n.DivisionID != nil {
			divisions = append(divisions, *n.DivisionID)
		}
	}
	years, err := ClassYears(ctx, q, classes)
	if err != nil {
		return nil, err
	}
	classOf, err := pairs(ctx, q, `SELECT id, class_id AS of FROM divisions WHERE school_id = :school AND id IN (:ids)`, divisions)
	if err != nil {
		return nil, fmt.Errorf("read divisions: %w", err)
	}
	for _, n := range in {
		if n.DivisionID != nil && (n.ClassID == nil || classOf[*n.DivisionID] != *n.ClassID) {
			return nil, errNoDivision
		}
	}
	return years, nil
}

// ClassYears maps each class to its academic year, or says that there is no such class.
func ClassYears(ctx context.Context, q db.Q, classes []id.ID) (map[id.ID]id.ID, error) {
	years, err := pairs(ctx, q, `SELECT id, academic_year_id AS of FROM classes WHERE school_id = :school AND id IN (:ids)`, classes)
	if err != nil {
		return nil, fmt.Errorf("read classes: %w", err)
	}
	for _, c := range classes {
		if years[c] == "" {
			return nil, errNoClass
		}
	}
	return years, nil
}

// pairs reads what each of the ids is of.
func pairs(ctx context.Context, q db.Q, sql string, ids []id.ID) (map[id.ID]id.ID, error) {
	type pair struct{ ID, Of id.ID }
	of := map[id.ID]id.ID{}
	if len(ids) == 0 {
		return of, nil
	}
	return of, db.Each(ctx, q, sql, db.Args{"ids": ids}, func(p pair) error {
		of[p.ID] = p.Of
		return nil
	})
}

// enrolment is a seat in one academic year, as it is inserted.
type enrolment struct {
	ID, StudentID, AcademicYearID, ClassID id.ID
	DivisionID                             *id.ID
	RollNo                                 *int
	Now                                    time.Time
}

const insertEnrolment = `
	INSERT INTO enrolments (school_id, id, student_id, academic_year_id, class_id, division_id, roll_no, outcome, created_at, updated_at)
	VALUES (:school, :id, :student_id, :academic_year_id, :class_id, :division_id, :roll_no, 'ENROLLED', :now, :now)`

func (s *Service) enrol(ctx context.Context, tx *db.Tx, students []studentRow, years map[id.ID]id.ID) error {
	var rows []enrolment
	for _, st := range students {
		if st.ClassID != nil {
			rows = append(rows, enrolment{ID: s.NewID(), StudentID: st.ID, AcademicYearID: years[*st.ClassID],
				ClassID: *st.ClassID, DivisionID: st.DivisionID, RollNo: st.RollNo, Now: st.Now})
		}
	}
	if _, err := db.Insert(ctx, tx, insertEnrolment, rows); err != nil {
		return fmt.Errorf("enrol students: %w", err)
	}
	return nil
}
