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
	admins, err := db.All[id.ID](ctx, tx, `
		SELECT id FROM users WHERE school_id = :school AND role = 'SCHOOL_ADMIN' AND status = 'ACTIVE' ORDER BY id`, nil)
	if err != nil {
		return fmt.Errorf("find the administrators: %w", err)
	}
	return s.Send(ctx, tx, school, []Notice{{Type: Limit, Users: admins,
		Title: text.T("limit." + string(c) + ".title"), Body: text.T("limit."+string(c)+".body", "most", most)}})
}
