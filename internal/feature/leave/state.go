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
)

// action is something that is done to a leave.
type action string

const (
	approve action = "approve"
	reject  action = "reject"
	cancel  action = "cancel"
)

// moves says what an action makes of a leave. What is not here is not legal.
var moves = map[action]map[Status]Status{
	approve: {Pending: Approved},
	reject:  {Pending: Rejected},
	cancel:  {Pending: Cancelled, Approved: Cancelled},
}

type idIn struct {
	ID id.ID `path:"id"`
}

type decideIn struct {
	ID           id.ID  `path:"id"`
	DecisionNote string `json:"decisionNote" maxLength:"1000" multiline:"true" doc:"For who applied."`
}

func (s *Service) approve(ctx context.Context, who actor.Actor, in decideIn) (Leave, error) {
	return s.decide(ctx, who, approve, in)
}

func (s *Service) reject(ctx context.Context, who actor.Actor, in decideIn) (Leave, error) {
	return s.decide(ctx, who, reject, in)
}

// decide approves or rejects, has attendance follow, and tells who applied.
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
		after, err = s.step(ctx, tx, who, act, before, func(l *Leave) {
			l.DecidedBy, l.DecidedAt, l.DecisionNote = &who.User, &now, strings.TrimSpace(in.DecisionNote)
		})
		if err != nil {
			return err
		}
		if act == approve {
			if err := s.grant(ctx, tx, who, now, after); err != nil {
				return err
			}
		}
		return s.tellApplicant(ctx, tx, who, after)
	})
	return after, err
}

// grant does what an approval brings with it.
func (s *Service) grant(ctx context.Context, tx *db.Tx, who actor.Actor, now time.Time, l Leave) error {
	if l.StudentID == nil {
		return mustBeLeft(ctx, tx, l, Approved) // the entitlement may be less than it was
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

// cancel is the applicant's: of what waits at any time, of what is approved
// before its first day.
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
		after, err = s.step(ctx, tx, who, cancel, before, func(l *Leave) { l.CancelledAt = &now })
		if err != nil || before.Status != Approved {
			return err
		}
		return s.takeBack(ctx, tx, who, after)
	})
	return after, err
}

// takeBack takes the marks of a student's leave back. The halves of a day share
// one mark: if the other half is on leave too, its mark is made anew.
func (s *Service) takeBack(ctx context.Context, tx *db.Tx, who actor.Actor, l Leave) error {
	if l.StudentID == nil || s.Marks == nil {
		return nil
	}
	other, err := otherHalf(ctx, tx, l)
	switch {
	case errors.Is(err, db.ErrNotFound):
		return s.Marks.TakeBack(ctx, tx, who, l.ID)
	case err != nil:
		return fmt.Errorf("look for the other half: %w", err)
	}
	if err := s.Marks.TakeBack(ctx, tx, who, other.ID); err != nil {
		return err
	}
	if err := s.Marks.TakeBack(ctx, tx, who, l.ID); err != nil {
		return err
	}
	return s.Marks.MarkLeave(ctx, tx, who, other.absence())
}

// step moves a leave as the table has it, with what else the action sets.
func (s *Service) step(ctx context.Context, tx *db.Tx, who actor.Actor, act action, before Leave, set func(*Leave)) (Leave, error) {
	next, legal := moves[act][before.Status]
	if !legal {
		return before, errState.Saying("This leave is %s: it is too late to %s it.", before.Status, act)
	}
	after := before
	after.Status, after.UpdatedAt = next, s.Now()
	set(&after)
	switch ok, err := move(ctx, tx, after, before.Status); {
	case err != nil:
		return before, err
	case !ok: // between reading and writing
		return before, errState
	}
	if err := s.Audit.Record(ctx, tx, who, "leave."+string(act), "leave", after.ID, before.trace(), after.trace()); err != nil {
		return before, err
	}
	return getLeave(ctx, tx, after.ID)
}

// lockLeave reads a leave and keeps it as it is until tx ends. It is read twice
// because only the leave knows whom to lock.
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

// mayDecide is nil for the class teacher of the student and for administrators.
// Nobody decides on the own leave, but an administrator who is the only one: it
// would never be decided.
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
		return fmt.Errorf("look for other administrators: %w", err)
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

// mayCancel is nil for who applied: an employee for itself, or the parent who
// asked while the child is still theirs to see.
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

// mustBeOpen keeps teachers from changing, by an approval, attendance that is
// closed to them.
func mustBeOpen(ctx context.Context, q db.Q, today clock.Date, l Leave) error {
	sch, err := school.Get(ctx, q)
	if err != nil {
		return err
	}
	if l.FromDate < today.AddDays(-sch.AttendanceLockDays) {
		return errLocked.Saying("This leave begins more than %d days ago, where only administrators change attendance. Ask one to decide.",
			sch.AttendanceLockDays)
	}
	return nil
}
