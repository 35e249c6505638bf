// Package leave is about days off, of students and of employees.
//
// A parent applies for a child, and the class teacher or an administrator
// decides; a teacher applies for the own days off, and administrators decide. Two
// leaves of one person never overlap. Approving a student's leave marks its school
// days in attendance, through Marks, and cancelling it takes those marks back.
// Employees have so many days of each type in an academic year.
//
// Start at state.go for what may become of a leave and who decides, at apply.go
// for how one comes to be, and at balance.go for what an employee has left.
package leave

import (
	"context"
	"time"

	"homeroom/internal/feature/audit"
	"homeroom/internal/feature/file"
	"homeroom/internal/feature/notification"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
)

var (
	errNoLeave      = fault.Missing("leave")
	errNoStaff      = fault.Denied("Your account has no employee record. Ask your school's administrator to make one.")
	errNotDecider   = fault.Denied("Only the class teacher of this student or an administrator decides on this leave.")
	errAdminDecides = fault.Denied("Only an administrator decides on the leave of an employee.")
	errOwnLeave     = fault.Denied("Nobody decides on the own leave. Ask another administrator.")
	errNotApplicant = fault.Denied("Only who applied for this leave can cancel it.")
	errLocked       = fault.Denied("These days are closed to teachers.")
	errLeft         = fault.New(fault.Conflict, "", "This student is no longer at the school.")
	errOverlap      = fault.New(fault.Conflict, "", "There is other leave on these days.")
	errState        = fault.New(fault.Conflict, "", "This can't be done with the leave any more.")
	errBegun        = fault.New(fault.Conflict, "", "This leave has begun. It can be cancelled only before its first day.")
	errBalance      = fault.New(fault.Conflict, "", "There are not so many days left.")
)

// Service holds the rules.
type Service struct {
	DB     *db.DB
	Audit  *audit.Service
	Notify *notification.Service
	Files  *file.Service
	Now    clock.Now
	NewID  id.Source

	Marks Marks // nil: leave leaves attendance alone
}

// Marks is what leave does to attendance.
type Marks interface {
	// MarkLeave marks LEAVE on the school days of an approved leave, and remembers
	// what it changed.
	MarkLeave(ctx context.Context, tx *db.Tx, who actor.Actor, a Absence) error
	// TakeBack undoes those of the leave's marks that are still as it made them.
	TakeBack(ctx context.Context, tx *db.Tx, who actor.Actor, leave id.ID) error
}

// Absence is an approved leave of a student.
type Absence struct {
	Leave, Student id.ID
	From, To       clock.Date
	Half           string // FIRST or SECOND; empty for whole days
}

// Type is what the leave is for.
type Type string

// Types lists them all.
var Types = []Type{"SICK", "CASUAL", "EMERGENCY"}

// Status is where a leave stands.
type Status string

// The statuses.
const (
	Pending   Status = "PENDING"
	Approved  Status = "APPROVED"
	Rejected  Status = "REJECTED"
	Cancelled Status = "CANCELLED"
)

// Leave is one application for days off, and what became of it.
type Leave struct {
	ID            id.ID      `json:"id"`
	ApplicantType string     `json:"applicantType" enum:"STUDENT,EMPLOYEE"`
	StudentID     *id.ID     `json:"studentId"`
	EmployeeID    *id.ID     `json:"employeeId"`
	Name          string     `json:"name" doc:"Of the student or the employee."`
	ClassName     string     `json:"className" doc:"Where a student sits now."`
	DivisionName  string     `json:"divisionName"`
	Type          Type       `json:"type" enum:"SICK,CASUAL,EMERGENCY"`
	FromDate      clock.Date `json:"fromDate" doc:"The first day."`
	ToDate        clock.Date `json:"toDate" doc:"The last day."`
	IsHalfDay     bool       `json:"isHalfDay"`
	Half          *string    `json:"half" enum:"FIRST,SECOND" doc:"Which half of the day; null for whole days."`
	Days          float64    `json:"days" db:"-" doc:"The school days among them; half a day is 0.5."`
	Reason        string     `json:"reason"`
	file.Attached
	Status        Status     `json:"status" enum:"PENDING,APPROVED,REJECTED,CANCELLED"`
	AppliedBy     id.ID      `json:"appliedBy" doc:"The account of who applied."`
	DecidedBy     *id.ID     `json:"decidedBy" doc:"The account of who approved or rejected it."`
	DecidedByName string     `json:"decidedByName"`
	DecidedAt     *time.Time `json:"decidedAt"`
	DecisionNote  string     `json:"decisionNote"`
	CancelledAt   *time.Time `json:"cancelledAt"`
	CreatedAt     time.Time  `json:"createdAt"`
	UpdatedAt     time.Time  `json:"updatedAt"`

	UserID     id.ID  `json:"-"` // the account of the employee
	ClassID    *id.ID `json:"-"` // where the student sits
	DivisionID *id.ID `json:"-"`
}

// span is the time that a leave takes.
func (l Leave) span() span { return span{l.FromDate, l.ToDate, l.Half} }

// person is whose leave it is: one of the two.
func (l Leave) person() id.ID {
	if l.StudentID != nil {
		return *l.StudentID
	}
	return opt.Value(l.EmployeeID)
}

// absence is a student's leave as attendance knows it.
func (l Leave) absence() Absence {
	return Absence{Leave: l.ID, Student: opt.Value(l.StudentID), From: l.FromDate, To: l.ToDate, Half: opt.Value(l.Half)}
}

// trace is what the log keeps of a leave: no names and no reasons, which it could
// not forget when the person is to be forgotten.
type trace struct {
	StudentID  *id.ID     `json:"studentId"`
	EmployeeID *id.ID     `json:"employeeId"`
	Type       Type       `json:"type"`
	FromDate   clock.Date `json:"fromDate"`
	ToDate     clock.Date `json:"toDate"`
	Half       *string    `json:"half"`
	Status     Status     `json:"status"`
}

func (l Leave) trace() trace {
	return trace{l.StudentID, l.EmployeeID, l.Type, l.FromDate, l.ToDate, l.Half, l.Status}
}
