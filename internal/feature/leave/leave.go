// Package leave manages leave of students and employees.
//
// A parent applies for a child, and the class teacher or an administrator decides. A
// teacher applies for own leave, and an administrator decides. The office can enter,
// shorten and cancel leave of anyone else (office.go). Leaves of one person
// never overlap. Approving a student's leave marks attendance through Marks, and
// cancelling removes these marks. Employees have a yearly entitlement per type.
//
// Start at state.go for the statuses and who decides, at apply.go for applications,
// and at balance.go for leave balances.
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
	errNoStaff      = fault.Denied("Your account has no employee record. Ask your school's administrator to create one.")
	errNotDecider   = fault.Denied("Only the student's class teacher or an administrator can decide on this leave.")
	errAdminDecides = fault.Denied("Only an administrator can decide on the leave of an employee.")
	errOwnLeave     = fault.Denied("You can't decide on your own leave. Ask another administrator.")
	errNotApplicant = fault.Denied("Only the person who applied for this leave can cancel it.")
	errLocked       = fault.Denied("Teachers can't change the attendance of these days any more.")
	errLeft         = fault.New(fault.Conflict, "", "This student is no longer at the school.")
	errOverlap      = fault.New(fault.Conflict, "", "There is other leave on these days.")
	errState        = fault.New(fault.Conflict, "", "The status of this leave does not allow this.")
	errBegun        = fault.New(fault.Conflict, "", "This leave has begun. It can be cancelled only before its first day.")
	errEntered      = fault.New(fault.Conflict, "", "The office entered this leave, so nobody has to decide on it again. Cancel it instead.")
	errOthers       = fault.Denied("Somebody else decided on this leave. Ask them, or an administrator, to take the decision back.")
	errBalance      = fault.New(fault.Conflict, "", "There are not enough days left.")
)

// Service holds the rules.
type Service struct {
	DB     *db.DB
	Audit  *audit.Service
	Notify *notification.Service
	Files  *file.Service
	Now    clock.Now
	NewID  id.Source

	Marks Marks // nil: attendance is not marked
	Cover Cover // nil: substitutions stay
	// TellRides tells the drivers of today's trips that a student does not ride today, or
	// rides after all. nil: they are not told.
	TellRides func(ctx context.Context, tx *db.Tx, who actor.Actor, student id.ID, rides bool) error
}

// Marks marks leave in attendance.
type Marks interface {
	// MarkLeave marks LEAVE on the school days of an approved leave.
	MarkLeave(ctx context.Context, tx *db.Tx, who actor.Actor, a Absence) error
	// FillLeave is MarkLeave for the days on which nobody has marked the student.
	FillLeave(ctx context.Context, tx *db.Tx, who actor.Actor, a Absence) error
	// TakeBack undoes the leave's marks after a day ("": all) that nobody has changed since.
	TakeBack(ctx context.Context, tx *db.Tx, who actor.Actor, leave id.ID, after clock.Date) error
}

// Cover ends what was arranged for an absent teacher.
type Cover interface {
	// Release ends the substitutions of a teacher's lessons between two days, from today
	// on, that were arranged after a time.
	Release(ctx context.Context, tx *db.Tx, who actor.Actor, teacher id.ID, from, to clock.Date, since time.Time) error
}

// Absence is an approved leave of a student.
type Absence struct {
	Leave, Student id.ID
	From, To       clock.Date
	Half           string // FIRST or SECOND; empty for whole days
}

// Type is the type of leave.
type Type string

// Types lists them all.
var Types = []Type{"SICK", "CASUAL", "EMERGENCY"}

// Status is the status of a leave.
type Status string

// The statuses.
const (
	Pending   Status = "PENDING"
	Approved  Status = "APPROVED"
	Rejected  Status = "REJECTED"
	Cancelled Status = "CANCELLED"
)

// Leave is an application for leave with its decision.
type Leave struct {
	ID            id.ID      `json:"id"`
	ApplicantType string     `json:"applicantType" enum:"STUDENT,EMPLOYEE"`
	StudentID     *id.ID     `json:"studentId"`
	EmployeeID    *id.ID     `json:"employeeId"`
	Name          opt.Text   `json:"name" doc:"Name of the student or employee."`
	ClassName     opt.Text   `json:"className" doc:"The student's current class."`
	DivisionName  opt.Text   `json:"divisionName"`
	Type          Type       `json:"type" enum:"SICK,CASUAL,EMERGENCY"`
	FromDate      clock.Date `json:"fromDate" doc:"The first day."`
	ToDate        clock.Date `json:"toDate" doc:"The last day."`
	IsHalfDay     bool       `json:"isHalfDay"`
	Half          *string    `json:"half" enum:"FIRST,SECOND" doc:"Which half of the day; null for whole days."`
	Days          float64    `json:"days" db:"-" doc:"Number of school days; half a day is 0.5."`
	Reason        opt.Text   `json:"reason"`
	file.Attached
	Status        Status     `json:"status" enum:"PENDING,APPROVED,REJECTED,CANCELLED"`
	AppliedBy     id.ID      `json:"appliedBy" doc:"The user who applied."`
	IsEntered     bool       `json:"isEntered" db:"-" doc:"The office entered it; nobody applied. Its approval can't be taken back: cancel it."`
	DecidedBy     *id.ID     `json:"decidedBy" doc:"The user who approved or rejected it."`
	DecidedByName opt.Text   `json:"decidedByName"`
	DecidedAt     *time.Time `json:"decidedAt"`
	DecisionNote  opt.Text   `json:"decisionNote"`
	CancelledAt   *time.Time `json:"cancelledAt"`
	CreatedAt     time.Time  `json:"createdAt"`
	UpdatedAt     time.Time  `json:"updatedAt"`

	UserID     id.ID  `json:"-"` // of the employee
	ClassID    *id.ID `json:"-"` // of the student
	DivisionID *id.ID `json:"-"`
}

// span is the date range of a leave.
func (l Leave) span() span { return span{l.FromDate, l.ToDate, l.Half} }

// person is the id of the student or employee.
func (l Leave) person() id.ID {
	if l.StudentID != nil {
		return *l.StudentID
	}
	return opt.Value(l.EmployeeID)
}

// absence is a student's leave for attendance.
func (l Leave) absence() Absence {
	return Absence{Leave: l.ID, Student: opt.Value(l.StudentID), From: l.FromDate, To: l.ToDate, Half: opt.Value(l.Half)}
}

// trace is a leave for the audit log, without names and reasons, which erasure can't
// remove from it.
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
