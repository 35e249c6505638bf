package people

import (
	"context"
	"fmt"
	"time"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
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
	RideNotes         string
	EmergencyContacts db.JSON[[]Contact]
	CustomFields      db.JSON[map[string]any]
	Guardians         []NewGuardian `db:"-"`
}

// AddStudents enrols students, each in the academic year of its class, links their
// guardians and returns the new ids in order. It inserts in batches; only guardians'
// accounts are created one by one.
func (s *Service) AddStudents(ctx context.Context, tx *db.Tx, who actor.Actor, in []NewStudent) ([]id.ID, error) {
	added, err := s.addStudents(ctx, tx, who, in)
	ids := make([]id.ID, len(added))
	for i := range ids {
		ids[i] = added[i].ID
	}
	return ids, err
}

func (s *Service) addStudents(ctx context.Context, tx *db.Tx, who actor.Actor, in []NewStudent) ([]Student, error) {
	if err := lockStudents(ctx, tx); err != nil {
		return nil, err
	}
	var saved []savedNumbering
	at, err := readSeats(ctx, tx, in, askNumbering(&saved))
	if err != nil {
		return nil, err
	}
	if err := at.mustFit(enteringBy(in)); err != nil {
		return nil, err
	}
	if in, err = withNumbers(ctx, tx, saved, in); err != nil {
		return nil, err
	}
	now := s.Now()
	today := clock.DateIn(now, who.Zone)
	rows, families, out := make([]studentRow, len(in)), make([]family, len(in)), make([]Student, len(in))
	for i, n := range in {
		if err := checkBirth(n.DateOfBirth, today); err != nil {
			return nil, err
		}
		rows[i] = newRow(n, s.NewID(), now)
		families[i] = family{student: rows[i].ID, guardians: n.Guardians}
	}
	if err := enrol(ctx, tx, rows, at.classes); err != nil {
		return nil, err
	}
	for i, r := range rows {
		out[i] = r.student(at)
	}
	return out, s.addGuardians(ctx, tx, who, families)
}

func newRow(n NewStudent, at id.ID, now time.Time) studentRow {
	n.EmergencyContacts.V = append([]Contact{}, n.EmergencyContacts.V...) // [] rather than null
	if n.CustomFields.V == nil {
		n.CustomFields.V = map[string]any{}
	}
	return studentRow{NewStudent: n, ID: at, Now: now, Search: searchText(n.FirstName, n.LastName, n.AdmissionNo, n.Phone)}
}

// student is the row as getStudent reads it, but for numbers in custom fields.
func (r studentRow) student(at seats) Student {
	st := Student{BloodGroup: opt.Text(r.BloodGroup), Address: opt.Text(r.Address), MedicalNotes: opt.Text(r.MedicalNotes),
		RideNotes:         opt.Text(r.RideNotes),
		EmergencyContacts: r.EmergencyContacts, CustomFields: r.CustomFields}
	st.Summary = Summary{ID: r.ID, AdmissionNo: r.AdmissionNo, FirstName: r.FirstName, LastName: opt.Text(r.LastName),
		DateOfBirth: r.DateOfBirth, Gender: opt.Text(r.Gender), ClassID: r.ClassID, DivisionID: r.DivisionID, RollNo: r.RollNo,
		AdmissionDate: r.AdmissionDate, Phone: opt.Text(r.Phone), Email: opt.Text(r.Email), PhotoFileID: r.PhotoFileID,
		Status: active, Version: 1, CreatedAt: r.Now, UpdatedAt: r.Now}
	if r.ClassID != nil {
		st.ClassName = new(at.classes[*r.ClassID].ClassName)
	}
	if r.DivisionID != nil {
		st.DivisionName = new(at.division(*r.DivisionID).Name)
	}
	return st
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
		class_id, division_id, roll_no, admission_date, address, phone, email, photo_file_id, medical_notes, ride_notes,
		emergency_contacts, custom_fields, status, search, created_at, updated_at)
	VALUES (:school, :id, :admission_no, :first_name, :last_name, :date_of_birth, :gender, :blood_group,
		:class_id, :division_id, :roll_no, :admission_date, :address, :phone, :email, :photo_file_id, :medical_notes, :ride_notes,
		:emergency_contacts, :custom_fields, 'ACTIVE', :search, :now, :now)`
