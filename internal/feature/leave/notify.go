package leave

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"homeroom/internal/feature/academics"
	"homeroom/internal/feature/notification"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
	"homeroom/internal/platform/text"
)

// notifyDecider notifies whoever decides on a new application: a student's class
// teacher, else the office.
func (s *Service) notifyDecider(ctx context.Context, tx *db.Tx, who actor.Actor, l Leave) error {
	n := notification.Notice{Type: notification.Leave, Record: l.ID, Student: opt.Value(l.StudentID),
		Title: text.T("leave.asked.title"), Body: text.T("leave.asked.body", "name", l.Name, "when", l.span().words())}
	teacher, err := classTeacher(ctx, tx, l)
	if err != nil {
		return err
	}
	if teacher == "" {
		return s.Notify.Office(ctx, tx, who, "leave.write", n)
	}
	n.Topic, n.Users = notification.TeacherTopic(teacher), []id.ID{teacher}
	return s.Notify.Send(ctx, tx, who.School, []notification.Notice{n})
}

// classTeacher returns the account of the student's class teacher; "" if there is none.
func classTeacher(ctx context.Context, q db.Q, l Leave) (id.ID, error) {
	if l.StudentID == nil || l.ClassID == nil {
		return "", nil
	}
	t, err := academics.ClassTeacher(ctx, q, *l.ClassID, opt.Value(l.DivisionID))
	if errors.Is(err, academics.ErrNoClassTeacher) {
		return "", nil
	}
	return t.UserID, err
}

// notifyApplicant sends the decision: for a student to the student's topic and to the
// parent who applied, if still linked; for an employee to the employee.
func (s *Service) notifyApplicant(ctx context.Context, tx *db.Tx, who actor.Actor, l Leave) error {
	if l.Status == Rejected {
		return s.notifyChange(ctx, tx, who, l, "rejected")
	}
	return s.notifyChange(ctx, tx, who, l, "approved")
}

// notifyChange is notifyApplicant for any change: approved, rejected, cancelled or
// shortened. Every parent hears of leave that the office has entered.
func (s *Service) notifyChange(ctx context.Context, tx *db.Tx, who actor.Actor, l Leave, change string) error {
	n := notification.Notice{Type: notification.Leave, Record: l.ID,
		Title: text.T("leave." + change + ".title"), Body: text.T("leave."+change+".body", "name", l.Name, "when", l.span().words())}
	if l.StudentID == nil {
		if l.UserID == "" {
			return nil
		}
		role, err := db.One[actor.Role](ctx, tx, `SELECT role FROM users WHERE school_id = :school AND id = :user`, db.Args{"user": l.UserID})
		if err != nil {
			return fmt.Errorf("read the role of an employee: %w", err)
		}
		if n.Topic, n.Users = notification.TeacherTopic(l.UserID), []id.ID{l.UserID}; role == actor.Driver {
			n.Topic = notification.DriverTopic(l.UserID)
		}
		return s.Notify.Send(ctx, tx, who.School, []notification.Notice{n})
	}
	parents, err := notification.ParentsOf(ctx, tx, []id.ID{*l.StudentID})
	if err != nil {
		return err
	}
	n.Topic, n.Student = notification.StudentTopic(*l.StudentID), *l.StudentID
	switch {
	case slices.Contains(parents[*l.StudentID], l.AppliedBy):
		n.Users = []id.ID{l.AppliedBy}
	case l.entered():
		n.Users = parents[*l.StudentID]
	}
	return s.Notify.Send(ctx, tx, who.School, []notification.Notice{n})
}

// tellDrivers tells the drivers of a student whose leave has the whole day of today that
// the student does not ride, or rides after all.
func (s *Service) tellDrivers(ctx context.Context, tx *db.Tx, who actor.Actor, l Leave, rides bool) error {
	today := clock.DateIn(s.Now(), who.Zone)
	if s.TellRides == nil || l.StudentID == nil || l.Half != nil || today < l.FromDate || today > l.ToDate {
		return nil
	}
	return s.TellRides(ctx, tx, who, *l.StudentID, rides)
}

// words is the date range as a text for people.
func (s span) words() text.Text {
	switch {
	case s.Half != nil && *s.Half == "FIRST":
		return text.T("leave.when.FIRST", "from", s.From)
	case s.Half != nil:
		return text.T("leave.when.SECOND", "from", s.From)
	case s.From == s.To:
		return text.T("leave.when.day", "from", s.From)
	}
	return text.T("leave.when.days", "from", s.From, "to", s.To)
}
