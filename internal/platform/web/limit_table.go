package web

import (
	"context"
	"fmt"
	"time"

	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/unscoped"
)

// Table is a Limiter for several nodes: they count in one table. It costs a
// statement a call, which sign-in can afford.
type Table struct {
	DB  *db.DB
	Now clock.Now
}

// Count implements Limiter. One statement counts and reads, so that calls that
// arrive together get different numbers.
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
		return 0, 0, fmt.Errorf("count a call: %w", err)
	}
	return row.N, min(row.Since.Add(Window).Sub(now), Window), nil // the clocks of two nodes may differ a little
}

// Sweep forgets the windows that have ended.
func (t *Table) Sweep(ctx context.Context) error {
	_, err := db.Exec(ctx, t.DB.Across(unscoped.Permit{}),
		`DELETE FROM rate_counts WHERE since <= :over`, db.Args{"over": t.Now().Add(-Window)})
	if err != nil {
		return fmt.Errorf("sweep the rate counts: %w", err)
	}
	return nil
}
