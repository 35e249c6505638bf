package web

import (
	"context"
	"fmt"
	"time"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/unscoped"
)

// SweepAnswers forgets the answers to keyed calls that are too old to be given
// again, some at a time so that nobody waits for it.
func SweepAnswers(ctx context.Context, d *db.DB, now time.Time) error {
	const some = 1000
	for {
		n, err := db.Exec(ctx, d.Across(unscoped.Permit{}), `
			DELETE FROM idempotency_keys WHERE (school_id, id) IN (
				SELECT school_id, id FROM idempotency_keys WHERE created_at <= :limit LIMIT :some)`,
			db.Args{"limit": now.Add(-keepAnswers), "some": some})
		if err != nil {
			return fmt.Errorf("sweep the kept answers: %w", err)
		}
		if n < some {
			return nil
		}
	}
}
