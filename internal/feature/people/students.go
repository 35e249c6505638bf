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
	AdmissionNo       string // "": the school's next number
	FirstName         string
	LastName          string
	DateOfBirth       *clock.Date
	Gender            string
	BloodGroup        string
	ClassID           *id.ID // nil: no enrolment
	DivisionID        *id.ID // of that class
	RollNo            *int
	AdmissionDate     *clock.Date
	Address           string
	Phone             string
	Email             string
	PhotoFileID       *id.ID
	MedicalNotes      string
	EmergencyContacts db.JSON[[]Contact]
	CustomFields      db.JSON[map[string]any]
	Guardians         []NewGuardian `db:"-"`
}

// AddStudents enrols students, each in the academic year of its class, links their
// guardians and returns the new ids in order. It inserts in batches; only guardians'
// accounts are created one by one.
func (s *Service) AddStudents(ctx context.Context, tx *db.Tx, who actor.Actor, in []NewStudent) ([]id.ID, error) {
	if err := lockStudents(ctx, tx); err != nil {
		return nil, err
	}
	years, err := seatYears(ctx, tx, in)
	if err != nil {
		return nil, err
	}
	if in, err = s.withNumbers(ctx, tx, in); err != nil {
		return nil, err
	}
	now := s.Now()
	today := clock.DateIn(now, who.Zone)
	ids := make([]id.ID, len(in))
	rows := make([]studentRow, len(in))
	families := make([]family, len(in))
	for i, n := range in {
		if err := checkBirth(n.DateOfBirth, today); err != nil {
			return nil, err
		}
		ids[i] = s.NewID()
		rows[i] = newRow(n, ids[i], now)
		families[i] = family{student: ids[i], guardians: n.Guardians}
	}
	if err := enrol(ctx, tx, rows, years); err != nil {
		return nil, err
	}
	if err := mustFit(ctx, tx, divisionsOf(in), nil); err != nil {
		return nil, err
	}
	return ids, s.addGuardians(ctx, tx, who, families)
}

func newRow(n NewStudent, at id.ID, now time.Time) studentRow {
	n.EmergencyContacts.V = append([]Contact{}, n.EmergencyContacts.V...) // [] rather than null
	if n.CustomFields.V == nil {
		n.CustomFields.V = map[string]any{}
	}
	return studentRow{NewStudent: n, ID: at, Now: now, Search: searchText(n.FirstName, n.LastName, n.AdmissionNo, n.Phone)}
}

// searchText is the content of the search column.
func searchText(first, last, number, phone string) string {
	return SearchText(first+" "+last, number, phone)
}

// lockStudents blocks other transactions that add or move the school's students, so
// that numbers stay unique and divisions within their capacity.
func lockStudents(ctx context.Context, tx *db.Tx) error {
	if err := tx.Lock(ctx, "students"); err != nil {
		return fmt.Errorf("lock students: %w", err)
	}
	return nil
}

// studentRow is a row to insert.
type studentRow struct {
	NewStudent
	ID     id.ID
	Search string
	Now    time.Time
}

const insertStudent = `
	INSERT INTO students (school_id, id, admission_no, first_name, last_name, date_of_birth, gender, blood_group,
		class_id, division_id, roll_no, admission_date, address, phone, email, photo_file_id, medical_notes, emergency_contacts,
		custom_fields, status, search, created_at, updated_at)
	VALUES (:school, :id, :admission_no, :first_name, :last_name, :date_of_birth, :gender, :blood_group,
		:class_id, :division_id, :roll_no, :admission_date, :address, :phone, :email, :photo_file_id, :medical_notes, :emergency_contacts,
		:custom_fields, 'ACTIVE', :search, :now, :now)`
