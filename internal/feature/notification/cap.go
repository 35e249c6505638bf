package notification

import (
	"context"
	"fmt"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/notify"
	"homeroom/internal/platform/text"
)

// Limit is the type of the notice that a school's daily message limit is reached.
// Only administrators get it, and it can't be switched off.
const Limit Type = "LIMIT"

// OverQuota notifies a school's administrators, in their logs and by e-mail, that a
// channel's daily limit is reached. It is called at most once a day.
func (s *Service) OverQuota(ctx context.Context, tx *db.Tx, school id.ID, c notify.Channel, most int) error {
	type admin struct {
		ID    id.ID
		Email string
	}
	admins, err := db.All[admin](ctx, tx, `
		SELECT id, COALESCE(email, '') AS email FROM users
		WHERE school_id = :school AND role = 'SCHOOL_ADMIN' AND status = 'ACTIVE' ORDER BY id`, nil)
	if err != nil {
		return fmt.Errorf("find the administrators: %w", err)
	}
	title, body := text.T("limit."+string(c)+".title"), text.T("limit."+string(c)+".body", "most", most)
	users := make([]id.ID, len(admins))
	for i, a := range admins {
		users[i] = a.ID
	}
	if err := s.Send(ctx, tx, school, []Notice{{Type: Limit, Title: title, Body: body, Users: users}}); err != nil {
		return err
	}
	readers, err := audienceOf(ctx, tx, users, s.Now())
	if err != nil {
		return err
	}
	var mails []notify.Message
	for _, a := range admins {
		if a.Email != "" {
			m := readers.mail(Letter{User: a.ID, Email: a.Email, Type: Limit, Urgent: true, Subject: title, Body: body}, s.PublicURL)
			m.Urgent = true
			mails = append(mails, m)
		}
	}
	return s.sendAll(ctx, tx, school, mails)
}
