package leave

import (
	"context"
	"errors"
	"fmt"
	"time"

	"homeroom/internal/feature/notification"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
	"homeroom/internal/platform/text"
)

// reopen takes a decision back: the leave waits again, as before it. Marks and
// substitutions that followed from it are undone. The applicant and whoever decided are
// notified.
func (s *Service) reopen(ctx context.Context, who actor.Actor, in idIn) (after Leave, err error) {
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		before, err := lockLeave(ctx, tx, in.ID)
		if err != nil {
			return err
		}
		if err := s.mayReopen(ctx, tx, who, before); err != nil {
			return err
		}
		after, err = s.changeStatus(ctx, tx, who, reopen, before, func(l *Leave) { l.DecidedBy, l.DecidedAt, l.DecisionNote = nil, nil, "" })
		if err != nil {
			return err
		}
		if before.Status == Approved {
			err = s.takeBack(ctx, tx, who, after, before.DecidedAt)
		} else { // whoever rejected has told the drivers that the child rides
			err = s.tellDrivers(ctx, tx, who, after, false)
		}
		if err != nil {
			return err
		}
		if err := s.notifyChange(ctx, tx, who, after, "reopened"); err != nil {
			return err
		}
		return s.notifyFormerDecider(ctx, tx, who, before, "reopened")
	})
	return after, err
}

// mayReopen allows whoever may decide. A teacher takes back only the own decision, while
// its days can still be changed. Rejected leave must still fit.
func (s *Service) mayReopen(ctx context.Context, q db.Q, who actor.Actor, l Leave) error {
	if err := mayDecide(ctx, q, who, l); err != nil {
		return err
	}
	switch {
	case moves[reopen][l.Status] == "": // changeStatus says why
		return nil
	case l.entered():
		return errEntered
	case who.Role == actor.Teacher && opt.Value(l.DecidedBy) != who.User:
		return errOthers
	case l.Status == Rejected:
		return fits(ctx, q, l)
	case who.Role == actor.Teacher:
		return mustBeOpen(ctx, q, clock.DateIn(s.Now(), who.Zone), l)
	}
	return nil
}

// entered reports whether the office entered a decided leave, which nobody applied for.
func (l Leave) entered() bool {
	if l.StudentID != nil {
		return l.AppliedBy == opt.Value(l.DecidedBy)
	}
	return l.AppliedBy != l.UserID
}

// release ends the substitutions of a teacher's leave from a day on.
func (s *Service) release(ctx context.Context, tx *db.Tx, who actor.Actor, l Leave, from clock.Date, approved *time.Time) error {
	if s.Cover == nil || approved == nil {
		return nil
	}
	return s.Cover.Release(ctx, tx, who, *l.EmployeeID, from, l.ToDate, *approved)
}

// notifyFormerDecider tells whoever decided that another person took the decision back, or
// cancelled or shortened the leave.
func (s *Service) notifyFormerDecider(ctx context.Context, tx *db.Tx, who actor.Actor, l Leave, change string) error {
	user := opt.Value(l.DecidedBy)
	if user == "" || user == who.User {
		return nil
	}
	role, err := db.One[actor.Role](ctx, tx, `SELECT role FROM users WHERE school_id = :school AND id = :user AND status = 'ACTIVE'`,
		db.Args{"user": user})
	switch {
	case errors.Is(err, db.ErrNotFound):
		return nil
	case err != nil:
		return fmt.Errorf("read who decided: %w", err)
	}
	n := notification.Notice{Type: notification.Leave, Record: l.ID, Student: opt.Value(l.StudentID), Users: []id.ID{user},
		Title: text.T("leave." + change + ".title"), Body: text.T("leave."+change+".body", "name", l.Name, "when", l.span().words())}
	if n.Devices = role != actor.Teacher; !n.Devices {
		n.Topic = notification.TeacherTopic(user)
	}
	return s.Notify.Send(ctx, tx, who.School, []notification.Notice{n})
}
