// Package people manages who belongs to a school: students, their guardians and
// the employees.
//
// A student's row has the current class; enrolments keep the class of each academic
// year. There is one guardian per phone, shared between siblings, with a PARENT
// account. An employee has a role and, with a phone or e-mail, an account.
//
// Start at AddStudents and AddEmployees for how people are added, at links.go for
// the check of every parent's request, and at http.go for the routes.
package people

import (
	"context"
	"time"

	"homeroom/internal/feature/file"
	"homeroom/internal/feature/identity"
	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
)

// Faults that other features return too.
var (
	ErrNoStudent = fault.New(fault.NotFound, "STUDENT_NOT_FOUND", "There is no such student in this school.")
	ErrNotLinked = fault.Denied("This student is not one of your children. Ask the school office if it should be.")
)

var (
	errNoClass       = fault.Missing("class")
	errNoDivision    = fault.Missing("division")
	errNoGuardian    = fault.Missing("guardian")
	errNoYear        = school.ErrNoYear
	errAdmissionNo   = fault.Duplicate("Another student has this admission number. Choose another one.")
	errEmployeeCode  = fault.Duplicate("Another employee has this employee code. Choose another one.")
	errEmployeeLogin = fault.Duplicate("Another employee signs in with this phone or e-mail. Use another one.")
	errRollNo        = fault.Duplicate("Another student of this division has this roll number. Choose another one.")
	errFull          = fault.New(fault.Conflict, "", "The division is full.")
	errMove          = fault.New(fault.Conflict, "", "A student who has left must be set to ACTIVE first.")
)

// Service holds the rules about people.
type Service struct {
	DB       *db.DB
	Accounts *identity.Service
	Files    *file.Service
	Now      clock.Now
	NewID    id.Source

	// Hooks of other modules. All may be empty.
	HasHistory  []History
	Sections    []Section // parts of a profile and a data export
	Erasers     []Eraser
	YearRecords []YearRecords
	Electives   Electives // nil: none
	Entered     Entered   // nil: nothing follows
	Mergers     []Merger
	Asked       Asked // nil: nobody is told
	Duties      []Duties
	Holds       []Hold
}

// YearRecords counts another module's records of students in one academic year, such
// as "12 charges". They prevent undoing a promotion.
type YearRecords struct {
	One, Many string
	Count     func(ctx context.Context, q db.Q, y school.Year, students []id.ID) (int, error)
	// Lock keeps others from writing such records until tx ends. It may be nil.
	Lock func(ctx context.Context, tx *db.Tx, y school.Year, students []id.ID) error
	// TakeBack takes back what nobody has recorded, but followed from the enrolment. It may be nil.
	TakeBack func(ctx context.Context, tx *db.Tx, who actor.Actor, y school.Year, students []id.ID) error
}

// Entered is called after students without a class got one in the current year.
type Entered func(ctx context.Context, tx *db.Tx, who actor.Actor, y school.Year, students []id.ID) error

// Electives are the subjects that students have chosen.
type Electives interface {
	// Keep carries the students' choices to another class, where it has them as electives.
	Keep(ctx context.Context, tx *db.Tx, from, to id.ID, students []id.ID) error
	// Follow ends the students' choices in classes that they are no longer enrolled in.
	Follow(ctx context.Context, tx *db.Tx, who actor.Actor, students []id.ID) error
}

// History reports whether another module has data of a student that must be kept.
type History func(ctx context.Context, q db.Q, student id.ID) (bool, error)

// Eraser erases another module's personal data.
type Eraser func(ctx context.Context, tx *db.Tx, e Erased) error

// Section is another module's data of a student; Read may return nil.
type Section struct {
	Name    string
	Module  string // whose permission the caller needs
	Private bool   // shown in a data export only, not in a profile
	Read    func(ctx context.Context, q db.Q, student id.ID) (any, error)
}

func (s *Service) record(ctx context.Context, tx *db.Tx, who actor.Actor, action string, student id.ID, before, after any) error {
	return s.Accounts.Audit.Record(ctx, tx, who, action, "student", student, before, after)
}

// Summary is a student as a list shows it.
type Summary struct {
	ID            id.ID       `json:"id"`
	AdmissionNo   string      `json:"admissionNo" example:"GF-0001"`
	FirstName     string      `json:"firstName"`
	LastName      opt.Text    `json:"lastName"`
	DateOfBirth   *clock.Date `json:"dateOfBirth"`
	Gender        opt.Text    `json:"gender"`
	ClassID       *id.ID      `json:"classId"`
	ClassName     *string     `json:"className"`
	DivisionID    *id.ID      `json:"divisionId"`
	DivisionName  *string     `json:"divisionName"`
	RollNo        *int        `json:"rollNo"`
	AdmissionDate *clock.Date `json:"admissionDate"`
	Phone         opt.Text    `json:"phone"`
	Email         opt.Text    `json:"email"`
	PhotoFileID   *id.ID      `json:"photoFileId"`
	file.Photo
	Status    string    `json:"status" enum:"ACTIVE,TRANSFERRED,GRADUATED,LEFT"`
	Version   int       `json:"version"`
	CreatedAt time.Time `json:"createdAt"`
	UpdatedAt time.Time `json:"updatedAt"`
}

// SummaryColumns are the columns that fill a Summary from students.
const SummaryColumns = `id, admission_no, first_name, last_name, date_of_birth, gender, class_id, division_id, roll_no,
	admission_date, phone, email, photo_file_id, status, version, created_at, updated_at,
	(SELECT c.name FROM classes c WHERE c.school_id = students.school_id AND c.id = students.class_id) AS class_name,
	(SELECT d.name FROM divisions d WHERE d.school_id = students.school_id AND d.id = students.division_id) AS division_name`

// Student is a student's record without guardians.
type Student struct {
	Summary
	BloodGroup        opt.Text                `json:"bloodGroup"`
	Address           opt.Text                `json:"address"`
	MedicalNotes      opt.Text                `json:"medicalNotes" doc:"For the office and the class teacher: null for other teachers."`
	RideNotes         opt.Text                `json:"rideNotes" doc:"What the bus driver has to know."`
	EmergencyContacts db.JSON[[]Contact]      `json:"emergencyContacts"`
	CustomFields      db.JSON[map[string]any] `json:"customFields"`
	LeavingDate       *clock.Date             `json:"leavingDate" doc:"When the student last left; kept if the student comes back."`
	LeavingReason     opt.Text                `json:"leavingReason"`
}

// Contact is an emergency contact.
type Contact struct {
	Name     opt.Text `json:"name"`
	Phone    opt.Text `json:"phone"`
	Relation opt.Text `json:"relation"`
}

// Guardian is a guardian as linked to one student.
type Guardian struct {
	ID          id.ID    `json:"id"`
	Name        string   `json:"name"`
	Relation    string   `json:"relation" enum:"FATHER,MOTHER,GUARDIAN"`
	Phone       opt.Text `json:"phone"`
	Email       opt.Text `json:"email"`
	IsPrimary   bool     `json:"isPrimary"`
	CanViewData bool     `json:"canViewData" doc:"May see the student in the parents app."`
	CanPickUp   bool     `json:"canPickUp"`
}

// Record is a student with its guardians, as the school's staff read it.
type Record struct {
	Student
	Guardians []Guardian `json:"guardians"`
}
