package web

import (
	"context"
	"fmt"
	"time"

	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/unscoped"
)

// Table is a Limiter in the database, shared by all nodes. It costs one statement
// per call, so it is used for sign-in only.
type Table struct {
	DB  *db.DB
	Now clock.Now
}

// Count implements Limiter. It increments and reads in one statement, so that
// concurrent calls get different numbers.
func (t *Table) Count(ctx context.Context, key string) (int, time.Duration, error) {
	now := t.Now()
	row, err := db.One[struct {
		N     int
		Since time.Time
	}](ctx, t.DB.Across(unscoped.Permit{}), `
		INSERT INTO rate_counts (key, since, n) VALUES (:key, :now, 1)
		ON CONFLICT (key) DO UPDATE SET
			n = CASE WHEN rate_counts.since <= :over THEN 1 ELSE rate_counts.n + 1 END,
			since = CASE WHEN rate_counts.since <= :over THEN :now ELSE rate_counts.since END
		RETURNING n, since`,
		db.Args{"key": key, "now": now, "over": now.Add(-Window)})
	if err != nil {
		return 0, 0, fmt.Errorf("rate limit: %w", err)
	}
	return row.N, min(row.Since.Add(Window).Sub(now), Window), nil // the clocks of nodes may differ
}

// Sweep deletes expired windows.
func (t *Table) Sweep(ctx context.Context) error {
	_, err := db.Exec(ctx, t.DB.Across(unscoped.Permit{}),
		`DELETE FROM rate_counts WHERE since <= :over`, db.Args{"over": t.Now().Add(-Window)})
	if err != nil {
		return fmt.Errorf("delete expired rate limit windows: %w", err)
	}
	return nil
}
