package web

import (
	"context"
	"fmt"
	"time"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/unscoped"
)

// SweepAnswers deletes expired responses of requests with an Idempotency-Key, in
// batches so that it doesn't block writers for long.
func SweepAnswers(ctx context.Context, d *db.DB, now time.Time) error {
	const batch = 1000
	for {
		n, err := db.Exec(ctx, d.Across(unscoped.Permit{}), `
			DELETE FROM idempotency_keys WHERE (school_id, id) IN (
				SELECT school_id, id FROM idempotency_keys WHERE created_at <= :limit LIMIT :batch)`,
			db.Args{"limit": now.Add(-keyLifetime), "batch": batch})
		if err != nil {
			return fmt.Errorf("delete expired idempotency keys: %w", err)
		}
		if n < batch {
			return nil
		}
	}
}
