package library

import (
	"context"

	"homeroom/internal/feature/notification"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/text"
)

// addressee is the recipient of a notification about a loan or a reservation: a
// student's parents, or the employee.
type addressee struct {
	ID        id.ID // of the loan or the reservation
	StudentID *id.ID
	FirstName string
	UserID    *id.ID // the employee's account
	Role      actor.Role
	Title     string // of the book
	Date      clock.Date
}

// addresseeColumns and addresseeJoins select the addressee of a row x of loans or
// reservations.
const (
	addresseeColumns = `x.id, x.student_id, COALESCE(s.first_name, '') AS first_name, e.user_id, COALESCE(ro.type, '') AS role, b.title`
	addresseeJoins   = `
		JOIN library_books b ON b.school_id = x.school_id AND b.id = x.book_id
		LEFT JOIN students s ON s.school_id = x.school_id AND s.id = x.student_id AND s.archived_at IS NULL
		LEFT JOIN employees e ON e.school_id = x.school_id AND e.id = x.employee_id AND e.archived_at IS NULL
		LEFT JOIN roles ro ON ro.school_id = e.school_id AND ro.id = e.role_id`
)

func readyNotice(w addressee) (title, body text.Text) {
	title = text.T("library.ready.title")
	if w.FirstName == "" {
		return title, text.T("library.ready.body", "book", w.Title, "date", w.Date)
	}
	return title, text.T("library.ready.child", "book", w.Title, "student", w.FirstName, "date", w.Date)
}

func goneNotice(w addressee) (title, body text.Text) {
	title = text.T("library.gone.title")
	if w.FirstName == "" {
		return title, text.T("library.gone.body", "book", w.Title)
	}
	return title, text.T("library.gone.child", "book", w.Title, "student", w.FirstName)
}

func cancelledNotice(w addressee) (title, body text.Text) {
	title = text.T("library.cancelled.title")
	if w.FirstName == "" {
		return title, text.T("library.cancelled.body", "book", w.Title)
	}
	return title, text.T("library.cancelled.child", "book", w.Title, "student", w.FirstName)
}

func overdueNotice(w addressee) (title, body text.Text) {
	title = text.T("library.overdue.title")
	if w.FirstName == "" {
		return title, text.T("library.overdue.body", "book", w.Title, "date", w.Date)
	}
	return title, text.T("library.overdue.child", "book", w.Title, "student", w.FirstName, "date", w.Date)
}

// notifyBorrowers notifies borrowers with a fixed number of statements.
func (s *Service) notifyBorrowers(ctx context.Context, tx *db.Tx, school id.ID, whom []addressee,
	say func(addressee) (title, body text.Text)) error {
	var families, staff []notification.Notice
	for _, w := range whom {
		n := notification.Notice{Type: notification.Library, Record: w.ID}
		n.Title, n.Body = say(w)
		switch {
		case w.StudentID != nil:
			n.Student, n.Topic = *w.StudentID, notification.StudentTopic(*w.StudentID)
			families = append(families, n)
		case w.UserID != nil:
			n.Users = []id.ID{*w.UserID}
			switch w.Role {
			case actor.Teacher:
				n.Topic = notification.TeacherTopic(*w.UserID)
			case actor.Driver:
				n.Topic = notification.DriverTopic(*w.UserID)
			}
			staff = append(staff, n)
		}
	}
	if err := s.Notify.SendToParents(ctx, tx, school, families); err != nil {
		return err
	}
	return s.Notify.Send(ctx, tx, school, staff)
}
