package leave

import (
	"context"
	"fmt"

	"homeroom/internal/feature/people"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
)

// NewOfOffice is leave that the office enters.
type NewOfOffice struct {
	StudentID  *id.ID `json:"studentId" example:"0199f3a2-7c4e-7b11-9d52-3f6a0c8e1b47" doc:"Either a student or an employee."`
	EmployeeID *id.ID `json:"employeeId"`
	New
}

// Check validates the fields together.
func (in *NewOfOffice) Check() error {
	if (in.StudentID == nil) == (in.EmployeeID == nil) {
		return fault.OnField("studentId", "is required without employeeId, and can't be combined with it")
	}
	return in.New.Check()
}

// Enter adds leave of a student or employee for the office, approved at once.
func (s *Service) Enter(ctx context.Context, who actor.Actor, in NewOfOffice) (after Leave, err error) {
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		l := in.leave()
		l.StudentID, l.EmployeeID = in.StudentID, in.EmployeeID
		if err := lock(ctx, tx, l.person()); err != nil {
			return err
		}
		if err := mayEnter(ctx, tx, who, l); err != nil {
			return err
		}
		before, err := s.add(ctx, tx, who, l)
		if err != nil {
			return err
		}
		now := s.Now()
		after, err = s.changeStatus(ctx, tx, who, approve, before, func(l *Leave) { l.DecidedBy, l.DecidedAt = &who.User, &now })
		if err != nil {
			return err
		}
		if err := s.afterApproval(ctx, tx, who, now, after); err != nil {
			return err
		}
		if err := s.tellDrivers(ctx, tx, who, after, false); err != nil {
			return err
		}
		return s.notifyChange(ctx, tx, who, after, "approved")
	})
	return after, err
}

// mayEnter requires a student at the school, or an employee who is not the caller.
func mayEnter(ctx context.Context, q db.Q, who actor.Actor, l Leave) error {
	if l.StudentID != nil {
		if _, err := people.GetRecord(ctx, q, *l.StudentID); err != nil {
			return err
		}
		return mustAttend(ctx, q, *l.StudentID)
	}
	e, err := people.GetEmployee(ctx, q, *l.EmployeeID)
	if err != nil {
		return err
	}
	if e.Status == people.Resigned {
		return errLeft.Saying("%s has resigned.", e.Name())
	}
	l.UserID = opt.Value(e.UserID)
	return mayDecide(ctx, q, who, l)
}

// lockOffice locks and reads a leave that the office may change: any but the caller's
// own.
func lockOffice(ctx context.Context, tx *db.Tx, who actor.Actor, leave id.ID) (Leave, error) {
	l, err := lockLeave(ctx, tx, leave)
	if err != nil {
		return l, err
	}
	owned := l
	owned.AppliedBy = "" // the office may change what it has entered
	return l, mayDecide(ctx, tx, who, owned)
}

// cancelAny cancels leave for the office, also after its first day.
func (s *Service) cancelAny(ctx context.Context, who actor.Actor, in idIn) (after Leave, err error) {
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		before, err := lockOffice(ctx, tx, who, in.ID)
		if err != nil {
			return err
		}
		now := s.Now()
		after, err = s.changeStatus(ctx, tx, who, cancel, before, func(l *Leave) { l.CancelledAt = &now })
		if err != nil {
			return err
		}
		if before.Status == Approved {
			if err := s.takeBack(ctx, tx, who, after, before.DecidedAt); err != nil {
				return err
			}
			if err := s.notifyFormerDecider(ctx, tx, who, before, "cancelled"); err != nil {
				return err
			}
		}
		if err := s.tellDrivers(ctx, tx, who, after, true); err != nil {
			return err
		}
		return s.notifyChange(ctx, tx, who, after, "cancelled")
	})
	return after, err
}

type shortenIn struct {
	ID     id.ID      `path:"id"`
	ToDate clock.Date `json:"toDate" required:"true" doc:"The new last day, before the present one."`
}

// shorten moves the last day of a leave forward and takes back the marks after it.
func (s *Service) shorten(ctx context.Context, who actor.Actor, in shortenIn) (after Leave, err error) {
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		before, err := lockOffice(ctx, tx, who, in.ID)
		switch {
		case err != nil:
			return err
		case before.Status != Pending && before.Status != Approved:
			return errState.Saying("This leave is %s, so you can't shorten it.", before.Status)
		case in.ToDate < before.FromDate || in.ToDate >= before.ToDate:
			return fault.OnField("toDate", "must be from %s on and before %s", before.FromDate, before.ToDate)
		}
		_, err = db.Exec(ctx, tx, `UPDATE leaves SET to_date = :to, updated_at = :now WHERE school_id = :school AND id = :id`,
			db.Args{"id": in.ID, "to": in.ToDate, "now": s.Now()})
		if err != nil {
			return fmt.Errorf("shorten leave: %w", err)
		}
		if after, err = getLeave(ctx, tx, in.ID); err != nil {
			return err
		}
		if before.Status == Approved {
			if err := s.takeBackAfter(ctx, tx, who, before, in.ToDate); err != nil {
				return err
			}
			if err := s.notifyFormerDecider(ctx, tx, who, after, "shortened"); err != nil {
				return err
			}
		}
		rest := before // the days that are no longer leave
		rest.FromDate = in.ToDate.AddDays(1)
		if err := s.tellDrivers(ctx, tx, who, rest, true); err != nil {
			return err
		}
		if err := s.Audit.Record(ctx, tx, who, "leave.shorten", "leave", in.ID, before.trace(), after.trace()); err != nil {
			return err
		}
		return s.notifyChange(ctx, tx, who, after, "shortened")
	})
	return after, err
}

// takeBackAfter removes the marks of a student's leave after a day, and the
// substitutions of a teacher's.
func (s *Service) takeBackAfter(ctx context.Context, tx *db.Tx, who actor.Actor, l Leave, day clock.Date) error {
	switch {
	case l.StudentID == nil:
		return s.release(ctx, tx, who, l, day.AddDays(1), l.DecidedAt)
	case s.Marks == nil:
		return nil
	}
	return s.Marks.TakeBack(ctx, tx, who, l.ID, day)
}
