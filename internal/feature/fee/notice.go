package fee

import (
	"context"

	"homeroom/internal/feature/notification"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/text"
)

// What families are told names no amount: the app has it, and text messages and
// e-mail of a reminder do.

// tellCharged tells the parents of students that something was charged; of each
// student one charge is enough.
func (s *Service) tellCharged(ctx context.Context, tx *db.Tx, school id.ID, charges []*Charge) error {
	notices := make([]notification.Notice, len(charges))
	for i, c := range charges {
		notices[i] = notice(c.StudentID, c.ID, text.T("fee.charged.title"), text.T("fee.charged.body"))
	}
	return s.tell(ctx, tx, school, notices)
}

// tellReceipt tells the parents of those who were paid for.
func (s *Service) tellReceipt(ctx context.Context, tx *db.Tx, school, receipt id.ID, students []id.ID, title, body text.Text) error {
	notices := make([]notification.Notice, len(students))
	for i, student := range students {
		notices[i] = notice(student, receipt, title, body)
	}
	return s.tell(ctx, tx, school, notices)
}

func notice(student, record id.ID, title, body text.Text) notification.Notice {
	return notification.Notice{Topic: notification.StudentFeeTopic(student), Type: notification.Fee, Record: record, Student: student, Title: title, Body: body}
}

func (s *Service) tell(ctx context.Context, tx *db.Tx, school id.ID, notices []notification.Notice) error {
	if len(notices) == 0 {
		return nil
	}
	return fault.Wrap("tell parents", s.Notify.SendToParents(ctx, tx, school, notices))
}
