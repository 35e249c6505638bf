package leave

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"homeroom/internal/feature/people"
	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
)

// action is an action on a leave.
type action string

const (
	approve action = "approve"
	reject  action = "reject"
	cancel  action = "cancel"
	reopen  action = "reopen"
)

// moves maps each action and status to the next status. Anything else is refused.
var moves = map[action]map[Status]Status{
	approve: {Pending: Approved},
	reject:  {Pending: Rejected},
	cancel:  {Pending: Cancelled, Approved: Cancelled},
	reopen:  {Approved: Pending, Rejected: Pending},
}

type idIn struct {
	ID id.ID `path:"id"`
}

type decideIn struct {
	ID           id.ID  `path:"id"`
	DecisionNote string `json:"decisionNote" maxLength:"1000" multiline:"true" doc:"A note for the applicant."`
}

func (s *Service) approve(ctx context.Context, who actor.Actor, in decideIn) (Leave, error) {
	return s.decide(ctx, who, approve, in)
}

func (s *Service) reject(ctx context.Context, who actor.Actor, in decideIn) (Leave, error) {
	return s.decide(ctx, who, reject, in)
}

// decide approves or rejects a leave, marks attendance, and notifies the applicant.
func (s *Service) decide(ctx context.Context, who actor.Actor, act action, in decideIn) (after Leave, err error) {
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		before, err := lockLeave(ctx, tx, in.ID)
		if err != nil {
			return err
		}
		if err := mayDecide(ctx, tx, who, before); err != nil {
			return err
		}
		now := s.Now()
		after, err = s.changeStatus(ctx, tx, who, act, before, func(l *Leave) {
			l.DecidedBy, l.DecidedAt, l.DecisionNote = &who.User, &now, opt.Text(strings.TrimSpace(in.DecisionNote))
		})
		if err != nil {
			return err
		}
		if act == approve {
			err = s.afterApproval(ctx, tx, who, now, after)
		} else {
			err = s.tellDrivers(ctx, tx, who, after, true)
		}
		if err != nil {
			return err
		}
		return s.notifyApplicant(ctx, tx, who, after)
	})
	return after, err
}

// afterApproval checks the balance of an employee, or marks a student's attendance.
func (s *Service) afterApproval(ctx context.Context, tx *db.Tx, who actor.Actor, now time.Time, l Leave) error {
	if l.StudentID == nil {
		return checkBalance(ctx, tx, l, Approved) // the entitlement may have been lowered since
	}
	if who.Role == actor.Teacher {
		if err := mustBeOpen(ctx, tx, clock.DateIn(now, who.Zone), l); err != nil {
			return err
		}
	}
	if s.Marks == nil {
		return nil
	}
	return s.Marks.MarkLeave(ctx, tx, who, l.absence())
}

// cancel is for the applicant: of pending leave at any time, of approved leave before
// its first day.
func (s *Service) cancel(ctx context.Context, who actor.Actor, in idIn) (after Leave, err error) {
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		before, err := lockLeave(ctx, tx, in.ID)
		if err != nil {
			return err
		}
		if err := mayCancel(ctx, tx, who, before); err != nil {
			return err
		}
		now := s.Now()
		if before.Status == Approved && clock.DateIn(now, who.Zone) >= before.FromDate {
			return errBegun
		}
		after, err = s.changeStatus(ctx, tx, who, cancel, before, func(l *Leave) { l.CancelledAt = &now })
		if err != nil {
			return err
		}
		if before.Status == Approved {
			if err := s.takeBack(ctx, tx, who, after, before.DecidedAt); err != nil {
				return err
			}
			return s.notifyFormerDecider(ctx, tx, who, before, "cancelled")
		}
		return s.tellDrivers(ctx, tx, who, after, true)
	})
	return after, err
}

// takeBack removes the marks of a student's leave, and the substitutions of a teacher's.
// Both halves of a day share one mark: if the other half is on leave too, it is marked
// again.
func (s *Service) takeBack(ctx context.Context, tx *db.Tx, who actor.Actor, l Leave, approved *time.Time) error {
	if l.StudentID == nil {
		return s.release(ctx, tx, who, l, l.FromDate, approved)
	}
	if s.Marks == nil {
		return nil
	}
	other, err := otherHalf(ctx, tx, l)
	switch {
	case errors.Is(err, db.ErrNotFound):
		return s.Marks.TakeBack(ctx, tx, who, l.ID, "")
	case err != nil:
		return fmt.Errorf("read leave of the other half: %w", err)
	}
	if err := s.Marks.TakeBack(ctx, tx, who, other.ID, ""); err != nil {
		return err
	}
	if err := s.Marks.TakeBack(ctx, tx, who, l.ID, ""); err != nil {
		return err
	}
	return s.Marks.MarkLeave(ctx, tx, who, other.absence())
}

// changeStatus applies an action to a leave. set changes its other fields.
func (s *Service) changeStatus(ctx context.Context, tx *db.Tx, who actor.Actor, act action, before Leave, set func(*Leave)) (Leave, error) {
	next, legal := moves[act][before.Status]
	if !legal {
		return before, errState.Saying("This leave is %s, so you can't %s it.", before.Status, act)
	}
	after := before
	after.Status, after.UpdatedAt = next, s.Now()
	set(&after)
	switch ok, err := move(ctx, tx, after, before.Status); {
	case err != nil:
		return before, err
	case !ok: // changed between the read and the write
		return before, errState
	}
	if err := s.Audit.Record(ctx, tx, who, "leave."+string(act), "leave", after.ID, before.trace(), after.trace()); err != nil {
		return before, err
	}
	return getLeave(ctx, tx, after.ID)
}

// lockLeave locks and reads a leave. It reads it twice, because the lock is by person.
func lockLeave(ctx context.Context, tx *db.Tx, leave id.ID) (Leave, error) {
	l, err := getLeave(ctx, tx, leave)
	if err != nil {
		return l, err
	}
	if err := lock(ctx, tx, l.person()); err != nil {
		return l, err
	}
	return getLeave(ctx, tx, leave)
}

// mayDecide allows the student's class teacher and administrators. Nobody may decide on
// own leave, except the only administrator of a school.
func mayDecide(ctx context.Context, q db.Q, who actor.Actor, l Leave) error {
	switch {
	case who.Role == actor.Teacher && l.StudentID == nil:
		return errAdminDecides
	case who.Role == actor.Teacher:
		return mustBeClassTeacher(ctx, q, who.User, *l.StudentID)
	case l.AppliedBy != who.User && l.UserID != who.User:
		return nil
	}
	others, err := db.One[bool](ctx, q, `
		SELECT EXISTS (SELECT 1 FROM users WHERE school_id = :school AND role = :role AND status = 'ACTIVE' AND id <> :user) AS others`,
		db.Args{"role": actor.SchoolAdmin, "user": who.User})
	switch {
	case err != nil:
		return fmt.Errorf("count other administrators: %w", err)
	case others:
		return errOwnLeave
	}
	return nil
}

func mustBeClassTeacher(ctx context.Context, q db.Q, user, student id.ID) error {
	is, err := db.One[bool](ctx, q, `
		SELECT id IN (`+pupilsOf+`) AS pupil FROM students WHERE school_id = :school AND id = :student`,
		db.Args{"user": user, "student": student})
	switch {
	case err != nil:
		return fmt.Errorf("read assignments: %w", err)
	case !is:
		return errNotDecider
	}
	return nil
}

// mayCancel allows the applicant: the employee, or the parent while still linked to the
// child.
func mayCancel(ctx context.Context, q db.Q, who actor.Actor, l Leave) error {
	if l.StudentID == nil {
		if l.UserID != who.User {
			return errNotApplicant
		}
		return nil
	}
	if who.Role == actor.Parent {
		if err := people.MustBeLinked(ctx, q, who.User, *l.StudentID); err != nil {
			return err
		}
	}
	if l.AppliedBy != who.User {
		return errNotApplicant
	}
	return nil
}

// mustBeOpen refuses a teacher's approval that would change attendance of locked days.
func mustBeOpen(ctx context.Context, q db.Q, today clock.Date, l Leave) error {
	sch, err := school.Get(ctx, q)
	if err != nil {
		return err
	}
	if l.FromDate < today.AddDays(-sch.AttendanceLockDays) {
		return errLocked.Saying("This leave began more than %d days ago, and only administrators can change attendance of that time. "+
			"Ask one to decide.",
			sch.AttendanceLockDays)
	}
	return nil
}
