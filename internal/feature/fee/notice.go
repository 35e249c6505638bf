package fee

import (
	"context"

	"homeroom/internal/feature/notification"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/text"
)

// Push notifications name no amount. The app shows it, and so do the text message
// and e-mail of a reminder.

// notifyCharged notifies parents of new charges. One charge per student is enough.
func (s *Service) notifyCharged(ctx context.Context, tx *db.Tx, school id.ID, charges []*Charge) error {
	notices := make([]notification.Notice, len(charges))
	for i, c := range charges {
		notices[i] = notice(c.StudentID, c.ID, text.T("fee.charged.title"), text.T("fee.charged.body"))
	}
	return s.notifyParents(ctx, tx, school, notices)
}

// notifyReceipt notifies the parents of a receipt's students.
func (s *Service) notifyReceipt(ctx context.Context, tx *db.Tx, school, receipt id.ID, students []id.ID, title, body text.Text) error {
	notices := make([]notification.Notice, len(students))
	for i, student := range students {
		notices[i] = notice(student, receipt, title, body)
	}
	return s.notifyParents(ctx, tx, school, notices)
}

func notice(student, record id.ID, title, body text.Text) notification.Notice {
	return notification.Notice{Topic: notification.StudentFeeTopic(student), Type: notification.Fee, Record: record, Student: student,
		Title: title, Body: body}
}

func (s *Service) notifyParents(ctx context.Context, tx *db.Tx, school id.ID, notices []notification.Notice) error {
	if len(notices) == 0 {
		return nil
	}
	return fault.Wrap("notify parents", s.Notify.SendToParents(ctx, tx, school, notices))
}
