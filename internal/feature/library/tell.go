package library

import (
	"context"
	"fmt"

	"homeroom/internal/feature/notification"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

// addressee is a borrower who is told of a loan or a reservation: a student's
// parents, or the employee.
type addressee struct {
	ID        id.ID // of the loan or the reservation
	StudentID *id.ID
	FirstName string
	UserID    *id.ID // the employee's account
	Role      actor.Role
	Title     string // of the book
	Date      clock.Date
}

// addresseeColumns and addresseeJoins read who is meant by a row x of loans or reservations.
const (
	addresseeColumns = `x.id, x.student_id, COALESCE(s.first_name, '') AS first_name, e.user_id, COALESCE(ro.type, '') AS role, b.title`
	addresseeJoins   = `
		JOIN library_books b ON b.school_id = x.school_id AND b.id = x.book_id
		LEFT JOIN students s ON s.school_id = x.school_id AND s.id = x.student_id AND s.archived_at IS NULL
		LEFT JOIN employees e ON e.school_id = x.school_id AND e.id = x.employee_id AND e.archived_at IS NULL
		LEFT JOIN roles ro ON ro.school_id = e.school_id AND ro.id = e.role_id`
)

func readyNotice(w addressee) (title, body string) {
	whom := ""
	if w.FirstName != "" {
		whom = " for " + w.FirstName
	}
	return "A reserved book is ready", fmt.Sprintf("“%s” is kept%s in the library until %s.", w.Title, whom, w.Date)
}

func overdueNotice(w addressee) (title, body string) {
	by := ""
	if w.FirstName != "" {
		by = " by " + w.FirstName
	}
	return "A library book is overdue", fmt.Sprintf("“%s”, borrowed%s, was due on %s. Please bring it back.", w.Title, by, w.Date)
}

// tell notifies borrowers, in as many statements for one as for many.
func (s *Service) tell(ctx context.Context, tx *db.Tx, school id.ID, whom []addressee, say func(addressee) (title, body string)) error {
	var students []id.ID
	for _, w := range whom {
		if w.StudentID != nil {
			students = append(students, *w.StudentID)
		}
	}
	parents, err := notification.ParentsOf(ctx, tx, students)
	if err != nil {
		return err
	}
	notices := make([]notification.Notice, 0, len(whom))
	for _, w := range whom {
		n := notification.Notice{Type: notification.Library, Record: w.ID}
		n.Title, n.Body = say(w)
		switch {
		case w.StudentID != nil:
			n.Student, n.Topic, n.Users = *w.StudentID, notification.StudentTopic(*w.StudentID), parents[*w.StudentID]
		case w.UserID != nil:
			n.Users = []id.ID{*w.UserID}
			if w.Role == actor.Teacher {
				n.Topic = notification.TeacherTopic(*w.UserID)
			}
		}
		notices = append(notices, n)
	}
	return s.Notify.Send(ctx, tx, school, notices)
}
