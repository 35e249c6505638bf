package notification

import (
	"context"
	"fmt"

	"homeroom/internal/feature/people"
	"homeroom/internal/platform/db"
)

// Merge gives the notifications of one account to another of the same person. The
// preferences of the account that stays hold; the other's, if it has none.
func Merge(ctx context.Context, tx *db.Tx, m people.Merged) error {
	for _, step := range []string{
		`UPDATE notifications SET user_id = :to WHERE school_id = :school AND user_id = :from`,
		`UPDATE notification_preferences SET user_id = :to WHERE school_id = :school AND user_id = :from
			AND NOT EXISTS (SELECT 1 FROM notification_preferences p WHERE p.school_id = :school AND p.user_id = :to)`,
	} {
		if _, err := db.Exec(ctx, tx, step, db.Args{"from": m.From, "to": m.To}); err != nil {
			return fmt.Errorf("merge notifications: %w", err)
		}
	}
	return nil
}
