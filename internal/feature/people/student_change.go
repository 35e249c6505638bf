package people

import (
	"context"
	"fmt"
	"reflect"
	"strings"

	"homeroom/internal/feature/file"
	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
	"homeroom/internal/platform/web"
)

// Statuses of a student and outcomes of an enrolment; LEFT is both.
const (
	active    = "ACTIVE"
	graduated = "GRADUATED"

	enrolled = "ENROLLED"
	promoted = "PROMOTED"
	detained = "DETAINED"
	left     = "LEFT"
)

// StudentChange is a partial update: unset fields stay, null clears optional ones.
type StudentChange struct {
	AdmissionNo       *string                 `json:"admissionNo" maxLength:"50" pattern:"\\S" patternHint:"must not be blank"`
	FirstName         *string                 `json:"firstName" maxLength:"100" pattern:"\\S" patternHint:"must not be blank"`
	LastName          web.Opt[string]         `json:"lastName" maxLength:"100"`
	DateOfBirth       web.Opt[clock.Date]     `json:"dateOfBirth"`
	Gender            web.Opt[string]         `json:"gender" enum:"MALE,FEMALE,OTHER" alias:"m=MALE,boy=MALE,f=FEMALE,girl=FEMALE" doc:"Read in any case, and as m, f, boy or girl."`
	BloodGroup        web.Opt[string]         `json:"bloodGroup" enum:"A+,A-,B+,B-,AB+,AB-,O+,O-" alias:"" doc:"Read in any case."`
	ClassID           web.Opt[id.ID]          `json:"classId" doc:"A new class changes the enrolment of its academic year, and clears the division unless one is sent. A class of another year than the current one changes that year only."`
	DivisionID        web.Opt[id.ID]          `json:"divisionId" doc:"A division of the class."`
	RollNo            web.Opt[int]            `json:"rollNo" minimum:"0" maximum:"2147483646"`
	AdmissionDate     web.Opt[clock.Date]     `json:"admissionDate"`
	Address           web.Opt[string]         `json:"address" maxLength:"500" multiline:"true"`
	Phone             web.Opt[string]         `json:"phone" format:"phone"`
	Email             web.Opt[string]         `json:"email" format:"email"`
	PhotoFileID       web.Opt[id.ID]          `json:"photoFileId"`
	MedicalNotes      web.Opt[string]         `json:"medicalNotes" maxLength:"5000" multiline:"true"`
	RideNotes         web.Opt[string]         `json:"rideNotes" maxLength:"1000" multiline:"true"`
	EmergencyContacts web.Opt[[]Contact]      `json:"emergencyContacts" maxItems:"20"`
	CustomFields      web.Opt[map[string]any] `json:"customFields" doc:"Any other fields the school needs; replaced as a whole."`
	Status            *string                 `json:"status" enum:"ACTIVE,TRANSFERRED,GRADUATED,LEFT" doc:"Leaving sets leavingDate, by default today. A student who has left can only come back as ACTIVE."`
	LeavingDate       web.Opt[clock.Date]     `json:"leavingDate"`
	LeavingReason     web.Opt[string]         `json:"leavingReason" maxLength:"500" multiline:"true"`
	Version           *int                    `json:"version" doc:"The version you read. 409 if the record has changed since."`
}

// ChangeStudent updates a student and, if class or status change, the enrolment.
func (s *Service) ChangeStudent(ctx context.Context, tx *db.Tx, who actor.Actor, student id.ID, c StudentChange) (Record, error) {
	if err := lockStudents(ctx, tx); err != nil {
		return Record{}, err
	}
	before, err := getStudent(ctx, tx, student)
	if err != nil {
		return Record{}, err
	}
	if err := fault.SameVersion(c.Version, before.Version); err != nil {
		return Record{}, err
	}
	if c, err = s.changeOtherYear(ctx, tx, who, student, c); err != nil {
		return Record{}, err
	}
	today := clock.DateIn(s.Now(), who.Zone)
	if err := checkBirth(c.DateOfBirth.Or(nil), today); err != nil {
		return Record{}, err
	}
	after := c.apply(before, today)
	if before.Status != after.Status && before.Status != active && after.Status != active {
		return Record{}, errMove
	}
	if reflect.DeepEqual(before, after) {
		return GetRecord(ctx, tx, student)
	}
	after.Version, after.UpdatedAt = before.Version+1, s.Now()
	if err := s.reseat(ctx, tx, before, after); err != nil {
		return Record{}, err
	}
	if err := putStudent(ctx, tx, after); err != nil {
		return Record{}, err
	}
	if !same(before.PhotoFileID, after.PhotoFileID) {
		if err := s.Files.AttachOne(ctx, tx, who, file.StudentPhoto, student, after.PhotoFileID); err != nil {
			return Record{}, err
		}
	}
	if err := changeLaterYears(ctx, tx, before, after); err != nil {
		return Record{}, err
	}
	if before.Status != after.Status || !same(before.ClassID, after.ClassID) {
		if err := s.followElectives(ctx, tx, who, []id.ID{student}); err != nil {
			return Record{}, err
		}
	}
	if before.Status != after.Status {
		if err := ReachChanged(ctx, tx, who.School); err != nil {
			return Record{}, err
		}
	}
	if entered := enters(before, after); entered != nil {
		if err := mustFit(ctx, tx, []id.ID{*entered}, nil); err != nil {
			return Record{}, err
		}
	}
	if err := s.record(ctx, tx, who, "student.update", student, before, after); err != nil {
		return Record{}, err
	}
	if err := s.enter(ctx, tx, who, before, after); err != nil {
		return Record{}, err
	}
	return GetRecord(ctx, tx, student)
}

// apply returns the student with the change applied.
func (c StudentChange) apply(st Student, today clock.Date) Student {
	if c.AdmissionNo != nil {
		st.AdmissionNo = strings.TrimSpace(*c.AdmissionNo)
	}
	if c.FirstName != nil {
		st.FirstName = strings.TrimSpace(*c.FirstName)
	}
	if c.ClassID.Set && !c.DivisionID.Set && !same(st.ClassID, c.ClassID.Or(st.ClassID)) {
		st.DivisionID = nil
	}
	st.LastName = opt.Text(strings.TrimSpace(string(textOr(st.LastName, c.LastName))))
	st.DateOfBirth = c.DateOfBirth.Or(st.DateOfBirth)
	st.Gender = textOr(st.Gender, c.Gender)
	st.BloodGroup = textOr(st.BloodGroup, c.BloodGroup)
	st.ClassID = c.ClassID.Or(st.ClassID)
	st.DivisionID = c.DivisionID.Or(st.DivisionID)
	st.RollNo = c.RollNo.Or(st.RollNo)
	st.AdmissionDate = c.AdmissionDate.Or(st.AdmissionDate)
	st.Address = textOr(st.Address, c.Address)
	st.Phone = textOr(st.Phone, c.Phone)
	st.Email = textOr(st.Email, c.Email)
	st.PhotoFileID = c.PhotoFileID.Or(st.PhotoFileID)
	st.MedicalNotes = textOr(st.MedicalNotes, c.MedicalNotes)
	st.RideNotes = textOr(st.RideNotes, c.RideNotes)
	st.EmergencyContacts.V = append([]Contact{}, value(st.EmergencyContacts.V, c.EmergencyContacts)...)
	if st.CustomFields.V = value(st.CustomFields.V, c.CustomFields); st.CustomFields.V == nil {
		st.CustomFields.V = map[string]any{}
	}
	if c.Status != nil && *c.Status != st.Status {
		if st.Status = *c.Status; st.Status != active {
			st.LeavingDate, st.LeavingReason = &today, ""
		}
	}
	st.LeavingDate = c.LeavingDate.Or(st.LeavingDate)
	st.LeavingReason = textOr(st.LeavingReason, c.LeavingReason)
	return st
}

// value returns the value sent, the zero value for null, else the old value.
func value[T any](was T, sent web.Opt[T]) T {
	switch {
	case sent.Null:
		var zero T
		return zero
	case sent.Set:
		return sent.V
	}
	return was
}

// textOr is value for an optional text.
func textOr(was opt.Text, sent web.Opt[string]) opt.Text { return opt.Text(value(string(was), sent)) }

func same[T comparable](a, b *T) bool {
	return a == b || a != nil && b != nil && *a == *b
}

// enters returns the division that an active student is moved into, if any.
func enters(before, after Student) *id.ID {
	if after.Status == active && (before.Status != active || !same(before.DivisionID, after.DivisionID)) {
		return after.DivisionID
	}
	return nil
}

// enter calls Entered for a student who had no class and now has one.
func (s *Service) enter(ctx context.Context, tx *db.Tx, who actor.Actor, before, after Student) error {
	had := before.Status == active && before.ClassID != nil
	if s.Entered == nil || had || after.Status != active || after.ClassID == nil {
		return nil
	}
	year, err := school.CurrentYear(ctx, tx)
	if err != nil {
		return err
	}
	return s.Entered(ctx, tx, who, year, []id.ID{after.ID})
}

// reseat updates the enrolment to the student's class, roll number and status.
func (s *Service) reseat(ctx context.Context, tx *db.Tx, before, after Student) error {
	moved := !same(before.ClassID, after.ClassID) || !same(before.DivisionID, after.DivisionID)
	if !moved && before.Status == after.Status && same(before.RollNo, after.RollNo) {
		return nil
	}
	years, err := seatYears(ctx, tx, []NewStudent{{ClassID: before.ClassID}, {ClassID: after.ClassID, DivisionID: after.DivisionID}})
	switch {
	case err != nil:
		return err
	case after.ClassID == nil && before.ClassID == nil:
		return nil
	case after.ClassID == nil:
		return closeEnrolments(ctx, tx, after, years[*before.ClassID].ID)
	}
	row := enrolment{StudentID: after.ID, AcademicYearID: years[*after.ClassID].ID, ClassID: *after.ClassID,
		DivisionID: after.DivisionID, RollNo: after.RollNo, Outcome: outcomeOf(after.Status), Now: after.UpdatedAt}
	outcome := db.When(moved || before.Status != after.Status, `, outcome = excluded.outcome`)
	_, err = db.Insert(ctx, tx, insertEnrolment+moveEnrolment+outcome, []enrolment{row})
	return enrolFault("move enrolment", err)
}

// outcomeOf maps a student's status to the outcome of the enrolment.
func outcomeOf(status string) string {
	switch status {
	case active:
		return enrolled
	case graduated:
		return graduated
	}
	return left
}

// closeEnrolments closes a student's open enrolments of one year, or of all with "".
func closeEnrolments(ctx context.Context, tx *db.Tx, st Student, year id.ID) error {
	_, err := db.Exec(ctx, tx, `
		UPDATE enrolments SET outcome = 'LEFT', updated_at = :now
		WHERE school_id = :school AND student_id = :student AND outcome = 'ENROLLED'`+db.When(year != "", ` AND academic_year_id = :year`),
		db.Args{"student": st.ID, "year": year, "now": st.UpdatedAt})
	if err != nil {
		return fmt.Errorf("close enrolment: %w", err)
	}
	return nil
}

// putStudent writes the next version of a student.
func putStudent(ctx context.Context, tx *db.Tx, st Student) error {
	err := db.Update(ctx, tx, `
		UPDATE students SET admission_no = :number, first_name = :first, last_name = :last, date_of_birth = :born, gender = :gender,
			blood_group = :blood, class_id = :class, division_id = :division, roll_no = :roll, admission_date = :admitted,
			address = :address, phone = :phone, email = :email, photo_file_id = :photo, medical_notes = :notes, ride_notes = :ride,
			emergency_contacts = :contacts, custom_fields = :custom, leaving_date = :leaving, leaving_reason = :reason,
			status = :status, search = :search, version = :version, updated_at = :now
		WHERE school_id = :school AND id = :id AND version = :version - 1 AND archived_at IS NULL`,
		db.Args{"id": st.ID, "number": st.AdmissionNo, "first": st.FirstName, "last": st.LastName, "born": st.DateOfBirth,
			"gender": st.Gender, "blood": st.BloodGroup, "class": st.ClassID, "division": st.DivisionID, "roll": st.RollNo,
			"admitted": st.AdmissionDate, "address": st.Address, "phone": st.Phone, "email": st.Email, "photo": st.PhotoFileID,
			"notes": st.MedicalNotes, "ride": st.RideNotes, "contacts": st.EmergencyContacts, "custom": st.CustomFields, "leaving": st.LeavingDate,
			"reason": st.LeavingReason, "status": st.Status, "version": st.Version, "now": st.UpdatedAt,
			"search": searchText(st.FirstName, string(st.LastName), st.AdmissionNo, string(st.Phone))})
	if db.IsDuplicate(err, "students_admission_no") {
		return errAdmissionNo.Because(err)
	}
	return fault.Wrap("update student", err)
}
