package leave

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"homeroom/internal/feature/file"
	"homeroom/internal/feature/people"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
)

// maxDays is the maximum length of a leave.
const maxDays = 366

// New is an application for leave.
type New struct {
	Type        Type        `json:"type" required:"true" enum:"SICK,CASUAL,EMERGENCY"`
	FromDate    clock.Date  `json:"fromDate" required:"true" doc:"The first day. It may be in the past."`
	ToDate      *clock.Date `json:"toDate" doc:"The last day. Default: fromDate."`
	IsHalfDay   *bool       `json:"isHalfDay" doc:"Half of a single day."`
	Half        *string     `json:"half" enum:"FIRST,SECOND" doc:"Which half. Default: FIRST."`
	Reason      string      `json:"reason" maxLength:"1000" multiline:"true"`
	Attachments []id.ID     `json:"attachments" maxItems:"5" doc:"File ids."`
}

// NewOfStudent is an application for leave of a student.
type NewOfStudent struct {
	StudentID id.ID `json:"studentId" required:"true"`
	New
}

// Check validates the fields together.
func (in *New) Check() error {
	l := in.leave()
	switch {
	case l.ToDate < l.FromDate:
		return fault.OnField("toDate", "must not be before fromDate")
	case l.ToDate > l.FromDate.AddDays(maxDays-1):
		return fault.OnField("toDate", "must be within %d days of fromDate", maxDays)
	case in.Half != nil && in.IsHalfDay != nil && !*in.IsHalfDay:
		return fault.OnField("half", "can't be combined with isHalfDay false")
	case l.Half != nil && l.FromDate != l.ToDate:
		return fault.OnField("isHalfDay", "is only allowed for a single day: toDate must be the same as fromDate")
	}
	return nil
}

func (in New) leave() Leave {
	l := Leave{Type: in.Type, FromDate: in.FromDate, ToDate: in.FromDate, Half: in.Half, Reason: opt.Text(strings.TrimSpace(in.Reason)),
		Attached: file.Attached{Attachments: db.JSON[[]id.ID]{V: append([]id.ID{}, in.Attachments...)}}}
	if in.ToDate != nil {
		l.ToDate = *in.ToDate
	}
	if opt.Value(in.IsHalfDay) && l.Half == nil {
		l.Half = new("FIRST")
	}
	return l
}

// ApplyFor applies for leave of the caller's child and notifies the class teacher.
func (s *Service) ApplyFor(ctx context.Context, who actor.Actor, in NewOfStudent) (after Leave, err error) {
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		if err := lock(ctx, tx, in.StudentID); err != nil {
			return err
		}
		if err := people.MustBeLinked(ctx, tx, who.User, in.StudentID); err != nil {
			return err
		}
		if err := mustAttend(ctx, tx, in.StudentID); err != nil {
			return err
		}
		l := in.leave()
		l.StudentID = &in.StudentID
		if after, err = s.add(ctx, tx, who, l); err != nil {
			return err
		}
		if err := s.tellDrivers(ctx, tx, who, after, false); err != nil {
			return err
		}
		return s.notifyDecider(ctx, tx, who, after)
	})
	return after, err
}

// Apply applies for the caller's own leave.
func (s *Service) Apply(ctx context.Context, who actor.Actor, in New) (after Leave, err error) {
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		employee, err := employeeOf(ctx, tx, who.User)
		if err != nil {
			return err
		}
		if err := lock(ctx, tx, employee); err != nil {
			return err
		}
		l := in.leave()
		l.EmployeeID = &employee
		if after, err = s.add(ctx, tx, who, l); err != nil {
			return err
		}
		return s.notifyDecider(ctx, tx, who, after)
	})
	return after, err
}

// add writes a new leave. It refuses overlapping leave, and more days than the balance of an
// employee. Pending leave counts as taken. The caller holds the person's lock.
func (s *Service) add(ctx context.Context, tx *db.Tx, who actor.Actor, l Leave) (Leave, error) {
	if err := fits(ctx, tx, l); err != nil {
		return l, err
	}
	l.ID, l.Status, l.AppliedBy, l.CreatedAt = s.NewID(), Pending, who.User, s.Now()
	if err := putLeave(ctx, tx, l); err != nil {
		return l, err
	}
	if len(l.Attachments.V) > 0 {
		if err := s.Files.Attach(ctx, tx, who, file.Leave, l.ID, l.Attachments.V); err != nil {
			return l, err
		}
	}
	if err := s.Audit.Record(ctx, tx, who, "leave.apply", "leave", l.ID, nil, l.trace()); err != nil {
		return l, err
	}
	return getLeave(ctx, tx, l.ID)
}

// fits refuses leave that overlaps other leave, and more days than the balance of an
// employee.
func fits(ctx context.Context, q db.Q, l Leave) error {
	other, err := overlapping(ctx, q, l)
	switch {
	case err == nil:
		return errOverlap.Saying("There is already leave %s, which is %s. Cancel it first, or choose other days.", other.span(), other.Status)
	case !errors.Is(err, db.ErrNotFound):
		return fmt.Errorf("read overlapping leave: %w", err)
	case l.EmployeeID != nil:
		return checkBalance(ctx, q, l, Pending, Approved)
	}
	return nil
}

// String is the date range for error messages.
func (s span) String() string {
	switch {
	case s.Half != nil && *s.Half == "FIRST":
		return fmt.Sprintf("on %s (first half)", s.From)
	case s.Half != nil:
		return fmt.Sprintf("on %s (second half)", s.From)
	case s.From == s.To:
		return "on " + string(s.From)
	}
	return fmt.Sprintf("from %s to %s", s.From, s.To)
}

// mustAttend refuses a student who has left the school.
func mustAttend(ctx context.Context, q db.Q, student id.ID) error {
	status, err := db.One[string](ctx, q, `SELECT status FROM students WHERE school_id = :school AND id = :id`, db.Args{"id": student})
	switch {
	case err != nil:
		return fmt.Errorf("read student: %w", err)
	case status != "ACTIVE":
		return errLeft
	}
	return nil
}

// employeeOf returns the employee of a user.
func employeeOf(ctx context.Context, q db.Q, user id.ID) (id.ID, error) {
	e, err := db.One[id.ID](ctx, q, `SELECT id FROM employees
		WHERE school_id = :school AND user_id = :user AND archived_at IS NULL AND status <> 'RESIGNED'`, db.Args{"user": user})
	if err != nil {
		return "", db.Found("read employee", err, errNoStaff)
	}
	return e, nil
}
